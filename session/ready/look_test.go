package ready

import (
	"testing"

	"github.com/glasstty/glasstty/session/kernel"
)

// A stumbler is a looker that fails.
type stumbler struct{ closed bool }

// Look fails.
func (*stumbler) Look() kernel.View { var none []kernel.View; return none[len(none)-1] }

// Close notes that it was called.
func (s *stumbler) Close() { s.closed = true }

// TestLookFails has a look fail: that ends the looks of its session, and nothing
// else.
func TestLookFails(t *testing.T) {
	for name, look := range map[string]func(*view){
		"a look":              func(w *view) { w.look() },
		"a look before input": func(w *view) { w.input([]byte("x\r"), kernel.TTY{}) },
	} {
		l := new(stumbler)
		w := view{looker: l}
		look(&w)
		if w.looker != nil || !l.closed || w.before.Known {
			t.Errorf("%s: it looks again: %+v", name, w)
		}
	}
}
