package session

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session/state"
	"github.com/glasstty/glasstty/session/text"
)

// TestRecoveredIsLive checks that a live session and the session that the next server makes of its
// log differ only in the times at which things were seen.
func TestRecoveredIsLive(t *testing.T) {
	t.Parallel()
	need.Program(t, "bash")
	withSavedStates(t, testRecoveredIsLive)
}

func testRecoveredIsLive(t *testing.T, h *house) {
	s, _ := launch(t, h.m, "bash", "--norc")
	r := restarter{t, h, s}
	r.typed(Input{Text: "echo one", Enter: true})
	r.typed(Input{Text: "for x in 1 2", Enter: true}) // the shell shows its prompt for a further line
	r.typed(Input{Text: "do echo $x\ndone\n"})
	r.typed(Input{Text: "echo halff"})
	r.typed(press(t, "backspace"))
	if last := r.s.state.Last; !last.Submitted || last.Before != "$ echo halff" {
		t.Errorf("the last input is %+v, want the backspace", last)
	}
	r.typed(press(t, "enter"))
	r.typed(Input{Text: "cat", Enter: true})
	r.typed(Input{Text: "not a prompt> ", Enter: true})
	r.typed(press(t, "ctrl+d"))
	r.typed(Input{Text: strings.Repeat("# a comment of many pieces\n", 400)})
	r.typed(Input{Text: "read -s x", Enter: true})
	r.typed(Input{Text: "hunter2", Enter: true})
	s, err := h.m.Start(t.Context(), StartOptions{Command: "bash", Args: []string{"--norc"}, Pipe: true})
	if err != nil {
		t.Fatal(err)
	}
	r = restarter{t, h, s}
	r.typed(Input{})
	r.typed(Input{Text: "echo one", Enter: true})
	if len(r.s.state.Echoes.Spans) == 0 {
		t.Error("the prompt is taken for a part of the answer")
	}
	r.typed(Input{Text: "cat", Enter: true})
}

// A restarter restarts the server after each input.
type restarter struct {
	t *testing.T
	h *house
	s *Session
}

// typed types input, and compares the session with that of the next server.
func (r *restarter) typed(in Input) {
	r.t.Helper()
	exchange(r.t, r.s, in, Wait{Timeout: patience})
	before := recoverable(r.t, r.s)
	r.s = r.h.restart(r.s.ID())
	if diff := gocmp.Diff(before, recoverable(r.t, r.s)); diff != "" {
		r.t.Errorf("after %+v: live (-) and recovered (+) differ:\n%s", in, diff)
	}
}

// recoverable returns what a log keeps of a session, without the times.
func recoverable(t *testing.T, s *Session) map[string]any {
	t.Helper()
	s.mu.Lock()
	s.state.Echoes.Resolve(s.state.Term, &s.state.Prompts) // reading does this, and it does not matter when
	slices.SortFunc(s.state.Echoes.Spans, func(a, b text.Span) int { return cmp.Or(int(a.Line-b.Line), a.From-b.From, cmp.Compare(a.To, b.To)) })
	s.state.Echoes.Spans = slices.Compact(s.state.Echoes.Spans)
	s.mu.Unlock()
	c := frozen(t, s)
	var k map[string]any
	if err := json.Unmarshal(c[state.PartJSON], &k); err != nil {
		t.Fatal(err)
	}
	delete(k, "pace")
	withoutTimes(k)
	k["terminal"], k["raw"] = string(c[state.PartTerminal]), string(c[state.PartRaw])
	return k
}

// withoutTimes removes times and durations from decoded JSON.
func withoutTimes(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, e := range v {
			if text, ok := e.(string); ok {
				if _, err := time.Parse(time.RFC3339Nano, text); err == nil {
					delete(v, key)
				}
			}
			if key == "Duration" {
				delete(v, key)
			}
			withoutTimes(e)
		}
	case []any:
		for _, e := range v {
			withoutTimes(e)
		}
	}
}
