package mask

import "github.com/glasstty/glasstty/emulator"

// Shot copies a terminal's screen and the given number of scrollback rows, or all if it is
// negative. It returns a function that hides the secrets in the copy. Hiding takes time and does
// not need the terminal, so it can be done without the terminal's lock. open reports that text
// may still come at the cursor.
func (m *Mask) Shot(term *emulator.Terminal, scrollback int, open bool) (hidden func() *emulator.Snapshot) {
	all := term.ScrollbackRows()
	if scrollback < 0 || scrollback > all {
		scrollback = all
	}
	extra := 0 // number of rows at the top that are only searched
	if m != nil {
		extra = min(Near, all-scrollback)
	}
	shot := term.Snapshot(scrollback + extra)
	if extra > 0 && Reaches(shot, extra) {
		extra = min(Context, all-scrollback)
		shot = term.Snapshot(scrollback + extra)
	}
	return func() *emulator.Snapshot { return m.Snapshot(shot, extra, open) }
}
