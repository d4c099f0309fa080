package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/need"
)

// smallDisk mounts a file system of the given size as the daemon's data directory.
func (d *daemonRig) smallDisk(size string) (mount string) {
	d.t.Helper()
	mount = filepath.Join(d.home, "data")
	if err := os.Mkdir(mount, 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", mount, "tmpfs", 0, "mode=700,size="+size); err != nil {
		d.t.Skipf("no tmpfs may be mounted here: %v", err)
	}
	d.t.Cleanup(func() {
		for _, pid := range d.servers() {
			_ = kill(pid, syscall.SIGTERM)
		}
		d.await("the data directory is free", func() bool { return unix.Unmount(mount, 0) == nil })
	})
	return mount
}

// servers returns the process IDs of the daemons. On a full disk the lock may lack the
// process ID, so it searches the processes.
func (d *daemonRig) servers() (pids []int) {
	for _, line := range leftovers(d.mark) {
		if pid, command, _ := strings.Cut(line, " "); strings.Contains(command, " serve ") {
			n, err := strconv.Atoi(pid)
			if err != nil {
				d.t.Fatal(err)
			}
			pids = append(pids, n)
		}
	}
	return pids
}

// killServer kills the daemon with SIGKILL.
func (d *daemonRig) killServer() {
	d.t.Helper()
	pids := d.servers()
	if len(pids) != 1 {
		d.t.Fatalf("daemons: %v", pids)
	}
	if err := kill(pids[0], syscall.SIGKILL); err != nil {
		d.t.Fatal(err)
	}
	d.await("the daemon is dead", func() bool { return syscall.Kill(pids[0], 0) != nil })
}

// TestDaemonOnAFullDisk fills the disk under the keeper's logs. It checks that all
// sessions go on, new ones can be started, every reply says what is missing, and the
// server can be killed meanwhile. When there is room again, logging resumes.
func TestDaemonOnAFullDisk(t *testing.T) {
	need.Long(t)
	need.Program(t, "bash")
	d := newDaemonRig(t)
	d.smallDisk("1m")
	a := d.client(d.home)
	shell := func(name string) string {
		return a.call("start_process", args{"command": "bash", "args": []string{"--norc"}, "name": name, "env": args{"PS1": "$ "}}).SessionID
	}
	loud, calm := shell("loud"), shell("calm")
	says := func(id, text string, words ...string) {
		t.Helper()
		r := a.line(id, "echo "+text)
		if r.Output != text || r.Reason != "prompt" {
			t.Errorf("%s: output %q, reason %s: %s", id, r.Output, r.Reason, r.Text)
		}
		for _, w := range words {
			if !strings.Contains(r.Text, w) {
				t.Errorf("%s: reply lacks %q: %s", id, w, r.Text)
			}
		}
	}
	const full = "no space left on device"
	r := a.call("send_and_read", args{"session_id": loud, "text": "seq 300000", "press_enter": true, "wait_for": "300000\n", "timeout": 60})
	if r.Reason != "matched" {
		t.Fatalf("%s: %s", r.Reason, r.Text)
	}
	says(loud, "on", "log stopped", full, "the session goes on")
	a.line(calm, "seq 20000") // more than a failed write leaves free
	says(calm, "hello", full)
	third := shell("third")
	a.line(third, "seq 20000") // more than a replaced file leaves free
	says(third, "new", "log", full)
	d.killServer()
	says(loud, "after", "the server was restarted", "could not be logged", full)
	says(calm, "after", "the server was restarted")
	says(third, "after", "the server was restarted")
	if r := a.call("list_sessions", args{}); strings.Count(r.Text, "running") != 3 {
		t.Errorf("sessions: %s", r.Text)
	}
	// Make room on the disk.
	a.call("terminate_process", args{"session_id": loud, "force": true, "delete": true})
	d.await("the log goes on", func() bool { return !strings.Contains(a.line(calm, "echo again").Text, "log") })
	says(calm, "logged")
	d.killServer()
	says(calm, "at last")
	if r := a.call("snapshot", args{"session_id": calm}); !strings.Contains(r.Screen, "\nlogged\n") {
		t.Errorf("the screen:\n%s", r.Screen)
	}
	if err := a.session.Close(); err != nil {
		t.Error(err)
	}
	// The full disk may have kept the last server from writing its process ID.
	for _, pid := range d.servers() {
		if err := kill(pid, syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		d.await("the daemon ends", func() bool { return syscall.Kill(pid, 0) != nil })
	}
}
