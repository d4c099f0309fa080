package session

import (
	"fmt"
	"testing"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/mask"
)

// BenchmarkHide reads a few new lines of a session with a long history, and its
// screen.
func BenchmarkHide(b *testing.B) {
	for _, hides := range []bool{false, true} {
		s := &Session{m: &Manager{}, term: emulator.New(emulator.Options{})}
		if hides {
			s.m.opt.Mask = mask.New()
		}
		for i := range 3000 {
			_, _ = s.term.Write(fmt.Appendf(nil, "2026-03-04 12:00:00 INFO line %d of what a program has printed\r\n", i))
		}
		s.shotLocked(0)
		b.Run(fmt.Sprintf("lines, hidden %v", hides), func(b *testing.B) {
			for b.Loop() {
				s.linesLocked(s.term.EndLine()-3, s.term.EndLine())
			}
		})
		b.Run(fmt.Sprintf("screen, hidden %v", hides), func(b *testing.B) {
			for b.Loop() {
				s.shotLocked(0)
			}
		})
	}
}
