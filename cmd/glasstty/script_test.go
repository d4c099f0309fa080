package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/glasstty/glasstty/internal/need"
)

// TestScripts runs the commands of testdata/script as a shell user would. A script skips
// with "[!exec:NAME] skip". If nothing may be skipped, this function checks that the
// programs are installed.
func TestScripts(t *testing.T) {
	if os.Getenv(need.RequireVar) == "1" {
		for _, name := range []string{"top", "vim", "seq", "ls", "bash", "zsh", "fish"} {
			need.Program(t, name)
		}
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
			env.Setenv("LC_ALL", "C.UTF-8")
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, ".state"))
			mark := "script-" + filepath.Base(env.WorkDir) + fmt.Sprintf("-%d", os.Getpid())
			env.Setenv(markVar, mark)
			env.Defer(func() {
				for _, p := range leftovers(mark) {
					t.Errorf("%s left behind: %s", env.WorkDir, p)
				}
			})
			return nil
		},
	})
}

// TestSnapSignal checks that a signal ends snap while it waits, and its program too.
func TestSnapSignal(t *testing.T) {
	need.Program(t, "bash")
	need.Program(t, "setsid")
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			flag := filepath.Join(t.TempDir(), "started")
			cmd, _, _ := server(t, "snap", "--timeout", "600", "--wait-for", "never", "--",
				"bash", "-c", strays+"; touch "+flag+"; sleep 1000")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the program to start", func() bool { _, err := os.Stat(flag); return err == nil })
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if status := waitExit(t, cmd); status != 128+int(sig) {
				t.Errorf("status %d", status)
			}
		})
	}
}

// TestSnapIntoClosedPipe checks that snap prints no error if the reader of its output has
// gone.
func TestSnapIntoClosedPipe(t *testing.T) {
	need.Program(t, "bash")
	t.Parallel()
	cmd, _, stderr := server(t, "snap", "--", "bash", "-c", "seq 9999; trap '' HUP TERM; sleep 1000")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if status := waitExit(t, cmd); status != 128+int(syscall.SIGPIPE) || stderr.String() != "" {
		t.Errorf("status %d, standard error %q", status, stderr)
	}
}
