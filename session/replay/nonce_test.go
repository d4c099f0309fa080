package replay

import (
	"bytes"
	"strings"
	"testing"
)

// TestScrubber cuts what it is given anywhere.
func TestScrubber(t *testing.T) {
	const nonce = "0badc0de12345678"
	text := "a;nonce=" + nonce + ";" + nonce + nonce[:9] + "x" + nonce[:15]
	want := strings.ReplaceAll(text, nonce, "0000000000000000")
	for size := range len(text) + 1 {
		var b bytes.Buffer
		s := &scrubber{w: &b, nonce: nonce}
		for rest := []byte(text); len(rest) > 0; {
			n := min(size+1, len(rest))
			if got, err := s.Write(rest[:n]); got != n || err != nil {
				t.Fatal(got, err)
			}
			rest = rest[n:]
		}
		if err := s.flush(); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("by %d: %q, want %q", size+1, b.String(), want)
		}
	}
}
