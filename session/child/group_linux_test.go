package child

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/need"
)

// nobody is another user, to whom the test delegates a group.
const nobody = 65534

// TestDelegated delegates a group to another user, as a service manager does. It checks that that
// user's processes make groups in it or beside their own, but not in a group that belongs to root.
func TestDelegated(t *testing.T) {
	g := FindCgroups()
	if os.Geteuid() != 0 || g.Dir == "" {
		t.Skipf("not root, or no control groups: %v", g.Err)
	}
	service := filepath.Join(g.Dir, "test-"+strconv.Itoa(os.Getpid()))
	main := filepath.Join(service, "main")
	if err := errors.Join(os.Mkdir(service, 0o755), os.Mkdir(main, 0o755)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { (&group{path: service}).remove() })
	if got := groupingAs(t, main, nobody); got.Dir != "" || !strings.Contains(got.Why, "permission denied") {
		t.Errorf("in a group of root's: %+v", got)
	}
	for _, dir := range []string{service, main} {
		for _, name := range []string{"", "cgroup.procs", "cgroup.subtree_control"} {
			if err := os.Chown(filepath.Join(dir, name), nobody, nobody); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := groupingAs(t, main, nobody); got.Dir != main {
		t.Errorf("in a group of its own: %+v, want %s", got, main)
	}
	if err := unix.Setxattr(service, "user.delegate", []byte("1"), 0); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(service, groupName+"s1.abc-1.999999999") // left by an owner that was killed
	if err := os.Mkdir(left, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := groupingAs(t, main, nobody); got.Dir != service {
		t.Errorf("below a delegated group: %+v, want %s", got, service)
	}
	if entries, err := filepath.Glob(filepath.Join(service, groupName+"*")); len(entries) > 0 || err != nil {
		t.Errorf("left behind: %q, %v", entries, err)
	}
}

// groupingAs returns the Cgroups that a user's process in a group finds.
func groupingAs(t *testing.T, dir string, user uint32) (told struct{ Dir, Why string }) {
	t.Helper()
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	public, err := os.MkdirTemp("/tmp", "grouping") // a directory that every user may enter
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(public)
	program := filepath.Join(public, "program")
	if err := errors.Join(os.Chmod(public, 0o755), os.WriteFile(program, self, 0o755)); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd := exec.Command(program)
	cmd.Dir, cmd.Env = "/", []string{groupingVar + "=1", "PATH=/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(f.Fd()), Credential: &syscall.Credential{Uid: user, Gid: user}}
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &told)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return told
}

// TestGroupLimits checks that the kernel, where it can limit groups, stops a program at once when
// it uses too much, and that the exit says why.
func TestGroupLimits(t *testing.T) {
	if g := FindCgroups(); !g.Limits {
		t.Skipf("the kernel limits no groups here: %+v", g)
	}
	for name, tt := range map[string]struct {
		script string
		limits Limits
		says   string
		what   LimitName
	}{
		"memory":    {`exec python3 -c "x = bytearray(b'x') * (200 << 20); input()"`, Limits{Memory: 64 << 20}, "", LimitMemory},
		"processes": {`n=0; while test $n -lt 200 && sleep 10 & do n=$((n+1)); done 2>/dev/null; echo refused; read x`, Limits{Processes: 4}, "Cannot fork", LimitProcesses},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLocal(t, Options{})
			c, err := l.Start(Spec{
				ID: "s1", Path: need.Program(t, "sh"), Args: []string{"sh", "-c", tt.script}, Env: []string{"PATH=/usr/bin:/bin"},
				Size: Size{24, 80}, Limits: tt.limits,
			})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			began := time.Now()
			out := readUntil(t, c, "")
			if exit := c.Wait(); exit.Exceeded.What != tt.what || exit.Code != 128+int(syscall.SIGKILL) {
				t.Errorf("exit %+v after %v, output %q", exit, time.Since(began), out)
			}
			if err := c.End(t.Context(), syscall.SIGKILL, 0); err != nil {
				t.Error(err)
			}
		})
	}
}
