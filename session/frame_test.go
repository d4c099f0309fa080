package session

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/wait"
)

// TestFrame matches text in a frame that is painted in pieces. It checks that the reply shows the
// whole frame, and that the wait for a program that never stops painting is short.
func TestFrame(t *testing.T) {
	for _, tt := range []struct {
		name   string
		pieces []string
		pause  time.Duration
		want   string        // on the screen
		least  time.Duration // from the match on
		most   time.Duration
	}{
		{"in two pieces", []string{"\x1b[5Hend"}, wait.FrameQuiet / 2, "end", wait.FrameQuiet, 2 * wait.FrameQuiet},
		{"at once", nil, 0, "found", wait.FrameQuiet, wait.FrameQuiet + 2*wait.MatchEvery},
		{"in a synchronized update", []string{"", "", "\x1b[5Hend\x1b[?2026l"}, 2 * wait.FrameQuiet, "end", 6 * wait.FrameQuiet, 8 * wait.FrameQuiet},
		{"without end", repeated("\x1b[2H.", 50), wait.FrameQuiet / 2, "found", wait.FrameLimit, wait.FrameLimit + 2*wait.MatchEvery},
	} {
		t.Run(tt.name, func(t *testing.T) {
			underFakeClock(t, Options{}, func(t *testing.T, m *Manager, owner *fakeOwner) {
				s := fakeSession(t, m)
				first := "\x1b[?1049h\x1b[Hfound"
				if strings.Contains(strings.Join(tt.pieces, ""), "2026l") {
					first = "\x1b[?1049h\x1b[?2026h\x1b[Hfound"
				}
				out := owner.all[0].out
				began := time.Now()
				out <- []byte(first)
				var painting sync.WaitGroup
				defer painting.Wait()
				painting.Go(func() {
					for _, p := range tt.pieces {
						time.Sleep(tt.pause)
						out <- []byte(p)
					}
				})
				r := exchange(t, s, Input{}, Wait{Pattern: literal("found"), Timeout: 5 * time.Second})
				took := time.Since(began)
				if r.Reason != detect.Matched || r.Screen == nil || !strings.Contains(r.Screen.Text(), tt.want) || took < tt.least || took > tt.most {
					t.Errorf("%s after %s, output %q", r.Reason, took, r.Output)
				}
			})
		})
	}
}

// repeated returns s n times.
func repeated(s string, n int) []string { return strings.Split(strings.Repeat(s+"|", n), "|")[:n] }
