package main

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// A terminal is one session of a server, in which one program is run.
type terminal interface {
	// open starts the program with argv, or the shell that it is typed into.
	open(ctx context.Context, argv []string, with map[string]any) (reply, error)
	// do types a step as a client does, in one call, and returns the reply.
	do(ctx context.Context, s step) (reply, error)
	// press types one key and waits for nothing.
	press(ctx context.Context, p press) error
	// screen returns what stands on the screen and above it now.
	screen(ctx context.Context) (view, error)
	// drain reads what is unread, and returns it.
	drain(ctx context.Context) (string, error)
	close()
}

// A reply is a server's answer to a step.
type reply struct {
	text     string // all that a model reads as the terminal's text
	output   string // the part that is output, "" where the text is the whole screen
	prompt   string
	reason   string
	complete bool
	began    time.Time
	came     time.Time
}

// A view is what a person can see: the screen, and the lines above it.
type view struct {
	text string
	alt  bool // the alternate screen is on
	row  int  // the cursor's line in text
	// styles is how each line is rendered, nil where that is not known.
	styles []uint64
}

// restyled returns which lines have a different style than in was.
func (v view) restyled(was view) []bool {
	out := make([]bool, min(len(v.styles), len(was.styles)))
	for i := range out {
		out[i] = v.styles[i] != was.styles[i]
	}
	return out
}

// line returns the line of the cursor.
func (v view) line() string {
	lines := strings.Split(v.text, "\n")
	if v.row >= len(lines) {
		return ""
	}
	return lines[v.row]
}

// errCannot is returned when a server has no way to do a step.
type errCannot string

func (e errCannot) Error() string { return string(e) }

// A timed terminal knows when its program drew what.
type timed interface {
	// history returns what stood on the screen at the time of the reply, and a
	// moment before it, and when the text last changed before the reply.
	history(ctx context.Context, r reply) (now, before view, changed time.Time, err error)
}

// squash removes blanks, because rows are compared by their text only.
func squash(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// dial starts the server that the options name, in its own world.
func dial(ctx context.Context, o options, w world) (terminal, error) {
	at := peer.Place{Home: w.home, Env: w.env, Dir: w.dir}
	switch o.server {
	case peer.Glasstty:
		c, err := peer.StartGlasstty(ctx, at, o.glasstty, "--data-dir", w.home+"/data")
		if err != nil {
			return nil, err
		}
		return &glasstty{c: c}, nil
	case peer.Amol:
		c, err := peer.StartAmol(ctx, at, o.amol)
		if err != nil {
			return nil, err
		}
		return &amol{c: c}, nil
	case serverTmux:
		return &tmux{w: w}, nil
	}
	return nil, fmt.Errorf("unknown server %q: want %s, %s or %s", o.server, peer.Glasstty, peer.Amol, serverTmux)
}
