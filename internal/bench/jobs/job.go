package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// A job is a task that an agent does in a terminal.
type job struct {
	name  string
	needs []string // programs
	// prepare makes the files that the job is about in its directory.
	prepare func(ctx context.Context, f *site) error
	// script does the job, in the same steps with every server.
	script func(a *agent, f *site)
	// without, when not nil, does it where programs have no terminal and the
	// steps need one: by what the server has for the same end.
	without func(a *agent, f *site)
	// whole, when not nil, returns the text that the job is to read all of: no
	// server can do it for less.
	whole func(ctx context.Context, f *site) (string, error)
	// check looks whether the job is done: at what it should have changed, and
	// whether the answer was in what the model read.
	check func(f *site, read string) error
}

// A site is the directory in which one job is done once.
type site struct {
	dir     string // the servers' and programs' working directory
	ssh     *peer.SSHServer
	hog     int // process ids
	hoard   int
	cleanup []func()
}

// close ends what prepare started.
func (f *site) close() {
	for _, end := range f.cleanup {
		end()
	}
}

// write writes a file of the site.
func (f *site) write(name, text string, mode os.FileMode) error {
	path := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), mode)
}

// read returns a file of the site.
func (f *site) read(name string) (string, error) {
	data, err := os.ReadFile(filepath.Join(f.dir, name))
	return string(data), err
}

// exec runs a command in the site and returns what it prints.
func (f *site) exec(ctx context.Context, in io.Reader, argv ...string) (string, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdin = f.dir, in
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, out)
	}
	return string(out), nil
}

// missing returns the first program that the job needs and that is not installed.
func (j job) missing() string {
	for _, n := range j.needs {
		if _, err := exec.LookPath(n); err != nil {
			return n
		}
	}
	return ""
}

// jobs are the ten jobs.
func jobs() []job {
	return []job{pdbJob(), vimJob(), topJob(), installerJob(), manJob(), buildJob(), gitJob(), sqliteJob(), sshJob(), gdbJob()}
}

// contains checks that the model has read each of the texts.
func contains(read string, texts ...string) error {
	for _, t := range texts {
		if !strings.Contains(read, t) {
			return fmt.Errorf("the model never read %q", t)
		}
	}
	return nil
}

func nameOf(j job) string { return j.name }
