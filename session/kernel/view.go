package kernel

import "time"

// How is the kind of call in which a thread waits for terminal input.
type How uint8

// The kinds of call.
const (
	HowNone  How = iota
	HowRead      // read, readv
	HowPoll      // poll, ppoll, select, pselect with the terminal in the set
	HowEpoll     // epoll_wait and its kin on a set that holds the terminal
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

// Rest says what the other threads of the foreground group wait for.
type Rest uint8

// The kinds of rest, from harmless to unknown.
const (
	RestIdle   Rest = iota // locks, children, pipes: only a thread of the group ends such a wait
	RestTimed              // a timer ends the wait of some thread
	RestEvents             // a socket or something unknown ends the wait of some thread
)

// Modes is the class of a terminal's line discipline settings (termios).
type Modes struct {
	Known     bool // the terminal answered
	Canonical bool // ICANON: the kernel edits lines and hands them over whole
	Echo      bool // ECHO: the kernel shows what is typed
	// Read is after how long a read ends by itself in raw mode (VTIME with a VMIN
	// of 0), 0 when it does not.
	Read time.Duration
}

// Secret reports whether typed text is a secret: the kernel collects a line and
// does not show it. Readline and full-screen programs switch echo off too, but
// in raw mode.
func (m Modes) Secret() bool { return m.Known && m.Canonical && !m.Echo }

// Raw reports whether the program edits its input itself.
func (m Modes) Raw() bool { return m.Known && !m.Canonical }

// A Process names the process in front.
type Process struct {
	PGID int    // foreground process group; 0 when unknown
	PID  int    // the process that waits, else the group's leader or first member
	Comm string // its name as the kernel keeps it, at most 15 bytes
}

// An Activity counts how often the threads of a group have been on a processor.
// Two equal values mean that none of them ran in between. It is comparable.
type Activity struct {
	Threads int           // 0 when not counted
	IDs     uint64        // digest of the thread ids
	Run     time.Duration // time on a processor
	Slices  uint64        // times put on a processor
}

// A Fingerprint is what stays the same whenever a program waits at the same
// kind of prompt. It is comparable; learn it only at a confirmed prompt.
type Fingerprint struct {
	PGID   int
	Modes  Modes
	How    How
	Timed  bool
	Nested int
	Set    uint64 // digest of the descriptors waited for
	Others uint64 // digest of the calls of the other threads
}

// A Timer is the time limit of a wait.
type Timer struct {
	// Own says that it ends the wait of the thread that waits for the terminal, Relay
	// that it does of one that relays it. An event loop waits for the first of its timers
	// only.
	Own, Relay bool
	Length     time.Duration // from the beginning of the wait
	// The timer goes off between From and To: when the wait began is known from looks
	// alone. From is zero where no look has seen the thread before the wait, To where
	// the kernel does not tell.
	From, To time.Time
}

// timerSlack is how much the times of one timer may differ from look to look: most
// calls count in milliseconds.
const timerSlack = 5 * time.Millisecond

// Same reports whether t and u may be the same timer, seen in two waits.
func (t Timer) Same(u Timer) bool {
	return !t.From.After(u.To.Add(timerSlack)) && !u.From.After(t.To.Add(timerSlack))
}

// Narrowed returns t with what u, the same timer seen again, tells more of when it goes
// off.
func (t Timer) Narrowed(u Timer) Timer {
	if u.From.After(t.From) {
		t.From = u.From
	}
	if u.To.Before(t.To) {
		t.To = u.To
	}
	return t
}

// MinPause is the least timeout of a call for this terminal alone that counts as
// Waiting. A program that
// asks for keys for a moment only, as irb does before each prompt, or between
// two steps of its work, waits for nobody.
const MinPause = 25 * time.Millisecond

// A View is what the kernel knew at one instant about who waits for input on a
// terminal. It is a plain value.
type View struct {
	// Known is false where the system does not tell: another user's process,
	// /proc hidden or odd, a system other than Linux. Modes, Foreground.PGID and
	// Drained may be right even so.
	Known bool
	// Hidden is set when Known is false because the foreground process belongs
	// to another user (sudo, su). Asleep and Activity are then still facts.
	Hidden bool
	// Drained reports that the terminal held no output that nobody had read.
	// It does not cover output that a reader had already taken out.
	Drained bool
	// Asleep reports that no thread of the foreground group ran, was about to
	// run, or waited for a disk.
	Asleep bool
	// Waiting reports that one of the group's threads waited to read this
	// terminal while the group was asleep and the terminal drained, all of this
	// at the same instant.
	Waiting bool
	How     How  // the call in which the thread waits, when Waiting
	Sole    bool // that call waits for this terminal alone
	// Loop reports that, besides this terminal, the call waits only for what the
	// process itself or a signal sets off, as event loops do (eventfd, signalfd, a
	// pipe of which it holds both ends).
	Loop  bool
	Timed bool // that call ends by itself after Timeout
	// Timeout is how long the call lasts at most, from when it began; 0 when it
	// is not Timed, or not known.
	Timeout time.Duration
	Rest    Rest // what the other threads of the group wait for
	// Reader is, while others of the group are at work, the process of which one
	// thread waits to read this terminal and all others sleep: fish at its prompt,
	// whose helper reads manual pages. 0 when there is none, or when Asleep.
	Reader int
	// Listens reports that one of the group's threads waits to read this terminal,
	// whatever the others do. Without, nobody is at a prompt.
	Listens bool
	// Fed reports that the program that Listens filters what another one of its group
	// writes, which still runs: it may draw as long as that does.
	Fed bool
	// Stopped reports that all of the foreground group is stopped (SIGSTOP, or
	// ctrl+z where no shell takes over).
	Stopped bool
	// Writing reports that a thread is blocked writing to this terminal: its
	// reader is slow, or ctrl+s was typed.
	Writing bool
	// Nested counts the terminals between this one and the group described:
	// 1 inside script or expect, 0 otherwise.
	Nested      int
	Modes       Modes // of the innermost terminal when Nested
	Foreground  Process
	TID         int      // the waiting thread
	Waiter      Activity // of the waiting thread alone
	Activity    Activity // of the group, relays between nested terminals included
	Fingerprint Fingerprint
	// Timers are what ends the waits of the group's threads by itself, while it is
	// asleep, the soonest first, MaxTimers at most.
	Timers []Timer
	// Place tells where in the program each of its threads waits, and that nothing
	// from outside ends these waits but input and time: two equal ones mean that
	// the program is in the same state, as an editor in its main loop. Threads of
	// the group's descendants in other groups count too. 0 when not known, or when
	// the call waits for this terminal alone and for good: that says as much.
	Place uint64
	// Wakes is the shortest timeout of these waits, from when each began, but for
	// those below MinPause; 0 when none has any.
	Wakes time.Duration
}

// Final reports whether only input, a signal or a process outside of the
// foreground group can make the group go on: the strongest form of Waiting. It
// needs no confirmation by time.
func (v View) Final() bool {
	return v.Waiting && (v.Sole || v.Loop) && !v.Timed && v.Rest == RestIdle
}

// Quiet reports whether nothing of the foreground group ran between looks a and
// b, and both saw the same state: a second look after a while that is Quiet
// confirms the first.
func Quiet(a, b View) bool {
	return a.Asleep && b.Asleep && a.Activity.Threads > 0 && a.Activity == b.Activity &&
		a.Waiting == b.Waiting && a.Fingerprint == b.Fingerprint && a.Drained && b.Drained
}

// Scheduled reports whether the group that v shows has run since the look
// before, or true when before does not tell.
func (v View) Scheduled(before View) bool {
	if !before.Asleep || before.Activity.Threads == 0 || v.Activity.Threads == 0 {
		return true // Nothing says otherwise: it was running, or nobody looked.
	}
	if v.Waiting && before.Waiting && v.TID == before.TID {
		return v.Waiter != before.Waiter
	}
	return v.Activity != before.Activity
}

// Answers reports whether v proves that all that was written to the terminal
// just after the look before has been consumed, and that only further input can
// make the group go on. The kernel hands over what was typed before it lets a
// reader sleep again, so one that slept before, has run since and waits again
// has taken it all. A group that was running as before was taken may have gone
// to sleep just before the input came: that is not proof.
func (v View) Answers(before View) bool {
	return v.Final() && before.Asleep && before.Activity.Threads > 0 && v.Scheduled(before)
}
