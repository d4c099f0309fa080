package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
)

// A Script says how to record a program. It is a txtar archive: its comment has one step per line,
// and its files are written to the program's home directory.
//
//	# a comment
//	size 24 80          the terminal at the start, rows then columns
//	env NAME=value      an additional environment variable
//	setup COMMAND       shell command to run in the home directory first
//	quiet 300ms         time without output after which the program has settled
//	run COMMAND         shell command to record; must come before the steps below
//	wait LABEL          wait until it settles, then a checkpoint
//	send "keys"         type the keys, a Go string, and continue at once
//	type "keys"         type, wait until it settles, then a checkpoint
//	loop "text" "keys"  type keys as long as the latest output contains text, with a
//	                    checkpoint after each
//	pause 1s            let the program run
//	resize 30 100       resize, wait until it settles, then a checkpoint
//	exit                wait for the program's end, then a checkpoint
type Script struct {
	Rows, Cols int
	Env        []string
	Setup      []string
	Run        string
	Steps      []Step
	Files      []txtar.File
}

// A Step is one line of a script after run.
type Step struct {
	Op         string // wait, send, type, loop, pause, resize, exit, quiet
	Text       string
	While      string // for loop
	Wait       time.Duration
	Rows, Cols int
}

// ParseScript reads a script. The error names the line and the fault.
func ParseScript(text []byte) (*Script, error) {
	a := txtar.Parse(text)
	s := &Script{Rows: 24, Cols: 80, Files: a.Files}
	for i, line := range strings.Split(string(a.Comment), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		op, rest, _ := strings.Cut(line, " ")
		if err := s.add(op, strings.TrimSpace(rest)); err != nil {
			return nil, fmt.Errorf("line %d: %q: %w", i+1, line, err)
		}
	}
	if s.Run == "" {
		return nil, errors.New("script has no run line")
	}
	return s, nil
}

// add adds one line.
func (s *Script) add(op, rest string) error {
	switch op {
	case "size":
		_, err := fmt.Sscanf(rest, "%d %d", &s.Rows, &s.Cols)
		return err
	case "env":
		s.Env = append(s.Env, rest)
		return nil
	case "setup":
		s.Setup = append(s.Setup, rest)
		return nil
	case "run":
		s.Run = rest
		return nil
	}
	step, err := parseStep(op, rest)
	s.Steps = append(s.Steps, step)
	return err
}

// parseStep reads one step.
func parseStep(op, rest string) (Step, error) {
	step := Step{Op: op}
	var err error
	switch op {
	case "wait":
		step.Text = rest
	case "exit":
	case "send", "type":
		step.Text, err = strconv.Unquote(rest)
	case "loop":
		step.While, step.Text, err = twoQuoted(rest)
	case "pause", "quiet":
		step.Wait, err = time.ParseDuration(rest)
	case "resize":
		_, err = fmt.Sscanf(rest, "%d %d", &step.Rows, &step.Cols)
	default:
		err = errors.New("unknown step; see the doc comment of Script")
	}
	return step, err
}

// twoQuoted reads two Go strings.
func twoQuoted(text string) (a, b string, err error) {
	first, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", "", err
	}
	if a, err = strconv.Unquote(first); err != nil {
		return "", "", err
	}
	b, err = strconv.Unquote(strings.TrimSpace(text[len(first):]))
	return a, b, err
}
