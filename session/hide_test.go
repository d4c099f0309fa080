package session

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/mask"
	"github.com/glasstty/glasstty/session/state"
)

// TestBareReaders checks that code outside package state reads a terminal through State.Lines and
// State.Snapshot, which hide secrets. Only the places in bare may read the terminal itself.
func TestBareReaders(t *testing.T) {
	t.Parallel()
	bare := map[string]string{
		"recording.go Title": "the recording hides it",
		"session.go Title":   "Info is hidden as a whole", "reply/view.go Title": "hides it",
	}
	reads := []string{"Snapshot", "Lines", "Title", "TakeEvents", "State", "Text", "RowText", "RowTexts"}
	found := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "state"+string(filepath.Separator)) {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok || !slices.Contains(reads, call.Sel.Name) {
				return true
			}
			if of, ok := call.X.(*ast.SelectorExpr); ok && of.Sel.Name == "Term" {
				found[filepath.ToSlash(name)+" "+call.Sel.Name] = true
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for at := range found {
		if bare[at] == "" {
			t.Errorf("%s reads the terminal without hiding secrets; use State.Lines or State.Snapshot", at)
		}
	}
	for at := range bare {
		if !found[at] {
			t.Errorf("%s is listed but does not exist", at)
		}
	}
}

// TestNothingHidden checks that hiding costs nothing when it is off: the terminal's own lines and
// cells are returned.
func TestNothingHidden(t *testing.T) {
	s := &Session{m: &Manager{}, state: state.New(state.Options{Terminal: emulator.Options{}})}
	_, _ = s.state.Term.Write([]byte("one\r\ntwo"))
	s.state.Term.Snapshot(0)
	all := s.state.Lines(0, 2)
	if &all.Lines[0] != &all.Shown[0] {
		t.Error("the lines are copied")
	}
	if &s.state.Snapshot(0).Screen[0].Cells[0] != &s.state.Term.Snapshot(0).Screen[0].Cells[0] {
		t.Error("the cells are copied")
	}
}

// TestKeyAbove checks that a private key that begins above the rows shown is hidden.
func TestKeyAbove(t *testing.T) {
	s := &Session{m: &Manager{}, state: state.New(state.Options{Mask: mask.New()})}
	body := strings.Repeat("MIIEowIBAAKCAQEAx7Zr9Q3vT0pLw2m8", 2)
	_, _ = s.state.Term.Write([]byte("-----BEGIN " + "RSA PRIVATE KEY-----\r\n" + strings.Repeat(body+"\r\n", 60)))
	if text := s.state.Snapshot(0).Text(); strings.Contains(text, body[:12]) || !strings.Contains(text, "****") {
		t.Errorf("the screen shows %q", text)
	}
	for _, l := range s.state.Lines(40, 50).Shown {
		if l.Text != strings.Repeat("*", len(body)) {
			t.Errorf("line %d is %q", l.Number, l.Text)
		}
	}
	// So is a line that wraps many times and begins above the screen.
	_, _ = s.state.Term.Write([]byte("\x1b[2J\x1b[H" + "sk-" + strings.Repeat("aB3", 1000)))
	if text := s.state.Snapshot(0).Text(); strings.Contains(text, "aB3aB3") {
		t.Errorf("the screen shows %q", text)
	}
}
