package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// A kind is a program, or programs inside each other, that trials talk to.
type kind struct {
	name  string
	needs []string // programs that must be installed
	probe []string // a command that must succeed, when not empty

	command string
	args    []string
	env     map[string]string
	setup   []string      // lines typed before the first trial
	nested  bool          // the trials talk to a program inside the one started
	boot    time.Duration // silence while it starts, bootQuiet when zero
	noMarks bool          // started so that glasstty gives the shell no marks

	lang lang
	tui  func(id string) tuiTrial // for programs that own the screen, instead of lang
	weight
}

// A weight is a kind's share of the trials; 0 counts as 1.
type weight int

// A tuiTrial is one action in a full-screen program.
type tuiTrial struct {
	name  string
	text  string
	enter bool
	want  string // what the screen shows when the program has answered
	// endless: the program repaints by itself, so bytes after the reply are
	// no sign that it came early.
	endless bool
	then    *tuiTrial // the next action, which needs this one
}

// A place is where the trials find their files.
type place struct {
	dir  string // helpers and scratch files; first in PATH
	home string
	ssh  *peer.SSHServer // nil when there is no sshd
}

// present reports whether the kind's programs are installed, and if not, which is
// missing.
func (k kind) present() (bool, string) {
	for _, n := range append([]string{k.command}, k.needs...) {
		if _, err := exec.LookPath(n); err != nil {
			return false, n + " is not installed"
		}
	}
	if len(k.probe) > 0 {
		if err := exec.Command(k.probe[0], k.probe[1:]...).Run(); err != nil {
			return false, strings.Join(k.probe, " ") + ": " + err.Error()
		}
	}
	return true, ""
}

// kinds returns all kinds, installed or not.
func kinds(p place) []kind {
	all := shellKinds(p)
	all = append(all, replKinds(p)...)
	all = append(all, unseenKinds()...)
	all = append(all, waitKinds(p)...)
	all = append(all, nestedKinds(p)...)
	return append(all, tuiKinds(p)...)
}

func shellKinds(p place) []kind {
	long := strings.Repeat("long prompt ", 850) + "$ "
	return []kind{
		{name: "bash", command: "bash", lang: bashLang(), weight: 3},
		{name: "bash without marks", command: "bash", args: []string{"--norc"}, noMarks: true, lang: bashLang(), weight: 3},
		{name: "bash, prompt with clock and counter", command: "bash", setup: []string{`PS1='\[\e[32m\][\t \#]\[\e[0m\] \w\n\$ '`}, lang: bashLang()},
		{name: "bash, same without marks", command: "bash", args: []string{"--norc"}, noMarks: true, setup: []string{`PS1='\[\e[32m\][\t \#]\[\e[0m\] \$ '`}, lang: bashLang()},
		{name: "bash, prompt of 10 KB", command: "bash", args: []string{"--norc"}, env: map[string]string{"PS1": long}, lang: bashLang()},
		{name: "zsh", command: "zsh", lang: posix(), weight: 2},
		{name: "zsh without marks", command: "zsh", noMarks: true, lang: posix()},
		{name: "fish", command: "fish", lang: fishLang(), weight: 2},
		{name: "fish without marks", command: "fish", noMarks: true, lang: fishLang()},
		{name: "dash", command: "dash", lang: posix(), weight: 2},
		{name: "mksh", command: "mksh", lang: posix()},
		{name: "ksh93", command: "ksh93", lang: posix()},
		{name: "busybox sh", command: "busybox", args: []string{"sh"}, lang: posix()},
	}
}

func replKinds(p place) []kind {
	py := map[string]string{"PYTHONPATH": p.dir}
	from := []string{"from emit import *"}
	js := filepath.Join(p.dir, "emit.js")
	node := []string{`const {e, ea} = require("` + js + `")`}
	return []kind{
		{name: "python", command: "python3", args: []string{"-q"}, env: py, setup: from, lang: call(`e("%s")`), weight: 3},
		{name: "python without marks", command: "python3", args: []string{"-q"}, noMarks: true, env: py, setup: from, lang: call(`e("%s")`), weight: 2},
		{name: "python 3.13", command: "python3.13", args: []string{"-q"}, probe: []string{"python3.13", "-c", "1"}, env: py, setup: from, lang: call(`e("%s")`)},
		{name: "python -m asyncio", boot: time.Second, command: "python3", args: []string{"-m", "asyncio"}, env: py, setup: from, lang: call(`await ea("%s")`)},
		{name: "ipython", boot: 2 * time.Second, command: "python3", args: []string{"-m", "IPython", "--no-banner", "--simple-prompt"}, probe: []string{"python3", "-m", "IPython", "--version"}, env: py, setup: from, lang: call(`e("%s")`)},
		{name: "ipython, prompt_toolkit", boot: 2 * time.Second, command: "python3", args: []string{"-m", "IPython", "--no-banner"}, probe: []string{"python3", "-m", "IPython", "--version"}, env: py, setup: from, lang: call(`e("%s")`)},
		{name: "node", command: "node", setup: node, lang: call(`e("%s")`, "undefined"), weight: 2},
		{name: "node, await", command: "node", setup: node, lang: call(`await ea("%s")`, "undefined"), weight: 2},
		{name: "irb", boot: 2 * time.Second, command: "irb", args: []string{"-r", filepath.Join(p.dir, "emit.rb")}, lang: call(`e("%s")`, "=> nil")},
		{name: "perl debugger", command: "perl", args: []string{"-de0"}, setup: []string{`require "` + filepath.Join(p.dir, "emit.pl") + `"`}, lang: call(`&e("%s")`)},
		{name: "tclsh", command: "tclsh", setup: []string{"source " + filepath.Join(p.dir, "emit.tcl")}, lang: call(`e {%s}`)},
		{name: "lua", command: "lua5.4", setup: []string{`dofile("` + filepath.Join(p.dir, "emit.lua") + `")`}, lang: call(`e("%s")`)},
		{name: "sqlite3", command: "sqlite3", args: []string{"-interactive"}, lang: sqlite(), weight: 2},
		{name: "gdb", boot: time.Second, command: "gdb", args: []string{"-q", "-nx"}, setup: []string{"set pagination off", `python import sys; sys.path.insert(0, "` + p.dir + `"); from emit import e`}, lang: gdb(), weight: 2},
		{name: "jshell", boot: 4 * time.Second, command: "jshell", lang: jshell()},
		{name: "ed", command: "ed", args: []string{"-p", "ed> "}, lang: call("!utter %s", "!")},
		{name: "bc", command: "bc", args: []string{"-q"}, lang: bc()},
		{name: "dc", command: "dc", lang: dc()},
	}
}

// unseenKinds are programs that were not used to develop the rules. They are tried
// without adjustments.
func unseenKinds() []kind {
	return []kind{
		{name: "octave", boot: time.Second, command: "octave-cli", args: []string{"--norc", "-q"}, lang: call(`system("utter %s");`)},
		{name: "R", boot: time.Second, command: "R", args: []string{"-q", "--no-save", "--no-init-file"}, lang: call(`invisible(system("utter %s"))`)},
		{name: "guile", boot: time.Second, command: "guile", args: []string{"-q"}, lang: call(`(begin (system "utter %s") (if #f #f))`)},
		{name: "php", command: "php", args: []string{"-a"}, lang: call(`system("utter %s 1>&2");`)},
		{name: "gnuplot", command: "gnuplot", lang: call(`!utter %s`)},
		{name: "prolog", command: "swipl", lang: call(`shell("utter %s").`, "true.")},
		{name: "ocaml", boot: time.Second, command: "ocaml", lang: call(`let () = ignore (Sys.command "utter %s");;`)},
		{name: "maxima", boot: 2 * time.Second, command: "maxima", args: []string{"-q"}, lang: call(`system("utter %s")$`)},
		{name: "clisp", command: "clisp", args: []string{"-q"}, lang: call(`(progn (ext:shell "utter %s") (values))`)},
	}
}

// waitKinds are programs that wait for the terminal in unusual ways.
func waitKinds(p place) []kind {
	poll := func(how string) kind {
		return kind{name: "terminal and timer by " + how, command: "python3", args: []string{filepath.Join(p.dir, "poll.py"), how}, lang: call("%s")}
	}
	return []kind{
		{name: "threads (Go)", command: filepath.Join(p.dir, emitName), args: []string{"-repl"}, lang: lang{can: canAll | canAsk, render: call("%s").render}, weight: 2},
		poll("select"), poll("epoll"), poll("poll"), poll("thread"), poll("ticks"),
		{name: "event loop (node)", command: "node", args: []string{filepath.Join(p.dir, "loop.js")}, lang: call("%s")},
		{name: "event loop (node, raw)", command: "node", args: []string{filepath.Join(p.dir, "loop.js"), "raw"}, lang: call("%s")},
		{name: "event loop (asyncio)", command: "python3", args: []string{filepath.Join(p.dir, "loop.py")}, lang: call("%s")},
		{name: "cat", command: "cat", lang: echoing()},
	}
}

// nestedKinds are programs that run inside other programs.
func nestedKinds(p place) []kind {
	out := []kind{
		{name: "bash, python, sh", command: "bash", nested: true, needs: []string{"python3"}, setup: []string{"python3 -q", "import os", `_ = os.system("sh")`}, lang: posix(), weight: 2},
		{name: "bash, zsh", command: "bash", nested: true, needs: []string{"zsh"}, setup: []string{"zsh -f"}, lang: posix()},
		{name: "bash, python", command: "bash", nested: true, needs: []string{"python3"}, env: map[string]string{"PYTHONPATH": p.dir}, setup: []string{"python3 -q", "from emit import *"}, lang: call(`e("%s")`)},
		{name: "script, bash", command: "script", args: []string{"-q", "-c", "bash --norc", "/dev/null"}, lang: bashLang()},
	}
	if p.ssh != nil {
		out = append(out,
			kind{name: "ssh, bash", boot: time.Second, command: "ssh", args: sshArgs(p.ssh), setup: sshSetup(false), lang: bashLang(), weight: 3},
			kind{name: "sftp", boot: time.Second, command: "sftp", args: sftpArgs(p.ssh), nested: true, lang: call("!utter %s")},
			kind{name: "ssh, bash with marks of its own", boot: time.Second, command: "ssh", args: sshArgs(p.ssh), setup: sshSetup(true), lang: bashLang(), weight: 2},
		)
	}
	return out
}

// tuiKinds are full-screen programs.
func tuiKinds(p place) []kind {
	page := filepath.Join(p.dir, "page.txt")
	return []kind{
		{name: "vim", command: "vim", args: []string{"-u", "NONE", "-i", "NONE"}, tui: vimTrial, weight: 2},
		{name: "nvim", command: "nvim", args: []string{"-u", "NONE", "-i", "NONE"}, tui: vimTrial},
		{name: "emacs", boot: time.Second, command: "emacs", args: []string{"-nw", "-Q"}, tui: emacsTrial},
		{name: "tmux", boot: time.Second, command: "tmux", args: []string{"-L", filepath.Base(filepath.Dir(p.dir)), "-f", os.DevNull, "new", "bash", "--norc"}, tui: tmuxTrial},
		{name: "fzf", command: "bash", args: []string{"-c", "fzf < " + page}, needs: []string{"fzf"}, tui: fzfTrial},
		{name: "less", command: "less", args: []string{page}, tui: lessTrial},
		{name: "top", command: "top", args: []string{"-d", "0.5"}, tui: topTrial},
		{name: "nano", command: "nano", args: []string{"-I", page}, tui: nanoTrial},
	}
}
