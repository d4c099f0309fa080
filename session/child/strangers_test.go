package child

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
)

// TestCloseSparesOthers checks that closing owners does not end the children that another owner in
// the same process starts meanwhile, and does not take them for processes that the closed owner has
// left behind.
func TestCloseSparesOthers(t *testing.T) {
	l := newLocal(t, Options{})
	sh := need.Program(t, "sh")
	for i := range need.Few(t, 40, 300) {
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

// TestAlikeTag checks that ending what an earlier owner with the same process ID has left does not
// end this owner's child with the same number.
func TestAlikeTag(t *testing.T) {
	l := newLocal(t, Options{})
	c := startShell(t, l, "s1", "echo up; read x")
	readUntil(t, c, "up\r\n")
	_, rest, _ := strings.Cut(c.Tag(), "-") // its number and process ID
	if err := EndTagged(t.Context(), fmt.Sprintf("s1.%016x-%s", 1, rest), syscall.SIGKILL, 0); err != nil {
		t.Error(err)
	}
	if !Alive(c.PID()) {
		t.Error("the child has ended")
	}
	if err := EndTagged(t.Context(), c.Tag(), syscall.SIGKILL, 0); err != nil || Alive(c.PID()) {
		t.Errorf("the child's own tag does not end it: %v", err)
	}
}

// TestUsedAgain checks the tree of a child whose process ID other programs use after its end, for a
// process or a session. Of the processes in such a session, only the orphans of this process belong
// to the child.
func TestUsedAgain(t *testing.T) {
	const id, orphan, other, below = 1 << 30, 1<<30 + 1, 1<<30 + 2, 1<<30 + 3
	r := &root{tag: newTag("s1"), pid: id, started: 5}
	rest := []process{
		{pid: orphan, parent: os.Getpid(), session: id, orphan: true, started: 6},
		{pid: other, parent: 1, session: id, started: 7},
		{pid: below, parent: orphan, session: id, started: 8},
	}
	for _, tt := range []struct {
		name  string
		first []process
		want  []int
	}{
		{"ended", nil, []int{orphan, below}},
		{"its zombie", []process{{pid: id, session: id, state: 'Z', started: 5}}, []int{id, orphan, other, below}},
		{"another process", []process{{pid: id, session: id, started: 9}}, nil},
	} {
		if got := pidsOf(trees(slices.Concat(tt.first, rest), []*root{r})[r]); !slices.Equal(got, tt.want) {
			t.Errorf("%s: the tree is %v, want %v", tt.name, got, tt.want)
		}
	}
	unknown := &root{tag: newTag("s1")} // as of EndTagged
	outside := []process{{pid: orphan, parent: os.Getpid(), orphan: true, started: 6}}
	if got := trees(outside, []*root{unknown})[unknown]; got != nil {
		t.Errorf("with a session leader outside the PID namespace, the tree is %v", got)
	}
}

// TestStartedBeside checks that a program that starts at the same moment as a child is not in the
// child's tree, although it gets the child's mark, as everything does that this process starts
// then.
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
	if tree := trees(processes(), []*root{&c.root})[&c.root]; slices.ContainsFunc(tree, func(p process) bool { return p.pid == pid }) {
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
