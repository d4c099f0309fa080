package kernel

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// deadline limits every wait of these tests. IPython takes a second of processor time to start,
// which may take half a minute on a busy machine.
const deadline = 2 * time.Minute

// A rig is a real program on a real terminal.
type rig struct {
	t      testing.TB
	master *os.File
	cmd    *exec.Cmd
	look   *Looker

	mu   sync.Mutex // guards what follows
	out  []byte
	news chan struct{} // receives a value when out has grown or the terminal has closed
}

// start runs a program on a terminal until the test ends.
func start(t testing.TB, name string, args ...string) *rig {
	t.Helper()
	return startCmd(t, exec.Command(name, args...))
}

// startCmd runs a command on a terminal until the test ends.
func startCmd(t testing.TB, cmd *exec.Cmd) *rig {
	t.Helper()
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	home := t.TempDir()
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "HOME="+home, "ENV=", "INPUTRC=/dev/null", "HISTFILE=", "PS1=$ ", "SHELL=/bin/sh")
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	f = nonblocking(t, f)
	r := &rig{t: t, master: f, cmd: cmd, news: make(chan struct{}, 1)}
	done := make(chan struct{})
	go r.read(done)
	t.Cleanup(func() {
		// Kill the group: processes that the program has forked may ignore the hangup. Once the
		// program is reaped, its number may belong to another group.
		if cmd.ProcessState == nil {
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}
		f.Close()
		<-done
		cmd.Wait()
	})
	if r.look, err = NewLooker(f, cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.look.Close)
	return r
}

// nonblocking returns a copy of f whose reads end at Close. Package pty has made f blocking: a read
// would last as long as anything that the program has left behind keeps the terminal open.
func nonblocking(t testing.TB, f *os.File) *os.File {
	t.Helper()
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), f.Name())
}

// read collects the program's output, and answers the queries that shells send to a terminal before
// they start.
func (r *rig) read(done chan<- struct{}) {
	defer close(done)
	buf := make([]byte, 4096)
	for {
		n, err := r.master.Read(buf)
		r.mu.Lock()
		r.out = append(r.out, buf[:n]...)
		r.mu.Unlock()
		select {
		case r.news <- struct{}{}:
		default:
		}
		if bytes.Contains(buf[:n], []byte("\x1b[c")) || bytes.Contains(buf[:n], []byte("\x1b[0c")) {
			r.master.WriteString("\x1b[?62c")
		}
		if bytes.Contains(buf[:n], []byte("\x1b[6n")) {
			r.master.WriteString("\x1b[1;1R")
		}
		if err != nil {
			return
		}
	}
}

// send types text.
func (r *rig) send(text string) {
	r.t.Helper()
	if _, err := r.master.WriteString(text); err != nil {
		r.t.Fatal(err)
	}
}

// output returns the program's output so far.
func (r *rig) output() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return string(r.out)
}

// shows waits until the program's output contains text n times.
func (r *rig) shows(text string, n int) {
	r.t.Helper()
	end := time.After(deadline)
	for strings.Count(r.output(), text) < n {
		select {
		case <-r.news:
		case <-end:
			r.t.Fatalf("%q was not shown %d times; output %q", text, n, r.output())
		}
	}
}

// until looks until ok accepts the View, and returns that View.
func (r *rig) until(what string, ok func(View) bool) View {
	r.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	end := time.After(deadline)
	for {
		v := r.look.Look()
		if ok(v) {
			return v
		}
		select {
		case <-tick.C:
		case <-end:
			r.t.Fatalf("never %s: last view %+v; output %q", what, v, r.output())
		}
	}
}

// waiting looks until the program waits for input and two looks are Quiet.
func (r *rig) waiting() View {
	r.t.Helper()
	last := View{}
	return r.until("waiting", func(v View) bool {
		ok := v.Waiting && Unchanged(last, v)
		last = v
		return ok
	})
}
