package attach

import (
	"slices"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
)

// TestKeyLen checks that keyLen splits terminal input into keys, wherever the input is cut
// into reads.
func TestKeyLen(t *testing.T) {
	for in, want := range map[string][]string{
		"q":                                     {"q"},
		"jk\r":                                  {"j", "k", "\r"},
		"\x1b[B\x1b[B":                          {"\x1b[B", "\x1b[B"},
		strings.Repeat("\x1b[B", 25):            slices.Repeat([]string{"\x1b[B"}, 25),
		"\x1bOA\x1b[1;5Bq":                      {"\x1bOA", "\x1b[1;5B", "q"},
		"\x1b":                                  nil,
		"\x1b[":                                 nil,
		"\x1bO":                                 nil,
		"\x1bq":                                 {"\x1b", "q"},
		"q\x1b[1;":                              {"q"},
		"\x1b[" + string(make([]byte, maxPart)): nil,
	} {
		for cut := range len(in) {
			var got []string
			var part []byte
			for _, piece := range []string{in[:cut], in[cut:]} {
				part = append(part, piece...)
				for len(part) > 0 {
					n := keyLen(part)
					if n == 0 {
						break
					}
					got = append(got, string(part[:n]))
					part = part[n:]
				}
			}
			if want != nil && !slices.Equal(got, want) || len(part) > maxPart {
				t.Errorf("%q cut at %d: %q, %d bytes left", in, cut, got, len(part))
			}
		}
	}
}

// TestHolderHeld checks that the status line says where a held command can be answered, and that this
// and the key that detaches fit into 80 columns.
func TestHolderHeld(t *testing.T) {
	a := &attachment{facts: &live.Facts{ID: "s12", Name: "build-and-test", Held: []live.Held{{}}}}
	a.opt.DetachKey.name, a.view.cols = "ctrl+]", 80
	if got := a.status(); !strings.Contains(got, "a command is held: see the live page · ctrl+] detaches") {
		t.Errorf("a held command shows %q", got)
	}
}
