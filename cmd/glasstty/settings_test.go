package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadSettings(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(configVar, "")
	t.Setenv("XDG_CONFIG_HOME", dir)
	path, _ := settingsFile()
	if path != filepath.Join(dir, "glasstty", "config.toml") {
		t.Error(path)
	}
	if _, err := readSettings(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	file := filepath.Join(dir, "good.toml")
	for text, want := range map[string]string{"a = ": "good.toml: line 1, column", "x = 1\nb = [": "line 2, column", "a = \"x\"\nb = [1, true]": ""} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readSettings(file)
		if want == "" && !cmp.Equal(got, map[string]any{"a": "x", "b": []any{int64(1), true}}) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
	}
	if _, err := readSettings(dir); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory: %v", err)
	}
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("HOME", dir)
	if got, named := settingsFile(); named || got != filepath.Join(dir, ".config", "glasstty", "config.toml") {
		t.Error(got)
	}
}
