package main

import (
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
)

// keeperPID returns the process ID of the daemon's keeper.
func (d *daemonRig) keeperPID() int {
	d.t.Helper()
	for _, line := range leftovers(d.mark) {
		if pid, command, _ := strings.Cut(line, " "); strings.Contains(command, " keeper ") {
			n, err := strconv.Atoi(pid)
			if err != nil {
				d.t.Fatal(err)
			}
			return n
		}
	}
	d.t.Fatal("no keeper found")
	return 0
}

// TestSilentKeeper stops the keeper, as a disk that does not respond would. It checks that
// calls that only look are answered as usual, and that calls that need the keeper fail in
// time. When the keeper continues, everything works again, and a program whose start was
// given up is ended.
func TestSilentKeeper(t *testing.T) {
	need.Long(t)
	need.Program(t, "cat")
	t.Parallel()
	d := newDaemonRig(t)
	a, b := d.client(d.home), d.client(d.home)
	id := a.call("start_process", args{"command": "cat"}).SessionID
	keeper := d.keeperPID()
	if err := kill(keeper, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer kill(keeper, syscall.SIGCONT)
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.fails("start_process", args{"command": "cat", "args": []string{"-u"}}, "keeper", strconv.Itoa(keeper), "stopped")
	}()
	for waiting := true; waiting; {
		select {
		case <-done:
			waiting = false
		default:
		}
		from := time.Now()
		for tool, in := range map[string]args{"list_sessions": {}, "snapshot": {"session_id": id}, "get_session_info": {"session_id": id}} {
			if r, err := b.try(tool, in); err != nil || !strings.Contains(r.Text, id) {
				t.Errorf("%s: %v, %s", tool, err, r.Text)
			}
		}
		if took := time.Since(from); took > 5*time.Second {
			t.Errorf("three calls took %v, want at most 5s", took)
		}
	}
	if err := kill(keeper, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if r := a.line(id, "hello"); !strings.Contains(r.Output, "hello") {
		t.Errorf("afterwards: %s", r.Text)
	}
	d.await("the program whose start was given up is ended", func() bool {
		return !strings.Contains(strings.Join(leftovers(d.mark), "\n"), "cat -u")
	})
	if next := a.call("start_process", args{"command": "cat"}).SessionID; next == id {
		t.Errorf("the next session has the same ID, %s", next)
	}
	for _, c := range []*agent{a, b} {
		if err := c.session.Close(); err != nil {
			t.Error(err)
		}
	}
}
