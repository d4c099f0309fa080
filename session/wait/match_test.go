package wait

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/state"
)

// TestMatchInFlood checks that a pattern is searched in all of many lines that are printed at once,
// piece by piece, or at once if the time is up.
func TestMatchInFlood(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		lines   int
		line    string
		want    bool
	}{
		{"(?m)^line 4500$", 9000, "line %d", true},
		{"(?m)^line 1$", 9000, "line %d", true},
		{"(?m)^line 9000$", 9000, "line %d", true},
		{"line 9001", 9000, "line %d", false},
		{"(?m)^line 500 x{900}$", 1000, "line %d " + strings.Repeat("x", 900), true}, // the pattern is not matched against all at once
	} {
		for _, late := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				st := state.New(state.Options{Terminal: emulator.Options{Size: emulator.Size{Rows: 24, Cols: 80}, ScrollbackLines: 100_000, ScrollbackBytes: 1 << 30}})
				var out strings.Builder
				for n := range tt.lines {
					fmt.Fprintf(&out, tt.line+"\r\n", n+1)
				}
				st.Apply(time.Now(), &eventlog.Event{Kind: eventlog.Output, Data: []byte(out.String())})
				g := &Goal{Wait: Wait{Pattern: regexp.MustCompile(tt.pattern)}, State: st, Reader: &state.Reader{}}
				g.Begin()
				v := g.matched(time.Now(), late)
				for !v.Done && !v.Again.IsZero() && !late {
					time.Sleep(time.Until(v.Again))
					v = g.matched(time.Now(), false)
				}
				if v.Done != tt.want {
					t.Errorf("%s, late %v: %+v, searched up to line %d of %d", tt.pattern, late, v, g.match.line, st.Term.EndLine())
				}
			})
		}
	}
}
