package session

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/need"
)

// TestWithin checks that processes are found that leave their session's tree, its terminal or its
// environment.
func TestWithin(t *testing.T) {
	m := newManager(t)
	for _, tt := range []struct {
		name, line string
		adopted    bool // its parents end
	}{
		{"child", `sh -c 'echo $$ > %s; exec sleep 1000' &`, false},
		{"grandchild", `(sh -c 'sh -c "echo \$\$ > %s; exec sleep 1000"; true') &`, false},
		{"session of its own", `setsid sh -c 'echo $$ > %s; exec sleep 1000' &`, true},
		{"orphan", `(setsid sh -c 'echo $$ > %s; exec sleep 1000' &)`, true},
		{"orphan without a mark", `(env -i "PATH=$PATH" setsid sh -c 'echo $$ > %s; exec sleep 1000' &)`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			need.Program(t, "setsid")
			s, _ := launch(t, m, "bash", "--norc")
			file := filepath.Join(t.TempDir(), "pid")
			if err := unix.Mkfifo(file, 0o600); err != nil {
				t.Fatal(err)
			}
			exchange(t, s, Input{Text: fmt.Sprintf(tt.line, file), Enter: true}, Wait{Timeout: patience})
			pid := readPID(t, file)
			id, within := m.Within(pid)
			if !within || id != s.ID() && !tt.adopted {
				t.Errorf("Within(%d) is %q, %v; want %q", pid, id, within, s.ID())
			}
			if all := m.AllWithin(); !slices.Contains(all, pid) || slices.Contains(all, os.Getpid()) {
				t.Errorf("AllWithin has %v, without %d or with this process", all, pid)
			}
		})
	}
}

// TestNotWithin checks that processes that no session has started are not found.
func TestNotWithin(t *testing.T) {
	m := newManager(t)
	launch(t, m, "bash", "--norc")
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{0, 1, os.Getpid(), os.Getppid(), cmd.Process.Pid} {
		if id, within := m.Within(pid); within {
			t.Errorf("Within(%d) says %q", pid, id)
		}
	}
	if all := m.AllWithin(); slices.Contains(all, cmd.Process.Pid) {
		t.Errorf("AllWithin has %d", cmd.Process.Pid)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("sleep has ended without an error")
	}
	if _, within := m.Within(cmd.Process.Pid); !within {
		t.Error("a process that has ended is not assumed to be within a session")
	}
}

// readPID reads a process ID from a named pipe once it is written.
func readPID(t *testing.T, file string) int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}
