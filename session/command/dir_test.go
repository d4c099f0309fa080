package command

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

// TestDirIsGone checks the error for a start where the server's own directory was deleted.
func TestDirIsGone(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems may still know the path of a deleted directory")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := ResolveDir(""); err == nil || !strings.Contains(err.Error(), "is gone") || !strings.Contains(err.Error(), "give a cwd") {
		t.Errorf("%v", err)
	}
}
