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

// A private key that begins above what is shown is hidden.
func TestKeyAbove(t *testing.T) {
	s := &Session{m: &Manager{opt: Options{Mask: mask.New()}}, term: emulator.New(emulator.Options{})}
	body := strings.Repeat("MIIEowIBAAKCAQEAx7Zr9Q3vT0pLw2m8", 2)
	_, _ = s.term.Write([]byte("-----BEGIN " + "RSA PRIVATE KEY-----\r\n" + strings.Repeat(body+"\r\n", 60)))
	if text := s.shotLocked(0).Text(); strings.Contains(text, body[:12]) || !strings.Contains(text, "****") {
		t.Errorf("the screen shows %q", text)
	}
	for _, l := range s.linesLocked(40, 50).shown {
		if l.Text != strings.Repeat("*", len(body)) {
			t.Errorf("line %d is %q", l.Number, l.Text)
		}
	}
	// A line that wraps many times begins above, too.
	_, _ = s.term.Write([]byte("\x1b[2J\x1b[H" + "sk-" + strings.Repeat("aB3", 1000)))
	if text := s.shotLocked(0).Text(); strings.Contains(text, "aB3aB3") {
		t.Errorf("the screen shows %q", text)
	}
}
