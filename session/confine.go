package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/internal/sandbox"
	"github.com/glasstty/glasstty/session/shellmarks"
)

// A confinement is what a session's program is started into.
type confinement struct {
	job   *sandbox.Job   // nil: no sandbox
	state *sandbox.State // told to the session's users
	temp  string         // a temporary directory of the session's own
	notes []string       // for the first reply
}

// inherited returns what a child gets of this process's environment, and the names
// of what is withheld.
func (m *Manager) inherited(o StartOptions) (env, withheld []string) {
	if !m.opt.Scrub && !m.sandboxed(o) {
		return os.Environ(), nil
	}
	return sandbox.Scrub(os.Environ(), m.opt.KeepEnv)
}

// sandboxed reports whether a session is to have a sandbox.
func (m *Manager) sandboxed(o StartOptions) bool { return m.opt.Sandboxed || o.Sandbox != nil }

// confine returns the sandbox of a session, which has none unless the Manager's
// options or o ask for it. A session may only tighten what the options say.
func (m *Manager) confine(o StartOptions, withheld []string) (*confinement, error) {
	if !m.sandboxed(o) {
		return &confinement{}, nil
	}
	policy := m.opt.Sandbox
	if o.Sandbox != nil {
		var err error
		if policy, err = policy.Tighten(*o.Sandbox); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrArgument, err)
		}
	}
	policy, err := policy.Check()
	if err != nil {
		return nil, err
	}
	missing, err := sandbox.Probe().Ready(policy)
	if err != nil {
		return nil, err
	}
	c := &confinement{job: &sandbox.Job{Policy: policy}}
	dir := o.Dir // without links
	why := policy.WorkDir(dir)
	if why == "" {
		c.job.Writable = []string{dir}
	}
	c.state = &sandbox.State{
		Backend: policy.Backend, Strict: policy.Strict, Write: append(slices.Clone(c.job.Writable), policy.Write...),
		Network: policy.Network, Ports: policy.Ports, Limits: policy.Limits, Missing: missing, Withheld: withheld,
	}
	c.note(dir, why)
	return c, nil
}

// note says in the first reply what the program may not do, in few words.
func (c *confinement) note(dir, why string) {
	text := "sandboxed"
	if len(c.state.Missing) > 0 {
		text = "sandboxed in part"
	}
	if why == "" {
		text += ": writes only below " + strings.Join(append(slices.Clone(c.state.Write), "$TMPDIR"), ", ")
	} else {
		text += fmt.Sprintf(": %s cannot be written (%s), $TMPDIR can", dir, why)
	}
	switch c.state.Network {
	case sandbox.NetworkNone:
		text += "; no network"
	case sandbox.NetworkPrivate:
		text += "; no network but a localhost of its own"
	case sandbox.NetworkPorts:
		text += "; TCP ports " + strings.Trim(fmt.Sprint(c.state.Ports), "[]") + " only"
	}
	c.notes = append(c.notes, text)
	if len(c.state.Missing) > 0 {
		c.notes = append(c.notes, "not enforced: "+strings.Join(c.state.Missing, "; "))
	}
}

// settle makes the session's own temporary directory, lets the program read the
// shell's start files, and returns its environment.
func (c *confinement) settle(setup *shellmarks.Setup, o StartOptions) ([]string, error) {
	if c.job == nil {
		return setup.Env, nil
	}
	temp, err := os.MkdirTemp("", "glasstty-tmp-")
	if err != nil {
		return nil, fmt.Errorf("the session's temporary directory: %w", err)
	}
	if temp, err = filepath.EvalSymlinks(temp); err != nil {
		return nil, err
	}
	c.temp = temp
	c.job.Writable = append(c.job.Writable, temp)
	c.job.Readable = setup.Temp()
	if _, given := o.Env["TMPDIR"]; given {
		return setup.Env, nil
	}
	env := slices.DeleteFunc(slices.Clone(setup.Env), func(e string) bool { return strings.HasPrefix(e, "TMPDIR=") })
	return append(env, "TMPDIR="+temp), nil
}

// dirs returns the directories to remove when the program has ended.
func (c *confinement) dirs(more []string) []string {
	if c.temp == "" {
		return more
	}
	return append(slices.Clone(more), c.temp)
}

// undo removes what settle has made, when the program could not be started.
func (c *confinement) undo() {
	if c.temp != "" {
		_ = os.RemoveAll(c.temp) // nothing is in it yet
	}
}

// reason adds to err, why the program could not be executed, what the sandbox has
// to do with it.
func (c *confinement) reason(err error) error {
	if c.job != nil && errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w; the sandbox may not let it be read (see --sandbox-read, --sandbox-hide)", err)
	}
	return err
}
