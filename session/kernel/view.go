package kernel

import "time"

// How is the kind of call in which a thread waits for terminal input.
type How uint8

// The kinds of call.
const (
	HowNone  How = iota // the thread does not wait for terminal input
	HowRead             // read, readv
	HowPoll             // poll, ppoll, select, pselect with the terminal in the set
	HowEpoll            // epoll_wait and its variants on a set that contains the terminal
)

// String returns the call's name as the tools' explain argument shows it.
func (h How) String() string {
	switch h {
	case HowRead:
		return "read"
	case HowPoll:
		return "poll"
	case HowEpoll:
		return "epoll"
	}
	return "none"
}

// Others classifies what the other threads of the foreground group wait for.
type Others uint8

// The classes of waits, from harmless to unknown.
const (
	OthersIdle   Others = iota // the threads wait only for locks, children, pipes and signals
	OthersTimed                // a timer can end the wait of some thread
	OthersEvents               // a socket or something unknown can end the wait of some thread
)

// Modes are the settings of a terminal's line discipline (termios) that show how a program reads.
type Modes struct {
	Known     bool // the terminal answered
	Canonical bool // ICANON: the kernel edits lines, and programs read whole lines
	Echo      bool // ECHO: the kernel echoes what is typed
	// Read is the time after which a read in raw mode ends without input (VTIME, if VMIN is 0).
	// With other settings, Read is 0.
	Read time.Duration
}

// Secret reports whether the terminal is set as for typing a password: the kernel collects a line
// and does not echo it. Readline and full-screen programs switch echo off too, but in raw mode.
func (m Modes) Secret() bool { return m.Known && m.Canonical && !m.Echo }

// Raw reports whether the terminal is in raw mode: the program edits its input itself.
func (m Modes) Raw() bool { return m.Known && !m.Canonical }

// A Process identifies the foreground process.
type Process struct {
	PGID int    // foreground process group; 0 if not known
	PID  int    // the process that waits; if none does, the group's leader or first member
	Comm string // the kernel's name of the process, at most 15 bytes
}

// An Activity counts how often the threads of a group were scheduled. If two looks return equal
// values, none of the threads ran in between.
type Activity struct {
	Threads int           // number of threads; 0 if nothing was counted
	IDs     uint64        // digest of the thread ids
	Run     time.Duration // time on a processor
	Slices  uint64        // time slices on a processor
}

// A Fingerprint describes how a process group waits. It is the same whenever the group waits at the
// same kind of prompt. Remember one only if it is certain that the group is at a prompt.
type Fingerprint struct {
	PGID   int
	Modes  Modes
	How    How
	Timed  bool   // see View.Timed
	Nested int    // see View.Nested
	Set    uint64 // digest of the descriptors waited for
	Others uint64 // digest of the calls and descriptors of the other threads
}

// A Timer is the time limit of a wait.
type Timer struct {
	// Own reports that the timer ends the wait of the thread that waits for the terminal.
	// Relay reports that the timer ends the wait of a thread that relays the terminal.
	Own, Relay bool
	// Length is the time from the beginning of the wait to the end of the timer. If only the end is
	// known, Length is the time from the first look at the wait.
	Length time.Duration
	// The timer fires between From and To. The two differ if the wait began at an unknown time
	// between two looks. If there was no earlier look, From is zero. If the end is not known, both
	// are zero.
	From, To time.Time
}

// timerSlack is the largest difference between the times that two looks show of one timer: most
// calls round their timeouts to milliseconds.
const timerSlack = 5 * time.Millisecond

// Same reports whether t and u may be the same timer, seen in two waits.
func (t Timer) Same(u Timer) bool {
	return !t.From.After(u.To.Add(timerSlack)) && !u.From.After(t.To.Add(timerSlack))
}

// Narrowed returns t with From and To narrowed by u, the same timer seen again.
func (t Timer) Narrowed(u Timer) Timer {
	if u.From.After(t.From) {
		t.From = u.From
	}
	if u.To.Before(t.To) {
		t.To = u.To
	}
	return t
}

// MinPause is the shortest timeout with which a call for the terminal alone counts as a wait. With a
// shorter one, a program only checks for keys, as irb does before each prompt.
const MinPause = 25 * time.Millisecond

// A View describes which program waited for input on a terminal at one instant. It is a plain
// value.
type View struct {
	// Known is false if the look has failed: Hidden or Ended is set, /proc is hidden or incomplete, the
	// system is not Linux, or too many processes run. Modes, Foreground.PGID and Drained may still be set.
	Known bool
	// Hidden reports that the kernel does not show what the foreground group waits for: a process
	// of the group belongs to another user (sudo, su), or Yama protects it. Asleep and Activity are
	// valid even if Hidden is true.
	Hidden bool
	// Ended reports that the child has ended, or that no process of the foreground group was found.
	Ended bool
	// Drained reports that the terminal held no unread output or, for a child on pipes, that
	// both pipes were empty.
	Drained bool
	// Asleep reports that no thread of the foreground group ran, was runnable, or
	// waited for a disk.
	Asleep bool
	// Waiting reports that one of the group's threads waited to read the terminal while, at the
	// same instant, the group was asleep and the terminal drained.
	Waiting      bool
	How          How  // the call in which that thread waits, if Waiting is true
	OnlyTerminal bool // the call waits for the terminal alone
	// EventLoop reports that the call waits for the terminal and for events that the process itself
	// or a signal causes, and for nothing else. Event loops do so (eventfd, signalfd, a pipe or
	// socket pair of which the process holds both ends).
	EventLoop bool
	Timed     bool // the call ends by itself after Timeout
	// Timeout is the maximum length of the call, from its beginning. It is 0 if Timed is
	// false or the length is not known.
	Timeout time.Duration
	Others  Others // what the other threads of the group wait for
	// Reader is the ID of a process that waits to read the terminal, with all its threads asleep,
	// while other processes of the group work. An example is fish at its prompt while a child of
	// fish reads manual pages. Reader is 0 if there is no such process, if Asleep or Hidden is
	// true, or if the terminal is not drained.
	Reader int
	// HasReader reports that one of the group's threads waits to read the terminal. Other threads
	// may run. If Known is true and HasReader is false, no program is at a prompt.
	HasReader bool
	// Filters reports that the program that waits filters the output of another program of the
	// group, as less does, and that the other program still runs. The filter may draw until the
	// other program ends.
	Filters bool
	// Stopped reports that the whole foreground group is stopped by SIGSTOP, or by ctrl+z if no
	// shell takes the terminal back.
	Stopped bool
	// Nested is the number of terminals that run inside each other below the Looker's terminal:
	// 1 if the group runs in script or expect, 0 if the group is on the Looker's terminal.
	Nested      int
	Modes       Modes // of the innermost terminal
	Foreground  Process
	TID         int      // the thread that waits; 0 unless Waiting
	Waiter      Activity // of the waiting thread alone
	Activity    Activity // of the group and of the threads that relay terminals to it
	Fingerprint Fingerprint
	// Timers are the time limits of the waits of the group's threads, at most MaxTimers. Those
	// of unknown length are first, then the soonest. There are none if Asleep is false.
	Timers []Timer
	// Place is a digest of the points in the program at which the threads wait, those of the
	// group's descendants in other groups included. If two digests are equal, the program is in
	// the same state, such as an editor in its main loop. Place is 0 if it is not known, if
	// something outside of the session can end one of the waits, or if a thread that does not wait
	// for the terminal wakes up after less than MinPause. It is also 0 if no digest is needed,
	// because the call waits for the terminal alone and without a timeout.
	Place uint64
	// WakesAfter is the shortest timeout among the waits in Place, without those below MinPause. It
	// is 0 if there is none.
	WakesAfter time.Duration
}

// Final reports whether only input, a signal or a process outside of the foreground group can make
// the group continue. If Final returns true, no second look after a pause is needed.
func (v View) Final() bool {
	return v.Waiting && (v.OnlyTerminal || v.EventLoop) && !v.Timed && v.Others == OthersIdle
}

// Unchanged reports whether look b confirms look a: both saw the same state, and no thread of the
// foreground group ran in between. It returns false unless both saw the terminal drained.
func Unchanged(a, b View) bool {
	return a.Asleep && b.Asleep && a.Activity.Threads > 0 && a.Activity == b.Activity &&
		a.Waiting == b.Waiting && a.Fingerprint == b.Fingerprint && a.Drained && b.Drained
}

// Scheduled reports whether the group in v has run since an earlier look. If the same thread waits for
// the terminal in both looks, only that thread counts. Scheduled returns true if the counters of one
// look are missing, or if the group was not asleep in the earlier look. If the group slept just before
// the input and has run since, a View that is Final proves that the program has consumed the input: the
// kernel passes typed input on before it lets a reader sleep again. If the group ran during the first
// look, nothing is proved: it may have fallen asleep just before the input.
func (v View) Scheduled(before View) bool {
	if !before.Asleep || before.Activity.Threads == 0 || v.Activity.Threads == 0 {
		return true
	}
	if v.Waiting && before.Waiting && v.TID == before.TID {
		return v.Waiter != before.Waiter
	}
	return v.Activity != before.Activity
}
