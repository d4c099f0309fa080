package session

import (
	"bytes"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/detect"
)

// TestNonceHidden checks that the secret of a shell's marks is in nothing that leaves the server,
// and that a program that prints the marks again does not end the wait.
func TestNonceHidden(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	r := exchange(t, s, Input{Text: "echo hi", Enter: true}, Wait{Timeout: patience, Raw: true})
	if !strings.Contains(r.Output, "133;C;nonce=0000000000000000") {
		t.Errorf("raw output %q", r.Output)
	}
	for cut := range int64(len(r.Output)) {
		s.mu.Lock()
		p := s.state.RawSince(s.state.Raw.Total - cut)
		s.mu.Unlock()
		if bytes.Contains(p, []byte(s.state.Nonce)) || int64(len(p)) != cut {
			t.Fatalf("the last %d bytes: %q", cut, p)
		}
	}
	var b strings.Builder
	if err := writeRecording(s, &b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "133;B;nonce=") || strings.Contains(b.String(), s.state.Nonce) {
		t.Errorf("the recording has no marks, or their secret: %.2000q", b.String())
	}
	again := strings.ReplaceAll(strings.ReplaceAll(r.Output, "\x1b", `\e`), "\a", `\a`)
	again = strings.NewReplacer("'", "", "%", "", "\r", "", "\n", "").Replace(again)
	r = say(t, s, "printf '"+again+"'; sleep 0.4; echo after")
	if r.Reason != detect.Prompt || !strings.HasSuffix(r.Output, "after") {
		t.Errorf("marks shown again: reason %s, output %q", r.Reason, r.Output)
	}
}
