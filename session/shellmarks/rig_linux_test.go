package shellmarks

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/session/kernel"
)

// deadline limits every wait of these tests.
const deadline = 20 * time.Second

// A rig is a shell on a real terminal.
type rig struct {
	t      *testing.T
	master *os.File
	look   *kernel.Looker
	setup  *Setup

	mu  sync.Mutex // guards out
	out []byte
}

// files maps the names of files in a home directory to their contents.
type files map[string]string

// home returns a new home directory with files in it. The empty directory for completions keeps
// fish from reading all manual pages at its first start.
func home(t *testing.T, f files) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".local/share/fish/generated_completions"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range f {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// start runs a shell in a home directory, with or without marks.
func start(t *testing.T, marks bool, dir string, env []string, argv ...string) *rig {
	t.Helper()
	r := &rig{t: t}
	base := []string{"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "HOME=" + dir, "LANG=C.UTF-8", "INPUTRC=/dev/null", "PYENV_VERSION=" + os.Getenv("PYENV_VERSION")}
	env = append(base, env...)
	r.setup = &Setup{Args: argv[1:], Env: env}
	if marks {
		var err error
		if r.setup, err = Prepare(argv[0], argv[1:], env, t.TempDir(), ""); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(argv[0], r.setup.Args...)
	cmd.Env, cmd.Dir = r.setup.Env, dir
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	f = nonblocking(t, f)
	r.master = f
	if r.look, err = kernel.NewLooker(f, cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go r.read(done)
	t.Cleanup(func() {
		cmd.Process.Kill()
		f.Close()
		<-done
		cmd.Wait()
	})
	r.settle(kernel.View{})
	return r
}

// nonblocking returns a copy of f whose reads end at Close. Package pty has made f blocking: a read
// would last as long as a helper of the shell keeps the terminal open.
func nonblocking(t *testing.T, f *os.File) *os.File {
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

// read collects the shell's output, and answers the queries that fish sends to a terminal before it
// starts. What has left the terminal is in r.out as soon as r.mu is free, so settle misses nothing.
func (r *rig) read(done chan<- struct{}) {
	defer close(done)
	master, err := r.master.SyscallConn()
	if err != nil {
		r.t.Error(err)
		return
	}
	buf := make([]byte, 4096)
	for {
		var n int
		var readErr error
		err := master.Read(func(fd uintptr) bool {
			r.mu.Lock()
			defer r.mu.Unlock()
			n, readErr = unix.Read(int(fd), buf)
			n = max(n, 0)
			r.out = append(r.out, buf[:n]...)
			return readErr != unix.EAGAIN
		})
		if bytes.Contains(buf[:n], []byte("\x1b[c")) || bytes.Contains(buf[:n], []byte("\x1b[0c")) {
			r.master.WriteString("\x1b[?62c")
		}
		if err != nil || readErr != nil || n == 0 {
			return
		}
	}
}

// output returns the shell's output so far.
func (r *rig) output() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return string(r.out)
}

// settle waits until the shell has run since the look before and waits for input again, and two
// looks in a row are quiet and without new output.
func (r *rig) settle(before kernel.View) {
	r.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	end := time.After(deadline)
	last, size := kernel.View{}, -1
	for {
		v, n := r.look.Look(), len(r.output())
		if v.Waiting && v.Scheduled(before) && kernel.Unchanged(last, v) && n == size {
			return
		}
		last, size = v, n
		select {
		case <-tick.C:
		case <-end:
			r.t.Fatalf("the shell never waited: %+v\noutput %q", v, r.output())
		}
	}
}

// types types text and returns the output until the shell waits again.
func (r *rig) types(text string) string {
	r.t.Helper()
	before, n := r.look.Look(), len(r.output())
	if _, err := r.master.WriteString(text); err != nil {
		r.t.Fatal(err)
	}
	r.settle(before)
	return r.output()[n:]
}

// run types a command line and returns the output until the shell waits again.
func (r *rig) run(line string) string {
	r.t.Helper()
	return r.types(line + "\r")
}

// markPattern matches marks and working directories.
var markPattern = regexp.MustCompile("\x1b\\](133;([A-D])((?:;[^\x1b\a]*)?)|7;([^\x1b\a]*))(?:\x1b\\\\|\a)")

// plain returns output without the marks, and without the empty brackets that are left of them.
func plain(output string) string {
	return markPattern.ReplaceAllString(strings.NewReplacer("\x01", "", "\x02", "").Replace(output), "")
}

// marks lists the marks in output, one word each: "A", "C(ls)", "D1", "~path".
// A mark without the nonce is followed by "?".
func (r *rig) marks(output string) string {
	var words []string
	for _, m := range markPattern.FindAllStringSubmatch(output, -1) {
		if m[2] == "" {
			_, path, ok := ParseCwd(m[4])
			if !ok {
				r.t.Errorf("invalid OSC 7 %q", m[4])
			}
			words = append(words, "~"+filepath.Base(path))
			continue
		}
		mark := ParseMark(m[2][0], strings.Split(strings.TrimPrefix(m[3], ";"), ";"), r.setup.Nonce)
		word := m[2]
		if mark.HasExit {
			word += fmt.Sprint(mark.Exit)
		}
		if mark.HasCommand {
			word += "(" + mark.Command + ")"
		}
		if !mark.Trusted {
			word += "?"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}
