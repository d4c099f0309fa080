package child

import (
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
)

// TestCloseSparesOthers closes owners while another one in the same process starts
// children. A child that executes its program or ends has no environment that says
// whose it is, and must not be taken for what a closed owner has left behind.
func TestCloseSparesOthers(t *testing.T) {
	l := newLocal(t, Options{})
	sh := need.Program(t, "sh")
	for i := range 300 {
		closed := make(chan error)
		go func() { closed <- NewLocal(Options{}).Close() }()
		c, err := l.Start(Spec{ID: "s1", Path: sh, Args: []string{"sh", "-c", "exec sh -c 'exit 7'"}, Env: []string{"PATH=/usr/bin:/bin"}, Size: Size{24, 80}})
		if err != nil {
			t.Fatal(err)
		}
		if err := <-closed; err != nil {
			t.Error(err)
		}
		for err == nil {
			_, err = c.Read()
		}
		if exit := c.Wait(); exit.Code != 7 {
			t.Errorf("child %d: exit %+v", i, exit)
		}
		c.Close()
	}
}

// TestStartedBeside starts a program at the same moment as a child, whose mark it gets,
// as everything that this process starts then: it is none of the child's tree.
func TestStartedBeside(t *testing.T) {
	l := newLocal(t, Options{})
	c := startShell(t, l, "s1", "echo up; read x").(*localChild)
	readUntil(t, c, "up\r\n")
	beside := exec.Command(need.Program(t, "sleep"), "1000")
	if err := startMarked(markOf(c.tag), beside.Start); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- beside.Wait() }()
	pid := beside.Process.Pid
	if tree := l.trees([]*localChild{c})[c]; slices.ContainsFunc(tree, func(p process) bool { return p.pid == pid }) {
		t.Errorf("process %d is counted: %+v", pid, tree)
	}
	if err := c.End(t.Context(), syscall.SIGHUP, time.Second); err != nil {
		t.Error(err)
	}
	_ = beside.Process.Kill()
	if err := <-ended; err == nil || err.Error() != "signal: killed" {
		t.Errorf("the end of the child ended another program: %v", err)
	}
}
