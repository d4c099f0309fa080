package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A tap reports when a program wrote to its terminal without interfering: the
// kernel reports each write to the terminal's device with inotify. Echo, which the
// line discipline produces, is not reported. A tap is safe for concurrent use.
type tap struct {
	fd int

	mu     sync.Mutex // guards what follows, and reading fd
	last   time.Time  // of the latest write
	writes []time.Time
	buf    [4096]byte
	closed bool
}

// maxWrites bounds the writes that a tap remembers between two resets.
const maxWrites = 1 << 16

// newTap watches the terminal with this device path, /dev/pts/7.
func newTap(path string) (*tap, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("inotify: %w", err)
	}
	if _, err := unix.InotifyAddWatch(fd, path, unix.IN_MODIFY); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("watch %s: %w", path, err)
	}
	t := &tap{fd: fd}
	go t.follow()
	return t, nil
}

// follow records writes as they happen, until close.
func (t *tap) follow() {
	p := []unix.PollFd{{Fd: int32(t.fd), Events: unix.POLLIN}}
	for {
		// The timeout lets a closed tap end.
		if _, err := unix.Poll(p, 200); err != nil && err != unix.EINTR {
			return
		}
		t.mu.Lock()
		if t.closed {
			unix.Close(t.fd)
			t.mu.Unlock()
			return
		}
		t.drainLocked()
		t.mu.Unlock()
	}
}

// drainLocked reads the kernel's events. The kernel merges equal consecutive
// events, which does not matter, as the recorded time is that of reading.
func (t *tap) drainLocked() {
	for {
		n, err := unix.Read(t.fd, t.buf[:])
		if err != nil || n <= 0 {
			return
		}
		t.last = time.Now()
		if len(t.writes) < maxWrites {
			t.writes = append(t.writes, t.last)
		}
	}
}

// now records all writes up to this moment and returns the moment. A write that is
// recorded afterwards happened later.
func (t *tap) now() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drainLocked()
	return time.Now()
}

// since returns the times of the writes after from.
func (t *tap) since(from time.Time) []time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drainLocked()
	for i, w := range t.writes {
		if w.After(from) {
			return append([]time.Time(nil), t.writes[i:]...)
		}
	}
	return nil
}

// reset forgets earlier writes.
func (t *tap) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drainLocked()
	t.writes = t.writes[:0]
}

// lastWrite is the time of the latest write, zero when there was none.
func (t *tap) lastWrite() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drainLocked()
	return t.last
}

func (t *tap) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}

// ttyOf returns the device of pid's controlling terminal, or that of the nearest
// descendant that has one. It skips known terminals. This finds the terminal of a
// server's new session.
func ttyOf(pid int, known map[string]bool) string {
	procs := processes()
	level := []int{pid}
	for len(level) > 0 {
		var next []int
		for _, p := range level {
			if t := procs[p].tty; t != "" && !known[t] {
				return t
			}
			for child, st := range procs {
				if st.parent == p {
					next = append(next, child)
				}
			}
		}
		level = next
	}
	return ""
}

// terminalsInUse are the terminals of all processes.
func terminalsInUse() map[string]bool {
	out := map[string]bool{}
	for _, p := range processes() {
		if p.tty != "" {
			out[p.tty] = true
		}
	}
	return out
}

// A process holds what ttyOf needs to know about a process.
type process struct {
	parent int
	tty    string
}

// processes reads the process table.
func processes() map[int]process {
	out := map[int]process{}
	list, err := os.ReadDir("/proc")
	if err != nil {
		return out
	}
	for _, e := range list {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		data, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		if p, ok := parseStat(string(data)); ok {
			out[pid] = p
		}
	}
	return out
}

// parseStat reads parent and terminal from a line of /proc/PID/stat; the
// command's name in brackets may hold anything.
func parseStat(line string) (process, bool) {
	i := strings.LastIndexByte(line, ')')
	if i < 0 {
		return process{}, false
	}
	f := strings.Fields(line[i+1:])
	if len(f) < 5 {
		return process{}, false
	}
	parent, err1 := strconv.Atoi(f[1])
	dev, err2 := strconv.ParseUint(f[4], 10, 64)
	if err1 != nil || err2 != nil {
		return process{}, false
	}
	p := process{parent: parent}
	// Majors 136 to 143 are the slaves of pseudo-terminals.
	if major := unix.Major(dev); major >= 136 && major <= 143 {
		p.tty = fmt.Sprintf("/dev/pts/%d", (major-136)<<20|unix.Minor(dev))
	}
	return p, true
}
