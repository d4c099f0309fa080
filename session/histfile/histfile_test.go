package histfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"

	"github.com/glasstty/glasstty/internal/environ"
)

// TestMain gives the programs that the tests start a home directory of their own.
func TestMain(m *testing.M) { os.Exit(need.Home(m).Run()) }

// TestEnv checks that the variables name files below the directory, and that variables given by the
// caller stay.
func TestEnv(t *testing.T) {
	given := map[string]string{"SQLITE_HISTORY": "/mine", "IRBRC": "/my/irbrc"}
	dir := t.TempDir()
	s := New(dir, given)
	before := []string{"A=1", "HISTFILE=/old", "IRBRC=/my/irbrc", "LESSHISTFILE=/old", "PYTHONSTARTUP=/user's \\ start.py", "SQLITE_HISTORY=/mine"}
	env := s.WithShell(s.Env(before))
	value := func(name string) string {
		v, _ := environ.Get(env, name)
		return v
	}
	for name, want := range map[string]string{
		"A": "1", "SQLITE_HISTORY": "/mine", "IRBRC": "/my/irbrc", "fish_history": "",
		"HISTFILE": s.File(), "LESSHISTFILE": filepath.Join(dir, "lesshistfile"), "NODE_REPL_HISTORY": filepath.Join(dir, "node_repl_history"),
	} {
		if n := len(slices.DeleteFunc(slices.Clone(env), func(e string) bool { return !strings.HasPrefix(e, name+"=") })); n != 1 || value(name) != want {
			t.Errorf("%s is %q, %d times; want %q", name, value(name), n, want)
		}
	}
	script, err := os.ReadFile(value("PYTHONSTARTUP"))
	if err != nil || !strings.Contains(string(script), `'/user\'s \\ start.py'`) {
		t.Errorf("the startup file: %v\n%s", err, script)
	}
}

// TestGivenShell checks that a shell's history stays where the caller wants it.
func TestGivenShell(t *testing.T) {
	s := New(t.TempDir(), map[string]string{"HISTFILE": ""})
	if env := s.WithShell([]string{"HISTFILE="}); s.File() != "" || !slices.Equal(env, []string{"HISTFILE="}) {
		t.Errorf("file %q, %q", s.File(), env)
	}
}
