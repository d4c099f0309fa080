package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/shellmarks"
)

// The size of a terminal whose StartOptions do not say.
const (
	DefaultRows = 24
	DefaultCols = 80
)

// checkStart returns o with its defaults applied, or an error that names what
// is wrong with it.
func checkStart(o StartOptions) (StartOptions, error) {
	o.Size.Rows = cmp.Or(o.Size.Rows, DefaultRows)
	o.Size.Cols = cmp.Or(o.Size.Cols, DefaultCols)
	if err := checkSize(o.Size); err != nil {
		return o, err
	}
	if len(o.Name) > maxName {
		return o, fmt.Errorf("%w: name is %d bytes long; at most %d", ErrArgument, len(o.Name), maxName)
	}
	if strings.ContainsFunc(o.Name, unicode.IsControl) {
		return o, fmt.Errorf("%w: name %q: a name cannot contain control characters", ErrArgument, o.Name)
	}
	var err error
	if o.Dir, err = checkDir(o.Dir); err != nil {
		return o, err
	}
	for k, v := range o.Env {
		if k == "" || strings.ContainsAny(k, "=\x00") || strings.ContainsRune(v, 0) {
			return o, fmt.Errorf("%w: environment variable %q: a name cannot be empty or contain \"=\", and neither part a NUL byte", ErrArgument, k)
		}
	}
	for i, a := range o.Args {
		if strings.ContainsRune(a, 0) {
			return o, fmt.Errorf("%w: args[%d] %q: an argument cannot contain a NUL byte", ErrArgument, i, a)
		}
	}
	o.Args = slices.Clone(o.Args)
	return o, nil
}

// checkSize reports a size that a terminal cannot have.
func checkSize(s emulator.Size) error {
	if s.Rows < 1 || s.Rows > emulator.MaxRows {
		return fmt.Errorf("%w: rows is %d; allowed are 1 to %d", ErrArgument, s.Rows, emulator.MaxRows)
	}
	if s.Cols < 1 || s.Cols > emulator.MaxCols {
		return fmt.Errorf("%w: cols is %d; allowed are 1 to %d", ErrArgument, s.Cols, emulator.MaxCols)
	}
	return nil
}

// environment returns the child's environment: what it inherits, what makes
// our terminal known, and what the caller adds.
func (m *Manager) environment(inherited []string, add map[string]string) []string {
	// LINES and COLUMNS would freeze the size for programs that believe them
	// more than the terminal.
	drop := []string{"LINES", "COLUMNS", "TERMCAP", "WINDOWID", "TMUX", "TMUX_PANE", "STY"}
	set := map[string]string{
		"TERM":                 "xterm-256color",
		"COLORTERM":            "truecolor",
		"TERM_PROGRAM":         "glasstty",
		"TERM_PROGRAM_VERSION": m.opt.Version,
	}
	for k, v := range add {
		set[k] = v
	}
	var env []string
	for _, e := range inherited {
		k, _, _ := strings.Cut(e, "=")
		if _, ours := set[k]; !ours && !slices.Contains(drop, k) {
			env = append(env, e)
		}
	}
	for k, v := range set {
		env = append(env, k+"="+v)
	}
	slices.Sort(env)
	return env
}

// lookupEnv returns the value of a variable in env.
func lookupEnv(env []string, name string) string {
	for _, e := range env {
		if k, v, _ := strings.Cut(e, "="); k == name {
			return v
		}
	}
	return ""
}

// start starts the child of a new session and its loops. Where the system has no
// terminal to give it starts it on pipes, and the first reply says so.
func start(ctx context.Context, m *Manager, id string, o StartOptions) (*Session, error) {
	s, err := startOn(ctx, m, id, o)
	if !errors.Is(err, child.ErrNoPTY) {
		return s, err
	}
	o.Pipe = true
	note := fmt.Sprintf("no terminal could be had (%v): it runs on pipes", err)
	if s, err = startOn(ctx, m, id, o); err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.notes = append([]string{note}, s.notes...)
	}
	return s, err
}

// startOn is start without a second try.
func startOn(ctx context.Context, m *Manager, id string, o StartOptions) (*Session, error) {
	inherited, withheld := m.inherited(o)
	env := m.environment(inherited, o.Env)
	fixed := !m.opt.Programs.Empty() || m.sandboxed(o)
	if fixed {
		var err error
		if o.Dir, err = filepath.EvalSymlinks(o.Dir); err != nil {
			return nil, fmt.Errorf("%w: cwd: %w", ErrArgument, err)
		}
	}
	file, err := resolve(o.Command, o.Dir, lookupEnv(env, "PATH"), o.Args)
	if err != nil {
		return nil, err
	}
	runs, err := m.mayStart(file, o)
	if err != nil {
		return nil, err
	}
	if err := m.checkDanger(o); err != nil {
		return nil, err
	}
	box, err := m.confine(o, withheld)
	if err != nil {
		return nil, fmt.Errorf("%w %q: %w", ErrCommand, o.Command, err)
	}
	if err := m.auditStart(ctx, id, file, o, box.job != nil); err != nil {
		return nil, err
	}
	notes := box.notes
	if o.Pipe {
		var note string
		if o.Args, note = withInteractive(file, o.Args); note != "" {
			notes = append(notes, note)
		}
	}
	setup := &shellmarks.Setup{Args: o.Args, Env: env}
	if !o.NoMarks && !o.Pipe {
		// When its files cannot be written the shell starts as it is.
		setup, _ = shellmarks.Prepare(file, o.Args, env)
	}
	s := newSession(m, id, o, setup.Nonce, time.Now())
	s.notes, s.startCall, s.box = notes, callOf(ctx), box.state
	if err := s.execute(child.Spec{Path: runs, Fixed: fixed}, setup, box); err != nil {
		_ = setup.Close()
		box.undo()
		return nil, fmt.Errorf("%w %q: %w", ErrCommand, o.Command, box.reason(err))
	}
	return s, nil
}

// execute starts the session's program, and its loops. What is judged before is in
// the Spec.
func (s *Session) execute(spec child.Spec, setup *shellmarks.Setup, box *confinement) error {
	env, err := box.settle(setup, s.opt)
	if err != nil {
		return err
	}
	state, err := json.Marshal(s.keptLocked()) // nobody else has it
	if err != nil {
		return err
	}
	spec.ID, spec.Env, spec.Dir = s.id, env, s.opt.Dir
	spec.Args = append([]string{s.opt.Command}, setup.Args...)
	spec.Size, spec.Pipe = child.Size(s.opt.Size), s.opt.Pipe
	spec.Temp, spec.Sandbox = box.dirs(setup.Temp()), box.job
	spec.Limits, spec.State = s.m.opt.Limits.Tree, state
	s.child, err = s.m.owner.Start(spec)
	if err != nil {
		return err
	}
	term := s.m.opt.Terminal
	term.Size = s.opt.Size
	s.term = emulator.New(term)
	s.run()
	return nil
}

// newSession returns a session without child, terminal and loops.
func newSession(m *Manager, id string, o StartOptions, nonce string, created time.Time) *Session {
	s := &Session{
		m: m, id: id, opt: o,
		nonce:   nonce,
		created: created,
		drained: make(chan struct{}),
		exited:  make(chan struct{}),
		closing: make(chan struct{}),
		queue:   newQueue(),
	}
	s.raw.limit = rawLimit
	s.changed = make(chan struct{})
	s.size = o.Size
	s.last = typed{at: created}
	s.marks.ran, s.marks.done = -1, -1
	s.marks.starting = nonce != ""
	s.readers = map[int]*reader{0: {}}
	s.status = StatusRunning
	s.activity = created
	s.life.used = created
	s.rate.rate = m.opt.Limits.InputRate
	return s
}

// run starts the session's loops.
func (s *Session) run() {
	s.openView()
	switch store := s.child.Log().(type) {
	case *failedStore:
		s.logErr = store.err
	case eventlog.DirStore:
		s.forget = func() error { return os.RemoveAll(string(store)) }
	}
	s.loops.Go(s.readLoop)
	s.loops.Go(s.writeLoop)
	if l := s.m.opt.Limits; l.Idle > 0 || l.Lifetime > 0 {
		s.loops.Go(s.lifeLoop)
	}
	s.loops.Go(func() {
		s.saveMeta()
		s.waitLoop()
		s.auditExit()
		s.saveMeta()
	})
}
