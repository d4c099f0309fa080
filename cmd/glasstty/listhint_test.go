package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestListHint writes lists with commas: the error says how they are written, where a
// comma in an element was what was wrong.
func TestListHint(t *testing.T) {
	need.Program(t, "cat")
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	a := connect(t, "mcp", "--socket", path)
	id := a.start("cat").SessionID
	for _, tt := range []struct{ words, hint string }{
		{"send_keys session_id=" + id + " keys=down,enter", "for a list, repeat the key: keys=down keys=enter"},
		{"wait_for session_ids=c1,c2,c3", "for a list, repeat the key: session_ids=c1 session_ids=c2"},
		{"wait_for session_ids=c1", ""},
		{"send_keys session_id=" + id + " keys=, keys=nope", ""},
	} {
		out, err := exec.Command(binary, append(strings.Fields(tt.words), "--socket", path)...).CombinedOutput()
		if got := string(out); err == nil || strings.Contains(got, "repeat the key") != (tt.hint != "") || !strings.Contains(got, tt.hint) {
			t.Errorf("%s: %v, %s", tt.words, err, got)
		}
	}
}
