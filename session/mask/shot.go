package mask

import (
	"github.com/glasstty/glasstty/emulator"
)

// ShotOf returns a terminal's screen with its secrets hidden; open is that of Mask.Snapshot.
func ShotOf(m *Mask, term *emulator.Terminal, scrollback int, open bool) *emulator.Snapshot {
	return NewShot(m, term, scrollback, open).Hidden()
}

// A Shot is a screen whose secrets are yet to be hidden. Hiding them takes time and does not
// need the terminal, so it can be done without its lock.
type Shot struct {
	mask  *Mask
	shot  *emulator.Snapshot
	extra int // rows at the top that are only searched
	open  bool
}

// NewShot copies a terminal's screen with so many rows of scrollback (-1: all).
func NewShot(m *Mask, term *emulator.Terminal, scrollback int, open bool) Shot {
	if m == nil {
		return Shot{shot: term.Snapshot(scrollback)}
	}
	all := term.ScrollbackRows()
	if scrollback < 0 {
		scrollback = all
	}
	scrollback = min(scrollback, all)
	b := Shot{mask: m, extra: min(Near, all-scrollback), open: open}
	b.shot = term.Snapshot(scrollback + b.extra)
	if b.extra > 0 && Reaches(b.shot, b.extra) {
		b.extra = min(Context, all-scrollback)
		b.shot = term.Snapshot(scrollback + b.extra)
	}
	return b
}

// Hidden returns the screen with its secrets hidden.
func (b Shot) Hidden() *emulator.Snapshot { return b.mask.Snapshot(b.shot, b.extra, b.open) }
