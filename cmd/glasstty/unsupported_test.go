package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestWindows checks that a build for Windows fails with one sentence that says what to
// do.
func TestWindows(t *testing.T) {
	build := exec.Command("go", "build", "-o", filepath.Join(t.TempDir(), "glasstty.exe"), ".")
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64")
	out, err := build.CombinedOutput()
	if err == nil || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), "on Windows, build and run it inside WSL") {
		t.Errorf("%v:\n%s", err, out)
	}
}
