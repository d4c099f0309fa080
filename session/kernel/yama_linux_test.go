package kernel

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAncestorsOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "scope")
	if ancestorsOnly(file, 1000) {
		t.Error("without Yama")
	}
	for _, tt := range []struct {
		text string
		euid int
		want bool
	}{
		{"0\n", 1000, false}, {"1\n", 1000, true}, {"1\n", 0, false}, {"2\n", 1000, true},
		{"2\n", 0, false}, {"3\n", 0, true}, {"", 1000, false}, {"x\n", 1000, false},
	} {
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := ancestorsOnly(file, tt.euid); got != tt.want {
			t.Errorf("scope %q, user %d: %v", tt.text, tt.euid, got)
		}
	}
}
