package session

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/glasstty/glasstty/internal/allowlist"
	"github.com/glasstty/glasstty/internal/need"
)

// flips makes a link lead to one place and another in turn until the test ends.
func flips(t *testing.T, link, one, other string) {
	t.Helper()
	for _, to := range []string{one, other} {
		if err := os.Symlink(to, link+"."+filepath.Base(to)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(one, link); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			next := link + ".next"
			err := errors.Join(os.Symlink([]string{one, other}[i%2], next), os.Rename(next, link))
			if err != nil {
				t.Error(err)
				return
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-stopped })
}

// starts is how often each test below starts something.
const starts = 40

// TestFixed changes links while their targets are checked. It checks that nothing starts in a
// directory, and no program is executed, that the lists do not allow.
func TestFixed(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(root, name) }
	if err := errors.Join(os.MkdirAll(at("in/sub"), 0o700), os.Mkdir(at("out"), 0o700),
		os.WriteFile(at("script"), []byte("#!/bin/sh\n: > "+at("ran")+"\n"), 0o700)); err != nil {
		t.Fatal(err)
	}
	touch := need.Program(t, "touch")
	list, err := allowlist.New([]string{touch}, nil, []string{at("in")})
	if err != nil {
		t.Fatal(err)
	}
	m := NewManager(Options{Programs: list, MaxSessions: 4 * starts})
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	flips(t, at("in/flip"), at("in/sub"), at("out"))
	flips(t, at("in/command"), touch, at("script"))
	started := 0
	for range starts {
		for _, o := range []StartOptions{{Command: touch, Args: []string{"here"}, Dir: at("in/flip")}, {Command: at("in/command"), Args: []string{"here"}, Dir: at("in")}} {
			s, err := m.Start(t.Context(), o)
			if err != nil && !errors.Is(err, ErrDenied) {
				t.Fatal(err)
			}
			if err == nil {
				started++
				<-s.loops.exited
			}
		}
	}
	for _, name := range []string{"out/here", "ran"} {
		if _, err := os.Lstat(at(name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if started == 0 {
		t.Error("not a single start succeeded")
	}
}

// TestListsSeeThrough checks that a start is refused if a script or the environment would run
// something other than what is allowed. Nothing is started.
func TestListsSeeThrough(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/usr/bin/env sh\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	sh, env := need.Program(t, "sh"), need.Program(t, "env")
	for _, c := range []struct {
		allow, block []string
		o            StartOptions
	}{
		{nil, []string{"sh"}, StartOptions{Command: script}},
		{nil, []string{"env"}, StartOptions{Command: script}},
		{nil, []string{"env sh*"}, StartOptions{Command: script}},
		{[]string{env}, nil, StartOptions{Command: env, Env: map[string]string{"LD_PRELOAD": "x.so"}}},
		{[]string{sh}, nil, StartOptions{Command: sh, Env: map[string]string{"ENV": "x"}}},
	} {
		list, err := allowlist.New(c.allow, c.block, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := managerOf(t, Options{Programs: list}).Start(t.Context(), c.o); !errors.Is(err, ErrDenied) {
			t.Errorf("allowed %q, blocked %q: %q started: %v", c.allow, c.block, c.o.Command, err)
		}
	}
}

// TestEnvironmentIsChecked checks that a start is held because of its environment.
func TestEnvironmentIsChecked(t *testing.T) {
	_, err := forbidding(t).Start(t.Context(), StartOptions{Command: "true", Env: map[string]string{"GREETING": "forbidden"}})
	var held *HeldError
	if !errors.As(err, &held) || !held.Start {
		t.Errorf("started: %v", err)
	}
}
