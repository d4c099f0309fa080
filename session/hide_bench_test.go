package session

import (
	"fmt"
	"testing"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/mask"
	"github.com/glasstty/glasstty/session/state"
)

// BenchmarkHide measures reading a few new lines of a session with a long history, and its screen,
// with and without hiding secrets.
func BenchmarkHide(b *testing.B) {
	for _, hides := range []bool{false, true} {
		s := &Session{m: &Manager{}, state: state.New(state.Options{Terminal: emulator.Options{}})}
		if hides {
			s.state.Mask = mask.New()
		}
		for i := range 3000 {
			_, _ = s.state.Term.Write(fmt.Appendf(nil, "2026-03-04 12:00:00 INFO line %d of what a program has printed\r\n", i))
		}
		s.state.Snapshot(0)
		b.Run(fmt.Sprintf("lines, hidden %v", hides), func(b *testing.B) {
			for b.Loop() {
				s.state.Lines(s.state.Term.EndLine()-3, s.state.Term.EndLine())
			}
		})
		b.Run(fmt.Sprintf("screen, hidden %v", hides), func(b *testing.B) {
			for b.Loop() {
				s.state.Snapshot(0)
			}
		})
	}
}
