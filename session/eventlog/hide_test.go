package eventlog

import (
	"strings"
	"testing"

	"github.com/glasstty/glasstty/session/mask"
)

// TestHide checks that a log that hides secrets keeps its offsets and has no part of a secret,
// wherever it is cut.
func TestHide(t *testing.T) {
	const secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	const text = "$ echo " + secret + " done\r\n"
	m := mask.New()
	for cut := range len(text) {
		var h secretHider
		var got string
		for _, part := range []string{text[:cut], text[cut:]} {
			e := Event{Kind: Output, Data: []byte(part)}
			h.hide(m, &e)
			if len(e.Data) != len(part) {
				t.Fatalf("cut at %d: %d bytes of %d", cut, len(e.Data), len(part))
			}
			got += string(e.Data)
		}
		for i := 4; i+10 <= len(secret); i++ {
			if strings.Contains(got, secret[i:i+10]) {
				t.Fatalf("cut at %d: %q", cut, got)
			}
		}
		if !strings.HasPrefix(got, "$ echo ") || !strings.HasSuffix(got, " done\r\n") {
			t.Fatalf("cut at %d: %q", cut, got)
		}
	}
	var h secretHider
	for range 100 {
		h.hide(m, &Event{Kind: Output, Data: []byte(strings.Repeat("x", 1000))})
	}
	if len(h.out) != hideContext {
		t.Errorf("%d bytes of context are kept", len(h.out))
	}
}
