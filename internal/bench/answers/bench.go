package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// bench runs the benchmark that the command line asks for.
func bench(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "answers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, stop, err := prepare(ctx, dir)
	if err != nil {
		return err
	}
	defer stop()
	// A tmux server outlives the terminal of its client.
	defer func() { _ = exec.Command("tmux", "-L", filepath.Base(dir), "kill-server").Run() }()
	ks, absent := sift(peer.Pick(kinds(p), func(k kind) string { return k.name }, o.kinds))
	if len(ks) == 0 {
		return fmt.Errorf("no kind matches %q", o.kinds)
	}
	for _, a := range absent {
		fmt.Fprintln(os.Stderr, "left out:", a)
	}
	rep := &report{cores: runtime.NumCPU(), kinds: len(ks), load: o.load, verbose: o.verbose, misses: o.misses}
	if rep.echo50, rep.echo99, err = overhead(ctx, p); err != nil {
		return err
	}
	if err := runAll(ctx, o, p, plan(ks, o.trials, o.seed), rep); err != nil {
		return err
	}
	rep.print(os.Stdout)
	if o.quick {
		return rep.verdict()
	}
	return ctx.Err()
}

// prepare fills the directory of helpers and the home directory, and starts sshd.
// The home directory looks as if fish had already run there, because at its first
// start fish parses all manual pages in the background.
func prepare(ctx context.Context, dir string) (place, func(), error) {
	p := place{dir: filepath.Join(dir, "bin"), home: filepath.Join(dir, "home")}
	for _, d := range []string{p.dir, p.home, filepath.Join(p.home, ".config", "fish"), filepath.Join(p.home, ".local", "share", "fish", "generated_completions"), filepath.Join(dir, "ssh")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return p, nil, err
		}
	}
	files := map[string]string{
		".zshrc":                   "PROMPT='zsh%# '\n",
		".bashrc":                  "PS1='bash\\$ '\n",
		".config/fish/config.fish": "set -g fish_greeting\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(p.home, name), []byte(text), 0o600); err != nil {
			return p, nil, err
		}
	}
	if err := errors.Join(writeHelpers(p.dir), writePage(p.dir)); err != nil {
		return p, nil, err
	}
	ssh, err := peer.StartSSH(ctx, filepath.Join(dir, "ssh"), p.dir+":"+os.Getenv("PATH"), "")
	if err != nil {
		fmt.Fprintln(os.Stderr, "left out: ssh:", err)
		return p, func() {}, nil
	}
	p.ssh = ssh
	return p, ssh.Close, nil
}

// sift returns the kinds that are installed, and the reasons why the others are
// not.
func sift(ks []kind) (present []kind, absent []string) {
	for _, k := range ks {
		if ok, why := k.present(); ok {
			present = append(present, k)
		} else {
			absent = append(absent, k.name+": "+why)
		}
	}
	return present, absent
}

// runAll tries the servers one after another.
func runAll(ctx context.Context, o options, p place, batches []batch, rep *report) error {
	if o.load {
		stop, err := startLoad(p.dir)
		if err != nil {
			return err
		}
		defer stop()
	}
	for _, name := range strings.Split(o.servers, ",") {
		srv, err := makeServer(ctx, strings.TrimSpace(name), o, p)
		if err != nil {
			if name == peer.Glasstty {
				return err
			}
			rep.absent = append(rep.absent, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		from := time.Now()
		res := runServer(ctx, srv, batches, o.lanes, o.load)
		srv.close()
		rep.rows = append(rep.rows, tally(srv, res, time.Since(from)))
	}
	return nil
}

// makeServer makes a server by its name.
func makeServer(ctx context.Context, name string, o options, p place) (server, error) {
	at := map[string]string{peer.Desktop: o.desktop, peer.Amol: o.amol, peer.Process: o.process}
	if path, peer := at[name]; peer && path == "" {
		return nil, fmt.Errorf("no checkout given (-%s)", name)
	}
	switch name {
	case peer.Glasstty:
		return newGlasstty(ctx, p, o.glasstty)
	case settleName:
		return &settle{p: p}, nil
	case peer.Desktop:
		return newDesktop(ctx, p, o.desktop)
	case peer.Amol:
		return newAmol(ctx, p, o.amol)
	case peer.Process:
		return newProcess(ctx, p, o.process)
	}
	known := []string{peer.Glasstty, settleName, peer.Desktop, peer.Amol, peer.Process}
	slices.Sort(known)
	return nil, fmt.Errorf("unknown server %q; one of %s", name, strings.Join(known, ", "))
}
