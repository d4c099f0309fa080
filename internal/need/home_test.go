package need

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain gives the tests the home that they look at.
func TestMain(m *testing.M) { os.Exit(Home(m).Run()) }

// TestHome has bash write its history: it goes into the tests' home, and the user's own
// is as before.
func TestHome(t *testing.T) {
	bash := Program(t, "bash")
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.UserHomeDir()
	if err != nil || dir == me.HomeDir {
		t.Fatalf("the home is %s, %v", dir, err)
	}
	const line = "echo a line of TestHome"
	shell := exec.Command(bash, "--norc", "-i")
	shell.Stdin = strings.NewReader(line + "\nhistory -a\nexit\n")
	if out, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, of := range []struct {
		home string
		want bool
	}{{dir, true}, {me.HomeDir, false}} {
		data, err := os.ReadFile(filepath.Join(of.home, ".bash_history"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if got := strings.Contains(string(data), line); got != of.want {
			t.Errorf("%s/.bash_history has the line: %v, want %v", of.home, got, of.want)
		}
	}
}

// TestSkipShims puts the interpreter behind a version manager's script first in PATH.
func TestSkipShims(t *testing.T) {
	python := Program(t, "python3")
	shims := filepath.Join(t.TempDir(), "shims")
	if err := os.Mkdir(shims, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(shims, "python3"), []byte("#!/bin/sh\nexec "+python+" \"$@\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", shims+":"+os.Getenv("PATH"))
	if err := skipShims(); err != nil {
		t.Fatal(err)
	}
	if got := Program(t, "python3"); filepath.Dir(got) == shims {
		t.Errorf("python3 is %s", got)
	}
}
