package mask

import (
	"slices"

	"github.com/glasstty/glasstty/emulator"
)

// CopyScreen copies a terminal's screen and the given number of scrollback rows, or all if the
// number is negative. It returns a function that hides the secrets in the copy. Hiding takes time
// and does not use the terminal, so the function may be called without the lock that guards the
// terminal. open says that more text may be written at the cursor; see Snapshot.
func (m *Mask) CopyScreen(term *emulator.Terminal, scrollback int, open bool) (hidden func() *emulator.Snapshot) {
	all := term.ScrollbackRows()
	if scrollback < 0 || scrollback > all {
		scrollback = all
	}
	extra := 0 // number of rows at the top that are only searched
	if m != nil {
		extra = min(MinContext, all-scrollback)
	}
	shot := term.Snapshot(scrollback + extra)
	if extra > 0 {
		above, top := shot.Scrollback[extra-1], slices.Concat(shot.Scrollback[extra:], shot.Screen)[0]
		if above.Wrapped || MayBePrivateKey(above.Text()) || MayBePrivateKey(top.Text()) {
			extra = min(MaxContext, all-scrollback)
			shot = term.Snapshot(scrollback + extra)
		}
	}
	return func() *emulator.Snapshot { return m.Snapshot(shot, extra, open) }
}
