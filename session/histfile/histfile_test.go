package histfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestMain gives the programs that the tests start a home of their own.
func TestMain(m *testing.M) { os.Exit(need.Home(m).Run()) }

// TestEnv checks that the variables lead below the directory, that those which the caller
// has given stay, and that nothing is left behind.
func TestEnv(t *testing.T) {
	given := map[string]string{"SQLITE_HISTORY": "/mine", "IRBRC": "/my/irbrc"}
	s, err := New(given)
	if err != nil {
		t.Fatal(err)
	}
	before := []string{"A=1", "HISTFILE=/old", "IRBRC=/my/irbrc", "LESSHISTFILE=/old", "PYTHONSTARTUP=/user's \\ start.py", "SQLITE_HISTORY=/mine"}
	env := s.WithShell(s.Env(before))
	dir := s.Dirs()[0]
	for name, want := range map[string]string{
		"A": "1", "SQLITE_HISTORY": "/mine", "IRBRC": "/my/irbrc", "fish_history": "",
		"HISTFILE": s.File(), "LESSHISTFILE": filepath.Join(dir, "lesshistfile"), "NODE_REPL_HISTORY": filepath.Join(dir, "node_repl_history"),
	} {
		if n := len(slices.DeleteFunc(slices.Clone(env), func(e string) bool { return !strings.HasPrefix(e, name+"=") })); n != 1 || lookup(env, name) != want {
			t.Errorf("%s is %q, %d times; want %q", name, lookup(env, name), n, want)
		}
	}
	script, err := os.ReadFile(lookup(env, "PYTHONSTARTUP"))
	if err != nil || !strings.Contains(string(script), `'/user\'s \\ start.py'`) {
		t.Errorf("the startup file: %v\n%s", err, script)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory: %v, %v", info.Mode(), err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the directory is left: %v", err)
	}
}

// TestGivenShell leaves a shell's history where the caller has said.
func TestGivenShell(t *testing.T) {
	s, err := New(map[string]string{"HISTFILE": ""})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if env := s.WithShell([]string{"HISTFILE="}); s.File() != "" || !slices.Equal(env, []string{"HISTFILE="}) {
		t.Errorf("file %q, %q", s.File(), env)
	}
}

// TestNothing checks that a nil Setup changes nothing.
func TestNothing(t *testing.T) {
	var s *Setup
	env := []string{"A=1", "HISTFILE=/mine"}
	if got := s.WithShell(s.Env(env)); !slices.Equal(got, env) || s.File() != "" || s.Dirs() != nil || s.Close() != nil {
		t.Errorf("%q, file %q, directories %q", got, s.File(), s.Dirs())
	}
}
