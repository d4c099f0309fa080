package mcpserver

import (
	"strings"
	"testing"

	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/mask"
)

// TestHiddenData checks that structured content hides a password with characters that JSON
// escapes.
func TestHiddenData(t *testing.T) {
	const password = `correct"horse\battery`
	m := mask.New()
	m.Learn(password)
	mgr := session.NewManager(session.Options{Mask: m})
	defer mgr.Close()
	s, err := New(mgr, Options{})
	if err != nil {
		t.Fatal(err)
	}
	data := s.hideData(map[string]any{"output": "it was " + password + "!", "lines": []string{password}})
	if got := string(mustJSON(data)); strings.Contains(got, "horse") || !strings.Contains(got, "it was") {
		t.Errorf("structured content: %s", got)
	}
}
