package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	got, err := Parse([]byte("a = \"x\"\nb = 3\nc = 0.5\nd = false\ne = [\"p\", 1, true]\n"))
	want := File{"a": "x", "b": "3", "c": "0.5", "d": "false", "e": []any{"p", "1", "true"}}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	for text, want := range map[string]string{
		"a = ":           "line 1, column",
		"x = 1\nb = [":   "line 2, column",
		"[t]\na = 1":     "t: a setting is a string, a number, true, false or a list of these, not map[string]interface {}",
		"a = [[1]]":      "a, element 0: a setting is",
		"a = 2020-01-01": "a: a setting is",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	path := Path("prog")
	if path != filepath.Join(dir, "prog", "config.toml") {
		t.Error(path)
	}
	if _, err := Read(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	big := filepath.Join(dir, "big.toml")
	if err := os.WriteFile(big, make([]byte, maxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(big); !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), "at most 1048576") {
		t.Errorf("a big file: %v", err)
	}
	if _, err := Read(dir); !errors.Is(err, ErrFile) {
		t.Errorf("a directory: %v", err)
	}
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("HOME", dir)
	if got := Path("prog"); got != filepath.Join(dir, ".config", "prog", "config.toml") {
		t.Error(got)
	}
}
