package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session"
)

// examine runs all checks and returns their findings, by name.
func examine(t *testing.T, socket string) map[string]Finding {
	t.Helper()
	mgr := session.NewManager(session.Options{})
	found := map[string]Finding{}
	Examine(t.Context(), mgr, socket, func(f Finding) { found[f.Name] = f })
	if err := mgr.Close(); err != nil {
		t.Error(err)
	}
	if len(found) != len(checks()) {
		t.Errorf("%d findings of %d checks", len(found), len(checks()))
	}
	for _, f := range found {
		if f.Text == "" || f.Grade == Broken && f.Remedy == "" {
			t.Errorf("finding %+v lacks Text or Remedy", f)
		}
	}
	return found
}

func TestHealthy(t *testing.T) {
	need.Program(t, "bash")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("LC_ALL", "C.UTF-8")
	found := examine(t, filepath.Join(t.TempDir(), "s"))
	for _, name := range []string{"terminals", "bash", "locale", "socket", "cache", "temporary files"} {
		if f := found[name]; f.Grade != OK {
			t.Errorf("%+v", f)
		}
	}
	for _, f := range found {
		if f.Grade == Broken {
			t.Errorf("%+v", f)
		}
	}
}

// TestIll checks the findings on a system without PATH, without usable directories and
// with a locale that is not UTF-8.
func TestIll(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	t.Setenv("TMPDIR", file)
	t.Setenv("XDG_CACHE_HOME", file)
	t.Setenv("LC_ALL", "de_DE.ISO-8859-1")
	found := examine(t, filepath.Join(file, "s"))
	for name, want := range map[string]Grade{
		"terminals": Broken, "waiting": Broken, "bash": Skipped, "locale": Warning,
		"temporary files": Warning, "cache": Warning, "socket": Warning,
	} {
		if f := found[name]; f.Grade != want {
			t.Errorf("%+v, want %s", f, want)
		}
	}
	if f := found["locale"]; !strings.Contains(f.Remedy, "C.UTF-8") {
		t.Errorf("%+v", f)
	}
}
