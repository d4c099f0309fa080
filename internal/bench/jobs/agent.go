package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// A driver does what an agent wants with one server's tools. Each method returns
// what the model reads.
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

// A batcher is a driver that can type several inputs in one call, each after the
// answer to the previous one. Its start also does the exchanges in the program's
// field then.
type batcher interface {
	batch(ctx context.Context, list []exchange) (string, error)
}

// An exchange is a line or keys to type, and the text that is wanted in the answer.
type exchange struct {
	line   string
	keys   []string
	expect string // what must be shown before they are pressed
	want   string
}

// say is an exchange of a line.
func say(line, want string) exchange { return exchange{line: line, want: want} }

// press is an exchange of keys.
func press(want string, keys ...string) exchange { return exchange{keys: keys, want: want} }

// pressAt is press that waits until something is shown.
func pressAt(expect, want string, keys ...string) exchange {
	return exchange{keys: keys, expect: expect, want: want}
}

// A program is what start starts.
type program struct {
	argv  []string
	shell string     // instead of argv, for a server that starts lines of a shell
	rows  int        // 0: as the server has it
	text  string     // a first line, typed when the program is ready
	terse bool       // fold what repeats, where the server can
	then  []exchange // what is done next, whatever it shows at first
}

// maxMore is how often an agent reads on for one answer before it gives up.
const maxMore = 6

// anything is the wanted text of a last step whose effect is checked elsewhere.
const anything = ""

// turn is the least time that a model takes for its own turn. A server whose read
// returns immediately is read after this time, which does not count as waiting in a
// call.
const turn = 500 * time.Millisecond

// An agent runs one job's script. After the first error, later steps do nothing.
type agent struct {
	ctx    context.Context
	server string
	d      driver
	all    strings.Builder // everything that the model has read
	err    error
}

// run starts a program, reads until want was seen, and then does the program's
// exchanges.
func (a *agent) run(p program, want string) string {
	first := p
	_, ok := a.d.(batcher)
	if !ok {
		first.then = nil
	}
	text := a.step(want, func() (string, error) { return a.d.start(a.ctx, first) })
	if !ok && len(p.then) > 0 {
		a.together(p.then...)
	}
	return text
}

// line types a line and reads until want was seen.
func (a *agent) line(text, want string) string {
	return a.step(want, func() (string, error) { return a.d.line(a.ctx, text) })
}

// together does exchanges that do not depend on each other's answers: in one call
// if the server supports it, otherwise one by one.
func (a *agent) together(list ...exchange) {
	d, ok := a.d.(batcher)
	if !ok {
		for _, e := range list {
			if e.keys != nil {
				a.press(e.want, e.keys...)
			} else {
				a.line(e.line, e.want)
			}
		}
		return
	}
	var wants []string
	for _, e := range list {
		wants = append(wants, "(?:"+e.want+")")
	}
	a.step("(?s:"+strings.Join(wants, ".*")+")", func() (string, error) { return d.batch(a.ctx, list) })
}

// press presses keys and reads until want was seen.
func (a *agent) press(want string, keys ...string) string {
	return a.step(want, func() (string, error) { return a.d.keys(a.ctx, false, keys) })
}

// pressDiff is like press, but only needs the rows that changed.
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

// split distinguishes key names in angle brackets from literal text.
func split(key string) (name string, named bool) {
	if len(key) > 2 && key[0] == '<' && key[len(key)-1] == '>' {
		return key[1 : len(key)-1], true
	}
	return key, false
}
