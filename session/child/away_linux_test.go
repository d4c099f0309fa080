package child

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
)

// awayLimit is how long a program that gets away lives if it is not found.
const awayLimit = 60 * time.Second

// daemonize is a Python program that leaves its parent, its session, its directory, its files and
// its environment, and then executes its arguments.
const daemonize = `
import os, sys
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
os.chdir("/"); os.umask(0); os.closerange(0, 64)
os.execve(sys.argv[1], sys.argv[1:], {})
`

// subreaper is a Python program that adopts the orphans below it, starts one and exits.
const subreaper = `
import ctypes, os, sys, time
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
if os.fork():
  time.sleep(0.1); os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
os.execve(sys.argv[1], sys.argv[1:], {})
`

// away lists ways for a program to leave its session, as shell commands.
var away = map[string]string{
	"background":      "PROGRAM &",
	"no hangup":       "nohup PROGRAM >/dev/null 2>&1 &",
	"subshells":       "( ( PROGRAM & ) & )",
	"session":         "setsid PROGRAM &",
	"forked session":  "setsid -f PROGRAM",
	"environment":     "env -i PROGRAM &",
	"both":            "setsid -f env -i PROGRAM",
	"both, orphaned":  "( setsid env -i PROGRAM & )",
	"again and again": "setsid -f env -i setsid -f env -i setsid -f env -i PROGRAM",
	"deaf":            "setsid -f env -i sh -c 'trap \"\" HUP TERM INT QUIT; PROGRAM & wait'",
	"another name":    "setsid -f env -i bash -c 'exec -a [kworker] PROGRAM'",
	"detached":        "setsid -f env -i PROGRAM </dev/null >/dev/null 2>&1",
	"a daemon":        "python3 -c \"$DAEMONIZE\" PROGRAM",
	"a subreaper":     "python3 -c \"$SUBREAPER\" PROGRAM",
	"stopped":         "setsid -f env -i sh -c 'PROGRAM & kill -STOP $$'",
}

// farAway lists further ways, which only a control group closes.
var farAway = map[string]string{
	"its mark":           "setsid -f env -i bash -c 'ulimit -S -x 7; exec PROGRAM'",
	"a group below":      "setsid -f env -i bash -c 'ulimit -S -x 7; mkdir $0/below; echo 0 >$0/below/cgroup.procs; exec PROGRAM' $GROUPS_DIR/$(sed -n 's|^0::.*/||p' /proc/self/cgroup)",
	"its mark, a daemon": "bash -c 'ulimit -S -x 7; exec python3 -c \"$DAEMONIZE\" PROGRAM'",
}

// TestAway checks that programs that leave their session in any of these ways are counted, and are
// ended with the session, with and without control groups.
func TestAway(t *testing.T) {
	for _, name := range []string{"setsid", "bash", "python3", "nohup"} {
		need.Program(t, name)
	}
	none := func() Cgroups { return Cgroups{} }
	for way, command := range away {
		t.Run(way, func(t *testing.T) { getAway(t, none, command) })
	}
	if g := FindCgroups(); g.Dir == "" {
		t.Skipf("no control groups: %v", g.Err)
	}
	for _, ways := range []map[string]string{away, farAway} {
		for way, command := range ways {
			t.Run("group/"+way, func(t *testing.T) { getAway(t, FindCgroups, command) })
		}
	}
}

// getAway tests one way.
func getAway(t *testing.T, groups func() Cgroups, command string) {
	t.Parallel()
	l := newLocal(t, Options{})
	l.groups = groups
	c, pid := startAway(t, l, command)
	go drain(c)
	tree := trees(processes(), []*root{&c.root})[&c.root]
	if !slices.ContainsFunc(tree, func(p process) bool { return p.pid == pid }) {
		t.Errorf("process %d is not counted: %+v", pid, tree)
	}
	if err := c.End(t.Context(), syscall.SIGTERM, time.Second); err != nil {
		t.Error(err)
	}
	if Alive(pid) {
		t.Errorf("process %d is still running", pid)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	if c.Close(); c.group != nil {
		if _, err := os.Stat(c.group.path); err == nil {
			t.Errorf("%s still exists", c.group.path)
		}
	}
}

// TestAwaySparesOthers checks that closing an owner does not end a daemon without mark of another
// owner in the same process.
func TestAwaySparesOthers(t *testing.T) {
	if g := FindCgroups(); g.Dir == "" {
		t.Skipf("no control groups: %v", g.Err)
	}
	c, pid := startAway(t, newLocal(t, Options{}), farAway["its mark"])
	if err := NewLocal(Options{}).Close(); err != nil {
		t.Error(err)
	}
	if !Alive(pid) {
		t.Errorf("process %d was ended", pid)
	}
	if err := c.End(t.Context(), syscall.SIGTERM, time.Second); err != nil {
		t.Error(err)
	}
}

// relay is a Python program that becomes another process at every moment, for ten seconds. At its
// start it writes a number to the file that its argument names.
const relay = `
import os, sys, time
end = time.monotonic() + 10
with open(sys.argv[1], "w") as f: f.write("1\\n")
while time.monotonic() < end:
  if os.fork(): os._exit(0)
  os.setsid()
`

// TestRelay checks that a session ends even if its program has always become another process by the
// time it is found.
func TestRelay(t *testing.T) {
	need.Program(t, "python3")
	if g := FindCgroups(); g.Dir == "" {
		t.Skipf("no control groups: %v", g.Err)
	}
	c, _ := startAway(t, newLocal(t, Options{}), "env -i $(which python3) -c \"$RELAY\" TOLD >/dev/null 2>&1 &")
	if err := c.End(t.Context(), syscall.SIGTERM, time.Second); err != nil {
		t.Error(err)
	}
	c.Close()
	if _, err := os.Stat(c.group.path); err == nil {
		t.Errorf("%s still exists", c.group.path)
	}
}

// startAway starts a shell that runs a command with a program in it. It returns the child and the
// process ID that the program has reported.
func startAway(t *testing.T, l *Local, command string) (*localChild, int) {
	t.Helper()
	dir := t.TempDir()
	program, told := filepath.Join(dir, "program"), filepath.Join(dir, "pid")
	script := fmt.Sprintf("#!/bin/sh\necho $$ >%[1]s.new\n/bin/mv %[1]s.new %[1]s\nexec /bin/sleep %.0[2]f\n", told, awayLimit.Seconds())
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	command = strings.NewReplacer("PROGRAM", program, "TOLD", told).Replace(command)
	o, err := l.Start(Spec{
		ID: "s1", Path: need.Program(t, "sh"), Args: []string{"sh", "-c", command + "\nuntil test -s " + told + "; do sleep 0.01; done; stty -echo; echo up; read x"},
		Env: []string{"PATH=" + os.Getenv("PATH"), "DAEMONIZE=" + daemonize, "SUBREAPER=" + subreaper, "RELAY=" + relay, "GROUPS_DIR=" + l.groups().Dir}, Size: Size{24, 80},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	readUntil(t, o, "up\r\n")
	text, err := os.ReadFile(told)
	if err != nil {
		t.Fatal(err)
	}
	return o.(*localChild), firstNumber(t, string(text))
}
