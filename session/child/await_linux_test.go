package child

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNoThreadEach checks that a running child does not occupy a thread of its owner.
func TestNoThreadEach(t *testing.T) {
	fd, err := unix.PidfdOpen(os.Getpid(), unix.PIDFD_NONBLOCK)
	if err != nil {
		t.Skipf("this kernel has no descriptors of processes that can be polled: %v", err)
	}
	_ = unix.Close(fd)
	const many = 60
	before := threads(t)
	l := newLocal(t, Options{})
	var kids []Child
	for i := range many {
		c := startShell(t, l, "s"+strconv.Itoa(i), "echo up; read x; exit 7")
		readUntil(t, c, "up\r\n")
		kids = append(kids, c)
	}
	if more := threads(t) - before; more > many/2 {
		t.Errorf("%d more threads with %d children", more, many)
	}
	for i, c := range kids {
		want := 7
		if i%2 == 0 {
			want = 128 + int(syscall.SIGKILL)
			if err := syscall.Kill(c.PID(), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		} else if _, err := c.Write(Input{Data: []byte("\n")}); err != nil {
			t.Fatal(err)
		}
		for err = error(nil); err == nil; {
			_, err = c.Read()
		}
		if exit := c.Wait(); exit.Code != want {
			t.Errorf("child %d: code %d, want %d", i, exit.Code, want)
		}
	}
}

// threads returns how many threads this process has.
func threads(t *testing.T) int {
	t.Helper()
	tasks, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(os.Getpid()), "task"))
	if err != nil {
		t.Fatal(err)
	}
	return len(tasks)
}
