package child

import (
	"math"
	"runtime"
	"time"
)

const (
	// restMost is how long trees at rest are measured by what the whole machine
	// does: what one takes while another process frees as much is seen then.
	restMost = 10 * time.Minute
	// restShare is the part of what a tree may still take by which the machine's
	// use may grow before the trees are measured.
	restShare = 4
)

// A machine is what all processes together use. Reading it costs as much as reading
// one or two processes, however many there are.
type machine struct {
	tasks  int64 // processes and threads
	memory int64 // bytes in use that are not those of files
}

// A rest says until when trees that are at rest need not be measured: while the
// machine has not far more processes, and uses not far more memory, no tree has come
// to a limit. It belongs to the watcher's goroutine.
type rest struct {
	at   time.Time // of the last look at all trees
	then machine
	told bool // what the machine does could be read
	room use  // what is left to a tree, the least of all
}

// newRest returns the rest after a look that is about to be taken.
func newRest(at time.Time, read func() (machine, bool)) rest {
	r := rest{at: at, room: use{processes: math.MaxInt, resident: math.MaxInt64, cpu: math.MaxInt64}}
	r.then, r.told = read()
	return r
}

// leave notes what limits leave to a tree.
func (r *rest) leave(l Limits, u use) {
	if l.Processes > 0 {
		r.room.processes = min(r.room.processes, l.Processes-u.processes)
	}
	if l.Memory > 0 {
		r.room.resident = min(r.room.resident, l.Memory-u.resident)
	}
	if l.CPU > 0 {
		r.room.cpu = min(r.room.cpu, l.CPU-u.cpu)
	}
}

// over reports whether a tree may have come to a limit since the last look.
func (r *rest) over(at time.Time, read func() (machine, bool)) bool {
	passed := at.Sub(r.at)
	if !r.told || passed >= restMost || r.room.cpu/time.Duration(runtime.NumCPU()) <= passed {
		return true
	}
	now, told := read()
	return !told ||
		now.tasks-r.then.tasks >= int64(r.room.processes)/restShare ||
		now.memory-r.then.memory >= r.room.resident/restShare
}
