package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/glasstty/glasstty/session/child"
)

// A process holds the resources of one process.
type process struct {
	name   string
	files  int
	memory int64 // anonymous, in bytes
}

// Counts are the resources in use while no session is alive.
type counts struct {
	processes  []process
	goroutines int // of this process
	below      int // descendants of the servers
	dirs       int // directories in the temporary and data directories, and control groups
}

// settle is the time that ended processes may take to disappear.
const settle = 5 * time.Second

// count counts the resources in use, after ended processes have had time to disappear.
func (w *world) count() (l counts, err error) {
	<-time.After(settle)
	runtime.GC()
	debug.FreeOSMemory()
	server, err := w.server()
	if err != nil {
		return l, err
	}
	holder, err := w.keeper()
	if err != nil {
		return l, err
	}
	for _, p := range []struct {
		name string
		pid  int
	}{{"this process", os.Getpid()}, {"server", server}, {"keeper", holder}} {
		one := process{name: p.name}
		files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.pid))
		if err != nil {
			return l, err
		}
		one.files = len(files)
		if one.memory, err = anonymous(p.pid); err != nil {
			return l, err
		}
		l.processes = append(l.processes, one)
	}
	l.goroutines = runtime.NumGoroutine()
	for _, line := range child.Lineages() {
		for _, p := range line[1:] {
			if p.PID == os.Getpid() || p.PID == holder {
				l.below++
				break
			}
		}
	}
	l.below -= len(w.clients) // they are children of this process
	for _, pattern := range []string{
		filepath.Join(w.scratch, "glasstty-*"), filepath.Join(w.data, "sessions", "*"), filepath.Join(w.scratch, "own", "sessions", "*"),
		filepath.Join(child.FindCgroups().Dir, "glasstty-*."+strconv.Itoa(os.Getpid())), filepath.Join(child.FindCgroups().Dir, "glasstty-*."+strconv.Itoa(holder)),
	} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			return l, err
		}
		l.dirs += len(names)
	}
	return l, nil
}

// keeper returns the process id of the daemon's keeper.
func (w *world) keeper() (int, error) {
	dirs, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return 0, err
	}
	for _, name := range dirs {
		line, err := os.ReadFile(name)
		if err == nil && strings.Contains(string(line), "\x00keeper\x00"+w.data+"\x00") {
			return strconv.Atoi(filepath.Base(filepath.Dir(name)))
		}
	}
	return 0, errors.New("no keeper process found")
}

// anonymous returns the anonymous memory of a process.
func anonymous(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kb << 10, err
		}
	}
	return 0, fmt.Errorf("/proc/%d/status has no RssAnon", pid)
}

// String returns the counts as one line.
func (l counts) String() string {
	var b strings.Builder
	for _, p := range l.processes {
		fmt.Fprintf(&b, "%s %d files, %.1f MB; ", p.name, p.files, float64(p.memory)/(1<<20))
	}
	return b.String() + fmt.Sprintf("%d goroutines, %d processes, %d directories", l.goroutines, l.below, l.dirs)
}

// grown returns an error that lists what has grown. The memory of the server is not
// compared, because each server is a new process.
func (l counts) grown(end counts, slack int64) (err error) {
	for i, p := range l.processes {
		e := end.processes[i]
		if e.files > p.files {
			err = errors.Join(err, fmt.Errorf("%s has %d files open, and had %d before", p.name, e.files, p.files))
		}
		if e.memory > p.memory+slack && p.name != "server" {
			err = errors.Join(err, fmt.Errorf("%s has %d bytes of memory, and had %d before", p.name, e.memory, p.memory))
		}
	}
	for _, n := range []struct {
		name        string
		before, end int
	}{{"goroutines", l.goroutines, end.goroutines}, {"processes", l.below, end.below}, {"directories", l.dirs, end.dirs}} {
		if n.end > n.before {
			err = errors.Join(err, fmt.Errorf("%d %s, and %d before", n.end, n.name, n.before))
		}
	}
	return err
}
