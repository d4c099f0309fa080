package session

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/sandbox"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/kernel"
	"github.com/glasstty/glasstty/session/mask"
)

// A Session is one child on one terminal. It is safe for concurrent use.
type Session struct {
	m     *Manager
	id    string
	opt   StartOptions
	child child.Child
	nonce string // in the marks of a shell that we gave them to, else ""
	// startCall is the call that started it, see WithCall.
	startCall string
	box       *sandbox.State // nil: it has no sandbox
	created   time.Time
	queue     *queue
	rate      bucket // used by who has the queue's turn
	saver     stateSaver
	metaMu    sync.Mutex // held while metadata are written
	logErr    error      // why the log is kept in memory
	// forget removes the log of a session that is deleted; nil: there is none.
	forget func() error

	loops   sync.WaitGroup
	drained chan struct{} // closed by readLoop: nothing more will be read
	exited  chan struct{} // closed by waitLoop: reaped, and drained or given up
	closing chan struct{} // closed by close
	once    sync.Once     // closes closing

	// mu guards what follows. Nothing blocks under it: no PTY, channel or
	// callback.
	mu      sync.Mutex
	changed chan struct{} // closed and replaced at every change that a wait may care for
	term    *emulator.Terminal
	raw     ring
	size    emulator.Size

	status   Status
	exitCode int
	left     bool // the session goes on without us, see Manager.Leave
	undrain  bool // the child ended and something keeps its terminal open
	activity time.Time

	lastOutput time.Time
	bytesIn    int64
	prompts    detect.Prompts
	pace       detect.Pace
	front      front     // the process and modes of the last confirmed prompt
	modes      front     // as last seen
	modesAt    time.Time // since when
	fronts     []int     // process groups that have prompted
	waiters    []int     // process groups that have been seen to wait for input
	waits      []kernel.Fingerprint
	homes      homes
	last       typed     // the last input
	unsent     int       // pieces of typed input that have not reached the terminal
	unnamed    int       // calls without a name that have typed
	rebuilt    []*typing // what the latest calls have typed, should they be made again
	echoes     echoes
	marks      marks
	edit       lineEdit
	view       view

	secret mask.Typed

	line  typedInput  // being typed; see line.go
	held  []heldInput // waits to be confirmed; see guard.go
	holds uint64      // changes of held

	readers    map[int]*reader
	nextReader int
	events     numbered[emulator.Event]
	notices    numbered[string] // what every reader is to be told
	life       life
	keys       keyboard
	cutTyping  func(error) // ends what a tool call is typing; nil when none is
	keysTimer  *time.Timer // gives the keyboard back for a holder who is away
	messages   messageLog
	notes      []string // for the first reply: what differs from what was asked
	inputs     int64    // calls that have typed
	outBefore  int64    // of a lost session: bytes of output before those in raw
	saves      checkpoints
	cwd        string // as told by OSC 7
	lastReason detect.Reason
	answered   bool // a secret has been submitted since lastReason
}

// ID returns the session's short id.
func (s *Session) ID() string { return s.id }

// running reports whether the child has not ended.
func (s *Session) running() bool {
	select {
	case <-s.exited:
		return false
	default:
		return true
	}
}

// errExited says that the child has ended, for a call that needs it.
func (s *Session) errExitedLocked(verb string) error {
	if s.status == StatusLost {
		return fmt.Errorf("%w: session %s (%s) was %s, and cannot be %s", ErrExited, s.id, s.opt.Command, s.lostWhenLocked(), verb)
	}
	if s.life.ended != "" {
		return fmt.Errorf("%w: session %s (%s) cannot be %s; %s", ErrExited, s.id, s.opt.Command, verb, s.life.ended)
	}
	return fmt.Errorf("%w: session %s (%s) ended with code %d and cannot be %s",
		ErrExited, s.id, s.opt.Command, s.exitCode, verb)
}

// notifyLocked wakes all who wait for a change.
func (s *Session) notifyLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Info returns the session's facts.
func (s *Session) Info() Info {
	tty := s.lookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	info := Info{
		ID: s.id, Name: s.opt.Name,
		Command: s.opt.Command, Args: slices.Clone(s.opt.Args),
		Pipe:      s.opt.Pipe,
		Status:    s.status,
		PID:       s.child.PID(),
		CreatedAt: s.created, LastActivity: s.activity,
		Size:        s.size,
		Title:       s.term.Title(),
		LastReason:  s.lastReason,
		LastCommand: s.marks.lastCommand(),
		BytesIn:     s.bytesIn,
		BytesOut:    s.outBefore + s.raw.total,
		Modes:       s.term.Modes(),
		Keyboard:    s.keys.state(),
		Ended:       s.life.ended,
		Sandbox:     s.box,
	}
	if s.last.by {
		info.TypedBy, info.TypedAt = s.last.person, s.last.at
	}
	for id := range s.readers {
		info.Readers = append(info.Readers, id)
	}
	slices.Sort(info.Readers)
	if s.status == StatusExited {
		code := s.exitCode
		info.ExitCode = &code
	}
	info.Cwd, info.Foreground = s.whereLocked(tty)
	s.hideInfo(&info)
	return info
}

// whereLocked returns the working directory and the name of the process in
// front.
func (s *Session) whereLocked(tty ttyState) (cwd, foreground string) {
	if s.status != StatusRunning {
		return s.cwd, ""
	}
	pid := s.child.PID()
	switch view := s.view.now.Foreground; {
	case tty.group <= 0:
	case s.view.fresh && view.PGID == tty.group && view.Comm != "":
		// Of a pipeline, the one that waits for input.
		foreground = view.Comm
	default:
		foreground = child.GroupName(tty.group)
	}
	if foreground == "" {
		foreground = child.Name(pid)
	}
	if s.cwd != "" {
		return s.cwd, foreground
	}
	if cwd = child.Cwd(pid); cwd == "" {
		cwd = s.opt.Dir
	}
	return cwd, foreground
}

// lookTTY asks the kernel about the session's terminal.
func (s *Session) lookTTY() ttyState {
	master := s.child.Terminal()
	if master == nil {
		return ttyState{}
	}
	return lookTTY(master)
}

// Snapshot returns a copy of the screen with scrollback rows above it (-1: all).
func (s *Session) Snapshot(scrollback int) *emulator.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shotLocked(scrollback)
}

// resizeLimit is how long a resize may take: the output that came before it is
// shown first.
const resizeLimit = 5 * time.Second

// Resize changes PTY and screen together; a zero field keeps its value. It
// returns the new size when the screen has it.
func (s *Session) Resize(rows, cols int) (emulator.Size, error) {
	size, err := s.askResize(rows, cols)
	if err != nil {
		return size, err
	}
	limit := time.NewTimer(resizeLimit)
	defer limit.Stop()
	for {
		s.mu.Lock()
		resized, changed := s.size == size, s.changed
		s.mu.Unlock()
		if resized {
			return size, nil
		}
		select {
		case <-changed:
		case <-s.exited:
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.size, s.errExitedLocked("resized")
		case <-limit.C:
			return size, fmt.Errorf("resize session %s: its output has not been read up to the change within %s", s.id, resizeLimit)
		}
	}
}

// askResize has the terminal resized; the screen follows when all output from
// before has been taken.
func (s *Session) askResize(rows, cols int) (emulator.Size, error) {
	s.mu.Lock()
	size, err := s.newSizeLocked(rows, cols)
	same := size == s.size
	s.mu.Unlock()
	if err != nil || same {
		return size, err
	}
	if err := s.child.Resize(child.Size(size)); err != nil {
		return size, fmt.Errorf("resize session %s: %w", s.id, err)
	}
	return size, nil
}

// newSizeLocked returns the size that a resize asks for.
func (s *Session) newSizeLocked(rows, cols int) (emulator.Size, error) {
	size := emulator.Size{Rows: cmp.Or(rows, s.size.Rows), Cols: cmp.Or(cols, s.size.Cols)}
	if err := checkSize(size); err != nil {
		return s.size, err
	}
	if s.opt.Pipe {
		return s.size, fmt.Errorf("%w: session %s cannot be resized", ErrPipe, s.id)
	}
	if s.status != StatusRunning {
		return s.size, s.errExitedLocked("resized")
	}
	return size, nil
}

// resized takes a resize that the terminal has made: output from here on, which the
// log has from logged on, is for the new size.
func (s *Session) resized(size emulator.Size, logged int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saves.logged = logged
	s.term.Resize(size)
	s.size = size
	s.view.fresh = false
	s.notifyLocked()
}
