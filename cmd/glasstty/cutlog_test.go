package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestDaemonWithACutLog truncates a session's log at several places while no server runs.
// It checks that the next server reports the restart, and that later output is complete.
func TestDaemonWithACutLog(t *testing.T) {
	need.Long(t)
	for _, program := range [][]string{{"bash", "--norc"}, {"python3", "-q"}} {
		t.Run(program[0], func(t *testing.T) {
			need.Program(t, program[0])
			t.Parallel()
			cutLog(t, program)
		})
	}
}

func cutLog(t *testing.T, program []string) {
	d := newDaemonRig(t)
	a := d.client(d.home)
	print := func(text string) string {
		if program[0] == "bash" {
			return "echo " + text
		}
		return fmt.Sprintf("print(%q)", text)
	}
	id := a.call("start_process", args{"command": program[0], "args": program[1:], "env": args{"PS1": "$ "}}).SessionID
	for n := range 30 {
		a.line(id, print(fmt.Sprint("line ", n)))
	}
	log := filepath.Join(d.home, "data", "sessions", id, "000000000000.cast")
	for round, share := range []int64{50, 0, 97, 10} {
		pid := d.server()
		if err := kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		d.await("the daemon is dead", func() bool { return syscall.Kill(pid, 0) != nil })
		info, err := os.Stat(log)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(log, info.Size()*share/100); err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			text := fmt.Sprintf("alive %d %d", round, n)
			r := a.line(id, print(text))
			if r.Output != text || r.Reason != "prompt" {
				t.Errorf("%d%% left, line %d: output %q, %s: %s", share, n, r.Output, r.Reason, r.Text)
			}
			if restarted := strings.Contains(r.Text, "the server was restarted"); restarted != (n == 0) || strings.Contains(r.Text, "no output was lost") {
				t.Errorf("%d%% left, line %d: %s", share, n, r.Text)
			}
		}
	}
	if err := a.session.Close(); err != nil {
		t.Error(err)
	}
}
