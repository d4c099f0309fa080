package session

import (
	"strings"
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/need"
)

// TestKeysTheTerminalKeeps checks keys that no program reads: a shell that ignores the signal, or
// gets none, is as ready as before.
func TestKeysTheTerminalKeeps(t *testing.T) {
	need.Long(t)
	t.Parallel()
	linuxOnly(t)
	s, _ := launch(t, newManager(t), "bash", "--norc")
	say(t, s, "true")
	for _, key := range []string{"ctrl+z", `ctrl+\`, "ctrl+q", "ctrl+s"} {
		r := exchange(t, s, press(t, key), Wait{Timeout: patience, Explain: true})
		expect(t, r, detect.Prompt, "")
		if stopped := strings.Contains(r.Hint, "ctrl+q"); stopped != (key == "ctrl+s") {
			t.Errorf("after %s: hint %q", key, r.Hint)
		}
	}
	// Input typed while the output is stopped is answered when the output goes on.
	if _, err := s.Type(t.Context(), Input{Text: "echo hi", Enter: true}); err != nil {
		t.Fatal(err)
	}
	expect(t, exchange(t, s, press(t, "ctrl+q"), Wait{Timeout: patience, Explain: true}), detect.Prompt, "hi")
	expect(t, say(t, s, "cat"), detect.AwaitingInput, "")
	r := exchange(t, s, press(t, "ctrl+z"), Wait{Timeout: patience, Explain: true})
	if r.Reason != detect.Prompt || !strings.Contains(r.Output, "Stopped") {
		t.Errorf("reply %s %q, %+v", r.Reason, r.Output, r.Explain)
	}
}
