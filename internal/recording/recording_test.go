package recording

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
)

func TestReadRejects(t *testing.T) {
	head := `{"version":3,"term":{"cols":80,"rows":24}}` + "\n"
	for _, c := range []struct{ name, text, want string }{
		{"no header", "[]\n", "line 1"},
		{"version 2", `{"version":2}` + "\n", "line 1"},
		{"code", head + `[0,"i","x"]` + "\n", `line 2: event code "i"`},
		{"base64", head + `[0,"b","*"]` + "\n", "line 2"},
		{"resize", head + `[0,"r","wide"]` + "\n", "line 2"},
		{"json", head + `[0,"o"` + "\n", "line 2"},
		{"too long", head + strings.Repeat(" ", maxLine+1), "too long"},
	} {
		var buf bytes.Buffer
		z := gzip.NewWriter(&buf)
		z.Write([]byte(c.text))
		z.Close()
		if _, err := Read(&buf); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
}
