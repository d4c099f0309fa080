package session

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/mask"
)

// A new way out of a session is hidden by construction: what the terminal shows is
// read in hide.go, and bare only by what decides and shows nothing.
func TestBareReaders(t *testing.T) {
	bare := map[string]string{
		"hide.go": "hides it", "recording.go": "replays log, which hides, and saves states beside the log", "checkpoint.go": "saves states beside the log",
		"echo.go": "finds echoes", "echo_wrapped.go": "finds echoes", "evidence.go": "decides", "line.go": "finds what Enter submits",
		"marks.go": "finds commands, which are hidden as they leave", "session.go": "Info, which is hidden as a whole",
		"reply.go": "the title, hidden with the reply", "output.go": "numbers lines", "lost.go": "rebuilds", "takeover.go": "rebuilds",
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || bare[name] != "" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok || !slices.Contains([]string{"Snapshot", "Lines", "Title", "TakeEvents", "State"}, call.Sel.Name) {
				return true
			}
			if of, ok := call.X.(*ast.SelectorExpr); ok && of.Sel.Name == "term" {
				t.Errorf("%s reads %s of the terminal as it is; linesLocked and shotLocked hide secrets", name, call.Sel.Name)
			}
			return true
		})
	}
}

func TestSecretTyped(t *testing.T) {
	for _, tt := range []struct {
		typed  []string
		shown  string
		hidden bool
	}{
		{[]string{"horse", "staple\r"}, "horsestaple", true},
		{[]string{"horsez\x7fs", "\n"}, "horses", true},
		{[]string{"wrong\x15horse\r"}, "wronghorse", false},
		{[]string{"horseé\x7f\r"}, "horse", true},
		{[]string{"horse"}, "horse", false},
		{[]string{"abc\r"}, "abc", false},
		{[]string{strings.Repeat("x", 5000) + "\r"}, "xxxxx", false},
	} {
		m := mask.New()
		var s secretTyped
		for _, part := range tt.typed {
			s.take(m, []byte(part))
		}
		got := m.Text("a " + tt.shown + " b")
		if want := "a " + strings.Repeat("*", len(tt.shown)) + " b"; (got == want) != tt.hidden {
			t.Errorf("%q typed: %q is shown as %q", tt.typed, tt.shown, got)
		}
		if cap(s.text) > 2*maxSecretTyped {
			t.Errorf("%q typed: %d bytes are kept", tt.typed, cap(s.text))
		}
	}
}

// What is off costs nothing: the terminal's own lines and screen are given.
func TestNothingHidden(t *testing.T) {
	s := &Session{m: &Manager{}, term: emulator.New(emulator.Options{})}
	_, _ = s.term.Write([]byte("one\r\ntwo"))
	s.term.Snapshot(0)
	all := s.linesLocked(0, 2)
	if &all.lines[0] != &all.shown[0] || all.begun != -1 {
		t.Error("the lines are copied")
	}
	if &s.shotLocked(0).Screen[0].Cells[0] != &s.term.Snapshot(0).Screen[0].Cells[0] {
		t.Error("the cells are copied")
	}
}
