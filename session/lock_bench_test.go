package session

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/session/guard"
	"github.com/glasstty/glasstty/session/input"
)

// typedAtOnce is how many bytes BenchmarkSnapshotWhileTyping types.
const typedAtOnce = 8 << 20

// BenchmarkSnapshotWhileTyping measures snapshots while 8 MB of shell lines are typed into a
// session. The lines are judged, held because they are so many, confirmed, and typed.
func BenchmarkSnapshotWhileTyping(b *testing.B) {
	m := NewManager(Options{Danger: new(danger.Checker), Limits: Limits{InputRate: -1}})
	defer m.Close()
	// The program reads lines, is unknown to the rules, and does nothing with the lines, which are
	// judged like a shell's.
	s, err := m.Start(b.Context(), StartOptions{Command: "sh", Args: []string{"-c", "stty raw -echo; echo up; exec dd of=/dev/null bs=64k 2>/dev/null"}, Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.Exchange(b.Context(), Input{}, Wait{Pattern: literal("up"), Timeout: patience}, nil); err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("echo a line that is harmless\r", typedAtOnce/len("echo a line that is harmless\r"))
	look := s.guardView()
	if len(look.Program.Langs) == 0 {
		b.Fatal("the input is not judged")
	}
	began := time.Now()
	guard.Check(m.opt.Danger, look.View, guard.KeystrokesOf(Input{Text: text}, input.Modes{}), false)
	b.ReportMetric(time.Since(began).Seconds(), "s/judgement")
	for b.Loop() {
		done := make(chan error, 1)
		go func() {
			_, err := s.Type(b.Context(), Input{Text: text, NoPaste: true})
			var held *HeldError
			if errors.As(err, &held) {
				var in Confirmed
				if in, err = s.Confirm(text, false); err == nil {
					_, err = in.Type(b.Context())
				}
			}
			done <- err
		}()
		var took []time.Duration
		for typed := false; !typed; {
			select {
			case err := <-done:
				if err != nil {
					b.Fatal(err)
				}
				typed = true
			case <-time.After(time.Millisecond):
				at := time.Now()
				s.Snapshot(0)
				took = append(took, time.Since(at))
			}
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50")
		b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
		b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "ms-max")
		b.ReportMetric(float64(len(took)), "looks")
	}
}
