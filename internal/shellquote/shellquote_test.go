package shellquote

import (
	"bytes"
	"os/exec"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

func TestLine(t *testing.T) {
	t.Parallel()
	if got, want := Line("/bin/a-b.c", "", "it's", "é"), `/bin/a-b.c '' 'it'\''s' 'é'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestShell checks that a shell reads each word as it was.
func TestShell(t *testing.T) {
	t.Parallel()
	words := []string{"", "plain", "a b", "'", `\`, "$HOME", "`id`", "~", "a=b", "*", "é\n\t", "#x", "!!", "\xff",
		"/run/user/1000/glasstty/socket", `$HOME "x" \`, "~/x", "日本"}
	got, err := exec.Command(need.Program(t, "sh"), "-c", "printf '%s\\0' "+Line(words...)).Output()
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	for _, w := range words {
		want.WriteString(w + "\x00")
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("got %q, want %q", got, want.Bytes())
	}
}
