package kernel

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
)

// python starts a Python program.
func python(t *testing.T, code string) *rig {
	t.Helper()
	r := start(t, need.Program(t, "python3"), "-S", "-c", "import os, sys, select, socket, threading, time\n"+code)
	r.shows("ready", 1)
	return r
}

// TestThreads checks the views of programs that wait for the terminal and for other things, in one
// thread or several.
func TestThreads(t *testing.T) {
	need.Long(t)
	tests := []struct {
		name   string
		code   string
		how    How
		sole   bool
		timed  bool
		others Others
	}{
		{"select with a pipe", "r, w = os.pipe()\nif os.fork() == 0: time.sleep(100)\nos.close(w); print('ready'); select.select([0, r], [], [])", HowPoll, false, false, OthersTimed},
		{"select with a pipe of its own", "r, w = os.pipe(); print('ready'); select.select([0, r], [], [])", HowPoll, false, false, OthersIdle},
		{"and far apart", "r, w = os.pipe(); w2 = os.dup2(w, 50); os.close(w); print('ready'); select.select([0, r], [], [])", HowPoll, false, false, OthersIdle},
		{"and a copy of its reading end", "r, w = os.pipe()\nif os.fork() == 0: time.sleep(100)\nos.dup2(r, w); print('ready'); select.select([0, r], [], [])", HowPoll, false, false, OthersTimed},
		{"select with a timeout", "print('ready'); select.select([0], [], [], 100)", HowPoll, true, true, OthersIdle},
		{"poll", "p = select.poll(); p.register(0, select.POLLIN); print('ready'); p.poll()", HowPoll, true, false, OthersIdle},
		{"poll with a socket", "a, b = socket.socketpair(); p = select.poll(); p.register(0, select.POLLIN); p.register(a, select.POLLIN); print('ready'); p.poll()", HowPoll, false, false, OthersIdle},
		{"epoll with a socket", "a, b = socket.socketpair(); p = select.epoll(); p.register(0, select.EPOLLIN); p.register(a, select.EPOLLIN); print('ready'); p.poll()", HowEpoll, false, false, OthersIdle},
		{"poll with a socket that leads to a child", "a, b = socket.socketpair()\nif os.fork() == 0: a.close(); time.sleep(100)\nb.close(); c, d = socket.socketpair(); p = select.poll(); p.register(0, select.POLLIN); p.register(a, select.POLLIN); print('ready'); p.poll()", HowPoll, false, false, OthersTimed},
		{"epoll inside poll", "p = select.epoll(); p.register(0, select.EPOLLIN); q = select.poll(); q.register(p.fileno(), select.POLLIN); print('ready'); q.poll()", HowPoll, true, false, OthersIdle},
		{"epoll with an eventfd", "e = os.eventfd(0) if hasattr(os, 'eventfd') else 0; p = select.epoll(); p.register(0, select.EPOLLIN)\nif e: p.register(e, select.EPOLLIN)\nprint('ready'); p.poll()", HowEpoll, false, false, OthersIdle},
		{"/dev/tty", "f = open('/dev/tty', 'rb', 0); print('ready'); f.read(1)", HowRead, true, false, OthersIdle},
		{"second thread sleeps", "threading.Thread(target=time.sleep, args=(100,)).start(); print('ready'); sys.stdin.readline()", HowRead, true, false, OthersTimed},
		{"second thread on a socket", "a, b = socket.socketpair(); threading.Thread(target=a.recv, args=(1,)).start(); print('ready'); sys.stdin.readline()", HowRead, true, false, OthersEvents},
		{"second thread on a pipe", "r, w = os.pipe()\nif os.fork() == 0: time.sleep(100)\nos.close(w); threading.Thread(target=os.read, args=(r, 1)).start(); print('ready'); sys.stdin.readline()", HowRead, true, false, OthersEvents},
		{"second thread on a pipe of its own", "r, w = os.pipe(); threading.Thread(target=os.read, args=(r, 1)).start(); print('ready'); sys.stdin.readline()", HowRead, true, false, OthersIdle},
		{"second thread on a lock", "l = threading.Lock(); l.acquire(); threading.Thread(target=l.acquire).start(); print('ready'); sys.stdin.readline()", HowRead, true, false, OthersIdle},
		{"second thread reads", "threading.Thread(target=sys.stdin.readline).start(); print('ready'); time.sleep(100)", HowRead, true, false, OthersTimed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := python(t, tt.code).waiting()
			if v.How != tt.how || v.OnlyTerminal != tt.sole || v.Timed != tt.timed || v.Others != tt.others {
				t.Errorf("how %v, sole %v, timed %v, others %v; want %v %v %v %v", v.How, v.OnlyTerminal, v.Timed, v.Others, tt.how, tt.sole, tt.timed, tt.others)
			}
			if want := (tt.sole || loops(tt.name)) && !tt.timed && tt.others == OthersIdle; v.Final() != want {
				t.Errorf("final %v, want %v", v.Final(), want)
			}
		})
	}
}

// loops reports whether a case of TestThreads is an event loop.
func loops(name string) bool {
	return slices.Contains([]string{"epoll with an eventfd", "select with a pipe of its own", "and far apart", "poll with a socket", "epoll with a socket"}, name)
}

// TestTimeout checks the timeouts of calls, and that a call with a short timeout is not a wait.
func TestTimeout(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, call string
		want       time.Duration
	}{
		{"select", "select.select([0], [], [], 1.5)", 1500 * time.Millisecond},
		{"poll", "p = select.poll(); p.register(0, 1); p.poll(1500)", 1500 * time.Millisecond},
		{"epoll", "p = select.epoll(); p.register(0, 1); p.poll(1.5)", 1500 * time.Millisecond},
		{"none", "select.select([0], [], [])", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := python(t, "print('ready')\nwhile True: "+tt.call)
			if v := r.waiting(); v.Timeout != tt.want || v.Timed != (tt.want != 0) {
				t.Errorf("timed %v, timeout %v, want %v", v.Timed, v.Timeout, tt.want)
			}
		})
	}
	r := python(t, "print('ready')\nwhile True: select.select([0], [], [], 0.02)")
	for range 200 {
		if v := r.look.Look(); v.Waiting {
			t.Fatalf("waiting: %+v", v)
		}
	}
}

// TestBusyThread checks that a program does not count as waiting if one thread reads the terminal
// and another one computes.
func TestBusyThread(t *testing.T) {
	r := python(t, "threading.Thread(target=sys.stdin.readline, daemon=True).start(); print('ready')\nwhile True: pass")
	for range 200 {
		if v := r.look.Look(); v.Waiting {
			t.Fatalf("waiting: %+v", v)
		}
	}
}

// TestStopped checks the views of a stopped program, and of a shell before, during and after a job
// that is stopped and continued.
func TestStopped(t *testing.T) {
	t.Parallel()
	r := start(t, need.Program(t, "sh"), "-c", "kill -STOP $$; read x")
	v := r.until("stopped", func(v View) bool { return v.Stopped })
	if v.Waiting || !v.Known {
		t.Errorf("view %+v", v)
	}
	r = start(t, need.Program(t, "bash"), "--norc", "-i")
	shell := r.waiting()
	r.send("cat\r")
	v = r.until("cat in front", func(v View) bool { return v.Waiting && v.Foreground.Comm == "cat" })
	if v.Foreground.PGID == shell.Foreground.PGID {
		t.Errorf("cat's group is the shell's: %+v", v)
	}
	r.send("\x1a")
	v = r.until("bash in front", func(v View) bool { return v.Waiting && v.Foreground.Comm == "bash" })
	if v.Fingerprint != shell.Fingerprint || !v.Final() {
		t.Errorf("at the prompt %+v, first %+v", v, shell)
	}
	r.send("fg\r")
	r.until("cat in front again", func(v View) bool { return v.Final() && v.Foreground.Comm == "cat" })
}

// TestContinued checks the view of a program whose poll was interrupted by a stop, after which it
// continues in restart_syscall.
func TestContinued(t *testing.T) {
	t.Parallel()
	r := python(t, "p = select.poll(); p.register(0, select.POLLIN); print('ready'); p.poll()")
	r.waiting()
	r.cmd.Process.Signal(syscall.SIGSTOP)
	r.until("stopped", func(v View) bool { return v.Stopped })
	r.cmd.Process.Signal(syscall.SIGCONT)
	if v := r.waiting(); !v.Final() {
		t.Errorf("after a stop: %+v", v)
	}
}

// TestBackground checks that a shell at its prompt is seen waiting while a background job prints.
func TestBackground(t *testing.T) {
	t.Parallel()
	r := start(t, need.Program(t, "bash"), "--norc", "-i")
	r.waiting()
	r.send("while :; do echo ti''ck; sleep 0.01; done &\r")
	r.shows("tick", 10)
	r.until("the shell waiting", func(v View) bool { return v.Final() && v.Foreground.Comm == "bash" })
	r.shows("tick", 20)
	r.until("the shell waiting", func(v View) bool { return v.Final() && v.Foreground.Comm == "bash" })
	r.send("kill %1; wait; echo o''ver\r") // a hangup alone would not end the job
	r.shows("over", 1)
}

// TestWriting checks that a program that is blocked in a write to the terminal does not count as
// waiting.
func TestWriting(t *testing.T) {
	r := start(t, need.Program(t, "sh"), "-c", "stty -ixany; while :; do echo y; done")
	r.shows("y", 10)
	r.send("\x13") // ctrl+s
	v := r.until("writing", func(v View) bool { return v.Known && v.Asleep })
	if v.Waiting || v.HasReader {
		t.Errorf("view %+v", v)
	}
	r.send("\x11")
}

// hiddenVar is set in the process in which TestHidden looks at su as a user other than root.
const hiddenVar = "GLASSTTY_TEST_HIDDEN"

// TestHidden checks the view of another user's program, as seen by an ordinary user.
func TestHidden(t *testing.T) {
	su := need.Program(t, "su")
	if os.Getuid() == 0 && os.Getenv(hiddenVar) == "" {
		asNobody(t)
		return
	}
	cmd := exec.Command(su, "root")
	r := startCmd(t, cmd)
	v := r.until("hidden", func(v View) bool { return v.Hidden && v.Asleep && v.Modes.Secret() })
	if v.Known || v.Waiting || v.Activity.Threads == 0 || v.Foreground.Comm != "su" {
		t.Errorf("view %+v", v)
	}
	later := r.until("quiet", func(w View) bool { q := Unchanged(v, w); v = w; return q })
	if later.Known {
		t.Errorf("view %+v", later)
	}
}

// asNobody runs TestHidden in a process of a user without privileges.
func asNobody(t *testing.T) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	copied := filepath.Join(dir, "kernel.test")
	if err := copyFile(copied, exe); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(copied, "-test.run=^TestHidden$", "-test.v")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), hiddenVar+"=1", "TMPDIR="+dir)
	const nobody = 65534
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// copyFile copies an executable.
func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Close()
}

// TestSSH checks the views of ssh's password prompt and of a shell behind ssh, where ssh also waits
// for its socket.
func TestSSH(t *testing.T) {
	t.Parallel()
	need.Program(t, "ssh")
	port, key := startSSHD(t)
	args := []string{"-F", "none", "-p", port, "-i", key, "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR"}
	t.Run("password", func(t *testing.T) {
		r := start(t, "ssh", append(args, "-o", "PreferredAuthentications=password", "127.0.0.1")...)
		r.shows("password", 1)
		if v := r.waiting(); !v.Modes.Secret() || !v.Final() {
			t.Errorf("view %+v", v)
		}
	})
	t.Run("shell", func(t *testing.T) {
		r := start(t, "ssh", append(args, "-t", "127.0.0.1", "sh -c 'echo remote; read x'")...)
		r.shows("remote", 1)
		if v := r.waiting(); v.OnlyTerminal || v.Final() || !v.Modes.Raw() {
			t.Errorf("view %+v", v)
		}
	})
}

// startSSHD starts sshd on a loopback port, and returns the port and a key that it accepts. It
// skips the test if sshd does not start.
func startSSHD(t *testing.T) (port, key string) {
	t.Helper()
	sshd, err := exec.LookPath("sshd")
	if err != nil {
		sshd = need.Program(t, "/usr/sbin/sshd")
	}
	dir := t.TempDir()
	host, key := filepath.Join(dir, "host"), filepath.Join(dir, "key")
	for _, k := range []string{host, key} {
		if out, err := exec.Command(need.Program(t, "ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", k).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port = strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	l.Close()
	config := filepath.Join(dir, "config")
	text := fmt.Sprintf("Port %s\nListenAddress 127.0.0.1\nHostKey %s\nAuthorizedKeysFile %s.pub\nPermitRootLogin yes\nPasswordAuthentication yes\nStrictModes no\nUsePAM no\nPidFile none\n", port, host, key)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(sshd, "-D", "-e", "-f", config)
	logs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	// The first line says that sshd listens, or why it does not.
	if line, err := bufio.NewReader(logs).ReadString('\n'); err != nil || !strings.Contains(line, "listening") {
		t.Skipf("sshd does not start here: %q, %v", line, err)
	}
	return port, key
}
