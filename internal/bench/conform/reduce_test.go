package conform

import (
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/internal/recording"
)

var reduceTo = flag.String("reduce", "", "with -show and -at: the oracle against which the stream is reduced (xterm, headless, tmux)")

// pieces splits output into the units that a terminal processes.
var pieces = regexp.MustCompile(`(?s)\x1b\[[0-?]*[ -/]*[@-~]|\x1b[P\]_^X].*?(?:\x1b\\|\x07)|\x1b[ -/]*[0-~]|[\x00-\x1f]|[^\x00-\x1f]+|\x1b`)

// TestReduce prints the fewest pieces of a recording that show a difference of the
// same kind. It checks nothing.
func TestReduce(t *testing.T) {
	if *reduceTo == "" {
		t.Skip("to reduce a recording, use -args -show NAME -at LABEL -reduce ORACLE")
	}
	rec, err := loadCast(filepath.Join(replayDir, *showName))
	if err != nil {
		t.Fatal(err)
	}
	oracle := startOracle(t, *reduceTo, rec.Rows, rec.Cols)
	var events []recording.Event
	for _, e := range rec.Events {
		if e.Kind == recording.Checkpoint && strings.HasPrefix(e.Label, *showPoint) {
			break
		}
		events = append(events, split(e)...)
	}
	kinds := map[string]bool{}
	differs := func(events []recording.Event) []Difference {
		j := Job{rec.Rows, rec.Cols, append(join(events), recording.Event{Kind: recording.Checkpoint})}
		want, err := oracle(j)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Ours{}.Replay(j)
		if err != nil {
			t.Fatal(err)
		}
		var out []Difference
		for _, d := range Compare(got[0], want[0], traits(*reduceTo)) {
			if len(kinds) == 0 || kinds[d.What] {
				out = append(out, d)
			}
		}
		return out
	}
	for _, d := range differs(events) {
		kinds[d.What] = true
	}
	events = minimise(events, func(e []recording.Event) bool { return len(differs(e)) > 0 })
	var b strings.Builder
	for _, e := range events {
		if e.Kind == recording.Resize {
			fmt.Fprintf(&b, " resize(%d,%d)", e.Rows, e.Cols)
		} else {
			fmt.Fprintf(&b, " %q", e.Data)
		}
	}
	t.Logf("%dx%d:%s", rec.Rows, rec.Cols, b.String())
	for _, d := range differs(events) {
		t.Log(d)
	}
}

// split cuts output into pieces.
func split(e recording.Event) []recording.Event {
	if e.Kind != recording.Output {
		if e.Kind == recording.Resize {
			return []recording.Event{e}
		}
		return nil
	}
	var out []recording.Event
	for _, p := range pieces.FindAll(e.Data, -1) {
		out = append(out, recording.Event{Kind: recording.Output, Data: p})
	}
	return out
}

// join merges neighbouring output events.
func join(events []recording.Event) []recording.Event {
	var out []recording.Event
	for _, e := range events {
		if n := len(out) - 1; e.Kind == recording.Output && n >= 0 && out[n].Kind == recording.Output {
			out[n].Data = slices.Concat(out[n].Data, e.Data)
			continue
		}
		out = append(out, e)
	}
	return out
}

// startOracle starts an oracle by its name.
func startOracle(t *testing.T, name string, rows, cols int) func(Job) ([]Screen, error) {
	switch name {
	case "headless":
		return startHeadless(t, need.Program(t, "node")).Replay
	case "tmux":
		tm, err := StartTmux(need.Program(t, "tmux"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tm.Close() })
		return tm.Replay
	}
	x, err := StartXServer(need.Program(t, "Xvfb"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	xt, err := StartXTerm(need.Program(t, "xterm"), x, rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { xt.Close() })
	used := false
	return func(j Job) ([]Screen, error) {
		if used {
			if err := xt.Reset(); err != nil {
				return nil, err
			}
		}
		used = true
		return xt.Replay(j)
	}
}
