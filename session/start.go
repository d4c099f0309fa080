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
	"github.com/glasstty/glasstty/internal/environ"
	"github.com/glasstty/glasstty/internal/tempdir"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/command"
	"github.com/glasstty/glasstty/session/confine"
	"github.com/glasstty/glasstty/session/histfile"
	"github.com/glasstty/glasstty/session/limit"
	"github.com/glasstty/glasstty/session/queue"
	"github.com/glasstty/glasstty/session/ready"
	"github.com/glasstty/glasstty/session/shellmarks"
	"github.com/glasstty/glasstty/session/state"
)

// The default size of a terminal.
const (
	DefaultRows = 24
	DefaultCols = 80
)

// checkStart returns o with defaults for its size and directory, or an error if o is not valid.
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
	if strings.Contains(o.Name, "/") {
		return o, fmt.Errorf("%w: name %q contains \"/\", which separates a node from its session (NODE/SESSION); a name may contain all other printable characters: give %q, for example",
			ErrArgument, o.Name, nameWithoutSlash(o.Name))
	}
	var err error
	if o.Dir, err = command.ResolveDir(o.Dir); err != nil {
		return o, fmt.Errorf("%w: %w", ErrArgument, err)
	}
	if err := command.CheckStart(o.Args, o.Env); err != nil {
		return o, fmt.Errorf("%w: %w", ErrArgument, err)
	}
	o.Args = slices.Clone(o.Args)
	return o, nil
}

// nameWithoutSlash returns name with hyphens for slashes. A name with a slash would look like the
// address of a session on another node.
func nameWithoutSlash(name string) string { return strings.ReplaceAll(name, "/", "-") }

// checkSize returns an error for a size that a terminal cannot have.
func checkSize(s emulator.Size) error {
	if s.Rows < 1 || s.Rows > emulator.MaxRows {
		return fmt.Errorf("%w: rows is %d; want 1 to %d", ErrArgument, s.Rows, emulator.MaxRows)
	}
	if s.Cols < 1 || s.Cols > emulator.MaxCols {
		return fmt.Errorf("%w: cols is %d; want 1 to %d", ErrArgument, s.Cols, emulator.MaxCols)
	}
	return nil
}

// start starts the child of a new session, and the session's loops. If the system has no terminal left,
// start uses pipes, and the first reply says so.
func start(ctx context.Context, m *Manager, id string, o StartOptions) (*Session, error) {
	s, err := startOn(ctx, m, id, o)
	if !errors.Is(err, child.ErrNoPTY) {
		return s, err
	}
	o.Pipe = true
	note := fmt.Sprintf("no terminal was available (%v): the program runs on pipes", err)
	if s, err = startOn(ctx, m, id, o); err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.readers.Notices.Add(note)
	}
	return s, err
}

// startOn is start without the fallback to pipes.
func startOn(ctx context.Context, m *Manager, id string, o StartOptions) (*Session, error) {
	rules := m.opt.Confine
	rules.Sandboxed = rules.Sandboxed || o.Sandbox
	inherited, withheld := rules.Inherited()
	resolved := !m.opt.Programs.AllowsAll() || rules.Sandboxed
	if resolved {
		var err error
		if o.Dir, err = filepath.EvalSymlinks(o.Dir); err != nil {
			return nil, fmt.Errorf("%w: cwd: %w", ErrArgument, err)
		}
	}
	env := command.Environment(m.opt.Version, inherited, o.Dir, o.Env)
	path, _ := environ.Get(env, "PATH")
	file, err := command.Resolve(o.Command, o.Dir, path, o.Args)
	if err != nil {
		return nil, err
	}
	program, err := command.Allowed(m.opt.Programs, file, o.Command, o.Args, o.Dir, o.Env)
	if err != nil {
		return nil, err
	}
	if err := m.checkDanger(o); err != nil {
		return nil, err
	}
	box, err := rules.Box(o.Dir, withheld)
	if err != nil {
		return nil, fmt.Errorf("%w %q: %w", ErrCommand, o.Command, err)
	}
	if err := m.auditStart(ctx, id, file, o, box.Job != nil); err != nil {
		return nil, err
	}
	notes := box.Notes
	if o.Pipe {
		var note string
		if o.Args, note = command.InteractiveArgs(file, o.Args); note != "" {
			notes = append(notes, note)
		}
	}
	private, err := tempdir.Make(tempdir.Session)
	if err != nil && box.Job != nil {
		return nil, err
	}
	setup := m.setup(file, o, env, private, box.Job != nil)
	s := newSession(m, id, o, setup.Nonce, time.Now())
	s.startCall, s.box = callerOf(ctx).call, box.State
	for _, note := range notes { // about differences from the request
		s.readers.Notices.Add(note)
	}
	if err := s.execute(child.Spec{Path: program, DirResolved: resolved}, setup, private, box); err != nil {
		_ = os.RemoveAll(private) // nothing uses it yet
		return nil, fmt.Errorf("%w %q: %w", ErrCommand, o.Command, box.Explain(err))
	}
	return s, nil
}

// setup returns the arguments and environment of the program. They name files that setup writes in the
// directory private. If private is "", the program marks no prompts and uses the user's history file. If
// the files that make it mark prompts cannot be written, it marks none. A sandboxed program gets no
// history file of its own, because it cannot write the user's file anyway.
func (m *Manager) setup(file string, o StartOptions, env []string, private string, boxed bool) *shellmarks.Setup {
	if private == "" {
		return &shellmarks.Setup{Args: o.Args, Env: env}
	}
	var hist *histfile.Setup
	history := ""
	if !m.opt.WriteHistory && !boxed {
		hist = histfile.New(private, o.Env)
		env, history = hist.Env(env), hist.File()
	}
	setup := &shellmarks.Setup{Args: o.Args, Env: env}
	if !o.NoMarks && !o.Pipe {
		setup, _ = shellmarks.Prepare(file, o.Args, env, private, history)
	}
	if hist != nil && setup.Shell != "bash" && setup.Shell != "zsh" {
		setup.Env = hist.WithShell(setup.Env)
	}
	return setup
}

// execute starts the session's program and its loops. It sets the remaining fields of spec.
func (s *Session) execute(spec child.Spec, setup *shellmarks.Setup, private string, box *confine.Box) error {
	_, hasTemp := s.opt.Env["TMPDIR"]
	env, err := box.AllowDir(private, setup.Env, hasTemp)
	if err != nil {
		return err
	}
	state, err := json.Marshal(s.keptLocked()) // no other goroutine uses the session yet
	if err != nil {
		return err
	}
	spec.ID, spec.Env, spec.Dir = s.id, env, s.opt.Dir
	spec.Args = append([]string{s.opt.Command}, setup.Args...)
	spec.Command = strings.Join(append([]string{s.opt.Command}, s.opt.Args...), " ")
	spec.Size, spec.Pipe = child.Size(s.opt.Size), s.opt.Pipe
	spec.Temp, spec.Sandbox = private, box.Job
	spec.Limits, spec.State = s.m.opt.Limits.Tree, state
	s.child, err = s.m.owner.Start(spec)
	if err != nil {
		return err
	}
	s.run()
	return nil
}

// newSession returns a session that has no child yet and whose loops do not run.
func newSession(m *Manager, id string, o StartOptions, nonce string, created time.Time) *Session {
	o.Name = nameWithoutSlash(o.Name) // an older server, whose session is restored, may have allowed slashes
	term := m.opt.Terminal
	term.Size = o.Size
	q := queue.New(m.opt.Limits.InputRate)
	closing, stop := context.WithCancel(context.Background())
	return &Session{
		m: m, id: id, origin: origin{opt: o, created: created},
		queue:   q,
		ready:   ready.Watch{Unsent: q.Pending},
		loops:   loops{drained: make(chan struct{}), exited: make(chan struct{}), closing: closing, stop: stop},
		changed: make(chan struct{}),
		state:   state.New(state.Options{Terminal: term, Mask: m.mask(), Pipe: o.Pipe, Nonce: nonce, Began: created}),
		readers: readerSet{All: map[int]*state.Reader{0: {}}},
		life:    life{Life: limit.Life{Began: created, Used: created}},
		end:     ending{status: StatusRunning},
	}
}

func (s *Session) run() {
	s.ready.Open(s.state, s.child)
	if store, ok := s.child.Log().(*failedStore); ok {
		s.log.err = store.err
	}
	s.loops.Go(s.readLoop)
	s.loops.Go((&writer{s: s}).run)
	if l := s.m.opt.Limits; l.Idle > 0 || l.Lifetime > 0 {
		s.loops.Go(s.lifeLoop)
	}
	saved := make(chan struct{})
	s.loops.Go(func() {
		s.saveMeta() // may take long on a slow disk; in its own goroutine, it does not delay the report of the exit
		close(saved)
	})
	s.loops.Go(func() {
		s.waitLoop()
		s.m.auditExit(s.id, locked(s, func() ending { return s.end }))
		<-saved
		s.saveMeta()
	})
}
