package session

import (
	"strings"
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/need"
)

// TestHalfTypedLine checks that a line without Enter, and the prompt after the line is deleted
// again, are seen waiting in programs whose line editors wait for more than the terminal.
func TestHalfTypedLine(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	for _, argv := range [][]string{{"fish", "-N"}, {"ipython"}, {"node"}, {"zsh", "-f"}} {
		t.Run(argv[0], func(t *testing.T) {
			t.Parallel()
			s, _ := launch(t, newManager(t), need.Program(t, argv[0]), argv[1:]...)
			exchange(t, s, Input{Text: "1", Enter: true}, Wait{Timeout: patience})
			for _, tt := range []struct {
				keys, end string
				want      detect.Reason
			}{
				{"text:abc", "abc", detect.AwaitingInput},
				{"ctrl+u", "", detect.Prompt},
				{"text:x backspace", "", detect.Prompt},
				{"text:ab left", "a", detect.AwaitingInput},
			} {
				in := Input{Keys: keysOf(t, strings.Fields(tt.keys)...)}
				for _, in := range []Input{in, {}} { // the second call types nothing
					r := exchange(t, s, in, Wait{Timeout: patience, Explain: true})
					if prompt := r.Prompt; r.Reason != tt.want || !r.PromptRepeated && !strings.HasSuffix(strings.TrimRight(prompt, " "), tt.end) {
						t.Errorf("%s: reason %s, prompt %q, hint %q, %+v", tt.keys, r.Reason, prompt, r.Hint, r.Explain)
					}
				}
			}
		})
	}
}
