package replay

import "testing"

// TestBlank checks that the nonce is blanked in marks, and that nothing else is changed, wherever
// the output is cut.
func TestBlank(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"nonce=abc", "nonce=abc"},
		{"a\x1b]133;A;nonce=0123456789abcdef\x1b\\$ ", "a\x1b]133;A;nonce=0000000000000000\x1b\\$ "},
		{"\x1b]133;C;nonce=ab;cmdline_url=ab\a;nonce=ab", "\x1b]133;C;nonce=00;cmdline_url=ab\a;nonce=ab"},
		{"\x1b]133;D;1;nonce=ab\a\x1b]133;A;k=s;nonce=cd\a", "\x1b]133;D;1;nonce=00\a\x1b]133;A;k=s;nonce=00\a"},
		{"\x1b]133;A;;nonce=ab\a", "\x1b]133;A;;nonce=00\a"},
		{"\x1b]13\x1b]133;B;nonce=ab\a", "\x1b]13\x1b]133;B;nonce=00\a"},
		{"\x1b]7;file://;nonce=ab\a", "\x1b]7;file://;nonce=ab\a"},
		{"\x1b]133;A;nonce=ab text", "\x1b]133;A;nonce=00 text"},
	} {
		for cut := range len(tt.in) + 1 {
			var b blanker
			got := string(b.blank([]byte(tt.in[:cut]))) + string(b.blank([]byte(tt.in[cut:])))
			if got != tt.want {
				t.Errorf("%q cut at %d: %q", tt.in, cut, got)
			}
		}
	}
}
