package kernel

import (
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
)

// TestPipeLooker checks looks at a program on pipes that waits for input, and then, after input,
// sleeps.
func TestPipeLooker(t *testing.T) {
	l, in := onPipes(t, need.Program(t, "sh"), "-c", "read x; sleep 60")
	before := lookUntil(t, l, func(v View) bool { return v.Final() })
	if before.How != HowRead || before.Modes.Known || before.Foreground.Comm != "sh" {
		t.Errorf("waiting: %+v", before)
	}
	if _, err := io.WriteString(in, "word\n"); err != nil {
		t.Fatal(err)
	}
	after := lookUntil(t, l, func(v View) bool { return v.Known && v.Asleep && !v.Waiting })
	if !after.Scheduled(before) || answers(after, before) {
		t.Errorf("sleeping: %+v", after)
	}
	if _, err := NewPipeLooker(os.Getpid()); err == nil {
		// If the tests themselves run on pipes, this cannot be checked.
		if name, err := os.Readlink("/proc/self/fd/0"); err != nil || name[:5] != "pipe:" {
			t.Error("no error for a process that is not on pipes")
		}
	}
}

// TestPipeLookerSockets checks looks at programs on pipes that also wait for a socket of their own,
// as Erlang and Python's asyncio do.
func TestPipeLookerSockets(t *testing.T) {
	for name, wait := range map[string]string{
		"select": "select.select([0, a], [], [])",
		"epoll":  "e = select.epoll(); e.register(0, 1); e.register(a, 1); e.poll()",
	} {
		t.Run(name, func(t *testing.T) {
			l, _ := onPipes(t, need.Program(t, "python3"), "-c", "import select, socket; a, b = socket.socketpair(); "+wait)
			if v := lookUntil(t, l, func(v View) bool { return v.Waiting }); v.Foreground.Comm != "python3" {
				t.Errorf("waiting: %+v", v)
			}
		})
	}
}

// onPipes starts a program on pipes, and returns a Looker for it and its input.
func onPipes(t *testing.T, program string, args ...string) (*Looker, io.Writer) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait() // killed
	})
	l, err := NewPipeLooker(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l, in
}

// lookUntil takes looks until ok accepts one, and returns that one.
func lookUntil(t *testing.T, l *Looker, ok func(View) bool) View {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	deadline := time.Now().Add(20 * time.Second)
	for {
		v := l.Look()
		if ok(v) {
			return v
		}
		if time.Now().After(deadline) {
			t.Fatalf("never seen; the last look was %+v", v)
		}
		<-tick.C
	}
}
