package text

import "testing"

func TestReadable(t *testing.T) {
	for in, want := range map[string]string{
		"ls -l\r":           "ls -l\n",
		"\x03":              "^C",
		"\x1b[A\x7f\t":      "^[[A^?\t",
		"日本\r\n":            "日本\n\n",
		"bad \xff":          "bad \uFFFD",
		"\x1b[200~x\x1b[2~": "^[[200~x^[[2~",
	} {
		if got := Readable(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
