package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// A driver does with one server's tools what an agent wants done. Each method
// returns what the model reads.
type driver interface {
	// start starts a program and shows what it shows.
	start(ctx context.Context, p program) (string, error)
	// line types a line and Enter, and waits for the answer.
	line(ctx context.Context, text string) (string, error)
	// keys presses keys and shows what comes of it, only the rows that changed
	// where that is enough and the server can. Names stand in angle brackets, as
	// in "<enter>"; other elements are typed literally.
	keys(ctx context.Context, changed bool, keys []string) (string, error)
	// more reads on: the answer has not come, or not all of it.
	more(ctx context.Context) (string, error)
}

// A program is what start starts.
type program struct {
	argv  []string
	shell string // instead of argv, for a server that starts lines of a shell
	rows  int    // 0: as the server has it
	text  string // a first line, typed when the program is ready
	terse bool   // fold what repeats, where the server can
}

// maxMore is how often an agent reads on for one answer before it gives up.
const maxMore = 6

// anything is wanted of a last step whose effect is looked at.
const anything = ""

// turn is the least time that a model takes for its own turn. A server whose
// read gives what there is at once is read that much later; it is not counted as
// waiting in a call.
const turn = 500 * time.Millisecond

// An agent runs one job's script. It stops at the first error: later steps do
// nothing.
type agent struct {
	ctx    context.Context
	server string
	d      driver
	all    strings.Builder // everything that the model has read
	err    error
}

// run starts a program and reads until want has been seen.
func (a *agent) run(p program, want string) string {
	return a.step(want, func() (string, error) { return a.d.start(a.ctx, p) })
}

// line types a line and reads until want has been seen.
func (a *agent) line(text, want string) string {
	return a.step(want, func() (string, error) { return a.d.line(a.ctx, text) })
}

// press presses keys and reads until want has been seen.
func (a *agent) press(want string, keys ...string) string {
	return a.step(want, func() (string, error) { return a.d.keys(a.ctx, false, keys) })
}

// pressDiff is press where the rows that change are enough.
func (a *agent) pressDiff(want string, keys ...string) string {
	return a.step(want, func() (string, error) { return a.d.keys(a.ctx, true, keys) })
}

// step does one thing and reads on until the regular expression want matches.
func (a *agent) step(want string, do func() (string, error)) string {
	if a.err != nil {
		return ""
	}
	re := regexp.MustCompile(want)
	text, err := do()
	for i := 0; err == nil && !re.MatchString(text); i++ {
		if i == maxMore {
			err = fmt.Errorf("%q never came", want)
			break
		}
		var next string
		next, err = a.d.more(a.ctx)
		text += "\n" + next
	}
	a.all.WriteString(text + "\n")
	a.err = err
	return text
}

// split tells key names in angle brackets from literal text.
func split(key string) (name string, named bool) {
	if len(key) > 2 && key[0] == '<' && key[len(key)-1] == '>' {
		return key[1 : len(key)-1], true
	}
	return key, false
}
