package need

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain runs the tests with the home directory that they check.
func TestMain(m *testing.M) { os.Exit(Home(m).Run()) }

// TestHome checks that bash writes its history to the tests' home directory, and not to
// the user's.
func TestHome(t *testing.T) {
	bash := Program(t, "bash")
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.UserHomeDir()
	if err != nil || dir == me.HomeDir {
		t.Fatalf("home directory %s, %v; want a temporary one", dir, err)
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

// TestSkipShims checks that Program finds the real interpreter if a version manager's
// script comes first in PATH.
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
		t.Errorf("python3 is %s, want the interpreter itself", got)
	}
}
