// Package confine puts a session's program into a sandbox: it decides what the program may
// do and what it gets of the server's environment, makes its temporary directory, and says
// all that in the session's first reply.
package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/internal/sandbox"
)

// Rules say which programs get a sandbox, and what is withheld from all.
type Rules struct {
	Policy  sandbox.Policy // what a sandboxed program may do, as its Check returned it
	Always  bool           // every program gets one, and not only those that ask
	Scrub   bool           // variables that seem to hold secrets are withheld from all
	KeepEnv []string       // patterns for names that are not withheld
}

// Wanted reports whether a program that asks for req, nil for nothing, is to have a sandbox.
func (r Rules) Wanted(req *sandbox.Request) bool { return r.Always || req != nil }

// Inherited returns what the program gets of this process's environment, and the names of
// what is withheld.
func (r Rules) Inherited(req *sandbox.Request) (env, withheld []string) {
	if !r.Scrub && !r.Wanted(req) {
		return os.Environ(), nil
	}
	return sandbox.Scrub(os.Environ(), r.KeepEnv)
}

// A Box is what a session's program is started into. Without a Job it has no sandbox.
type Box struct {
	Job   *sandbox.Job   // nil: no sandbox
	State *sandbox.State // told to the session's users
	Notes []string       // for the first reply
	temp  string         // a temporary directory of the session's own
}

// Tighten returns the rules for a program that asks for req, which may not ask for more
// than they allow.
func (r Rules) Tighten(req *sandbox.Request) (Rules, error) {
	if req == nil {
		return r, nil
	}
	var err error
	r.Always = true
	r.Policy, err = r.Policy.Tighten(*req)
	return r, err
}

// Box returns what a program is started into, in a directory without links.
func (r Rules) Box(dir string, withheld []string) (*Box, error) {
	if !r.Always {
		return &Box{}, nil
	}
	policy, err := r.Policy.Check()
	if err != nil {
		return nil, err
	}
	missing, err := sandbox.Probe().Ready(policy)
	if err != nil {
		return nil, err
	}
	b := &Box{Job: &sandbox.Job{Policy: policy}}
	why := policy.WorkDir(dir)
	if why == "" {
		b.Job.Writable = []string{dir}
	}
	b.State = &sandbox.State{
		Backend: policy.Backend, Strict: policy.Strict, Write: append(slices.Clone(b.Job.Writable), policy.Write...),
		Network: policy.Network, Ports: policy.Ports, Limits: policy.Limits, Missing: missing, Withheld: withheld,
	}
	b.note(dir, why)
	return b, nil
}

// note says in the first reply what the program may not do, in few words.
func (b *Box) note(dir, why string) {
	text := "sandboxed"
	if len(b.State.Missing) > 0 {
		text = "sandboxed in part"
	}
	if why == "" {
		text += ": writes only below " + strings.Join(append(slices.Clone(b.State.Write), "$TMPDIR"), ", ")
	} else {
		text += fmt.Sprintf(": %s cannot be written (%s), $TMPDIR can", dir, why)
	}
	switch b.State.Network {
	case sandbox.NetworkNone:
		text += "; no network"
	case sandbox.NetworkPrivate:
		text += "; no network but a localhost of its own"
	case sandbox.NetworkPorts:
		text += "; TCP ports " + strings.Trim(fmt.Sprint(b.State.Ports), "[]") + " only"
	}
	b.Notes = append(b.Notes, text)
	if len(b.State.Missing) > 0 {
		b.Notes = append(b.Notes, "not enforced: "+strings.Join(b.State.Missing, "; "))
	}
}

// Settle makes the session's own temporary directory, lets the program read the readable
// directories, and returns its environment; with given, that has a TMPDIR of the caller's.
func (b *Box) Settle(env, readable []string, given bool) ([]string, error) {
	if b.Job == nil {
		return env, nil
	}
	temp, err := os.MkdirTemp("", "glasstty-tmp-")
	if err != nil {
		return nil, fmt.Errorf("the session's temporary directory: %w", err)
	}
	if temp, err = filepath.EvalSymlinks(temp); err != nil {
		return nil, err
	}
	b.temp = temp
	b.Job.Writable = append(b.Job.Writable, temp)
	b.Job.Readable = readable
	if given {
		return env, nil
	}
	env = slices.DeleteFunc(slices.Clone(env), func(e string) bool { return strings.HasPrefix(e, "TMPDIR=") })
	return append(env, "TMPDIR="+temp), nil
}

// Dirs returns the directories to remove when the program has ended.
func (b *Box) Dirs(more []string) []string {
	if b.temp == "" {
		return more
	}
	return append(slices.Clone(more), b.temp)
}

// Undo removes what Settle has made, when the program could not be started.
func (b *Box) Undo() {
	if b.temp != "" {
		_ = os.RemoveAll(b.temp) // nothing is in it yet
	}
}

// Reason adds to err, why the program could not be executed, what the sandbox has
// to do with it.
func (b *Box) Reason(err error) error {
	if b.Job != nil && errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w; the sandbox may not let it be read (see --sandbox-read, --sandbox-hide)", err)
	}
	return err
}
