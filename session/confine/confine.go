// Package confine prepares the sandbox of a session's program: what the program may do, which
// variables of the server's environment it gets, its temporary directory, and the notes in the
// session's first reply that say all this.
package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/internal/environ"
	"github.com/glasstty/glasstty/internal/sandbox"
)

// Rules say whether programs get a sandbox, and which variables they do not get.
type Rules struct {
	Policy    sandbox.Policy // what a sandboxed program may do; the result of Policy.Check
	Sandboxed bool           // every program gets a sandbox
	Scrub     bool           // variables that seem to contain secrets are withheld, even without a sandbox
	KeepEnv   []string       // patterns for names that are not withheld
}

// Inherited returns the variables of the server's environment that a program gets, and the names of
// the withheld ones.
func (r Rules) Inherited() (env, withheld []string) {
	if !r.Scrub && !r.Sandboxed {
		return os.Environ(), nil
	}
	return sandbox.Scrub(os.Environ(), r.KeepEnv)
}

// A Box is the sandbox of a session's program.
type Box struct {
	Job   *sandbox.Job   // nil if there is no sandbox
	State *sandbox.State // reported to the session's users; nil if there is no sandbox
	Notes []string       // notes on the sandbox for the session's first reply
}

// Box returns the Box for a program that runs in dir, a path without symbolic links. withheld is from Inherited.
func (r Rules) Box(dir string, withheld []string) (*Box, error) {
	if !r.Sandboxed {
		return &Box{}, nil
	}
	policy, err := r.Policy.Check()
	if err != nil {
		return nil, err
	}
	missing, err := sandbox.Probe().Check(policy)
	if err != nil {
		return nil, err
	}
	b := &Box{Job: &sandbox.Job{Policy: policy}}
	why := policy.WhyNotWritable(dir)
	if why == "" {
		b.Job.Writable = []string{dir}
	}
	b.State = &sandbox.State{
		Backend: policy.Backend, Strict: policy.Strict, Write: append(append([]string{}, b.Job.Writable...), policy.Write...),
		Network: policy.Network, Ports: policy.Ports, Limits: policy.Limits, Missing: missing, Withheld: withheld,
	}
	b.note(dir, why)
	return b, nil
}

// note adds notes on what the program may do. why is the reason why dir cannot be written, or "" if it can.
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

// AllowDir lets the program read dir, the session's own directory, and write in a new temporary
// directory below it. It returns env with TMPDIR set to the new directory, unless hasTemp says that
// the caller has set TMPDIR. If there is no sandbox, it only returns env.
func (b *Box) AllowDir(dir string, env []string, hasTemp bool) ([]string, error) {
	if b.Job == nil {
		return env, nil
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	temp := filepath.Join(dir, "tmp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		return nil, err
	}
	b.Job.Readable, b.Job.Writable = []string{dir}, append(b.Job.Writable, temp)
	if hasTemp {
		return env, nil
	}
	return environ.With(env, "TMPDIR", temp), nil
}

// Explain adds a hint about the sandbox to err, the error of executing the program, if the sandbox may be the cause.
func (b *Box) Explain(err error) error {
	if b.Job != nil && errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w; the sandbox may not let it be read (see --sandbox-read, --sandbox-hide)", err)
	}
	return err
}
