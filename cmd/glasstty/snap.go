package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
	"github.com/glasstty/glasstty/session"
)

// snapCmd runs one program and prints its screen.
type snapCmd struct {
	Rows    int            `default:"24" min:"1" max:"${maxrows}" placeholder:"N" env:"GLASSTTY_SNAP_ROWS" help:"Rows of the terminal, 1 to ${maxrows} (default ${default})."`
	Cols    int            `default:"80" min:"1" max:"${maxcols}" placeholder:"N" env:"GLASSTTY_SNAP_COLS" help:"Columns of the terminal, 1 to ${maxcols} (default ${default})."`
	Timeout float64        `default:"10" min:"0.1" max:"600" unit:"seconds" placeholder:"SECONDS" env:"GLASSTTY_SNAP_TIMEOUT" help:"Longest time to wait in total, 0.1 to 600 seconds (default ${default})."`
	Type    string         `placeholder:"TEXT" help:"Text to type once the program is ready, before --keys; a line break in it is Enter."`
	Keys    keyList        `placeholder:"KEYS" help:"Keys to press once the program is ready, separated by spaces: 'down*3 enter', 'ctrl+x h'."`
	WaitFor pattern        `placeholder:"REGEX" help:"Wait for text that matches this regular expression, instead of for a pause."`
	Format  picture.Format `enum:"${formats}" placeholder:"FORMAT" env:"GLASSTTY_SNAP_FORMAT" help:"Output format: text, ansi (text with its colours), html, svg, png or json (default: by the suffix of -o, else text)."`
	Color   colorMode      `default:"auto" enum:"auto,always,never" placeholder:"WHEN" help:"Colours in text: auto (on a terminal, unless NO_COLOR is set), always or never (default ${default})."`
	outFlags
	Program []string `arg:"" optional:"" passthrough:"" help:"Program and its arguments, after --."`
}

// keyList is a list of key presses, written as key names separated by blanks.
type keyList []session.KeyPress

// UnmarshalText reads key names.
func (l *keyList) UnmarshalText(text []byte) error {
	for _, name := range strings.Fields(string(text)) {
		key, n, err := emulator.ParseKey(name)
		if errors.Is(err, emulator.ErrUnknownKey) {
			err = fmt.Errorf("%w; text is typed by --type", err)
		}
		if err != nil {
			return err
		}
		*l = append(*l, session.KeyPress{Key: key, Repeat: n})
	}
	return nil
}

// snapScrollback is the maximum number of rows shown above the screen of a program that has ended.
const snapScrollback = 10_000

// errNoMatch is returned if the pattern of --wait-for did not match. The screen is printed all the same.
var errNoMatch = errors.New("no match")

func (c *snapCmd) run(ctx context.Context, std stdio) error {
	if len(c.Program) == 0 {
		return usageError(errors.New("snap needs a program to run, for example: glasstty snap -- top"))
	}
	format, err := c.chosenFormat(std)
	if err != nil {
		return err
	}
	mgr := session.NewManager(session.Options{
		MaxSessions: 1,
		Terminal:    emulator.Options{ScrollbackLines: snapScrollback},
	})
	shot, err := c.capture(ctx, mgr, std.err)
	// The program is ended before anything is printed, so that it does not keep running if
	// printing to a closed pipe fails.
	err = errors.Join(err, closeWithin(mgr, closeLimit))
	if shot == nil || ctx.Err() != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	drawn, drawErr := draw(format, shot)
	if drawErr == nil {
		drawErr = c.write(ctx, std, drawn)
	}
	if drawErr != nil {
		err = errors.Join(err, fmt.Errorf("print the screen: %w", drawErr))
	}
	return err
}

// chosenFormat returns the format in which to print.
func (c *snapCmd) chosenFormat(std stdio) (picture.Format, error) {
	word, err := c.format(string(c.Format), string(picture.FormatText), screenSuffixes)
	if err != nil {
		return "", err
	}
	if c.Format == "" && c.Output == "" && c.Color.enabled(std.out) {
		return picture.FormatANSI, nil
	}
	return picture.Format(word), c.checkTerminal(std, word)
}

// A colorMode determines when colours are printed: auto, always or never.
type colorMode string

// enabled reports whether to print colours to out. It obeys NO_COLOR (https://no-color.org).
func (m colorMode) enabled(out *os.File) bool {
	return m == "always" || m == "auto" && os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(out.Fd()))
}

// capture starts the program, types the input and returns the screen once the program has settled. If
// --wait-for did not match, it returns both a screen and an error. An exit status other than 0 is not an
// error: capture prints it on stderr.
func (c *snapCmd) capture(ctx context.Context, mgr *session.Manager, stderr io.Writer) (*emulator.Snapshot, error) {
	deadline := time.Now().Add(seconds(c.Timeout))
	s, err := mgr.Start(ctx, session.StartOptions{
		Command: c.Program[0],
		Args:    c.Program[1:],
		Size:    emulator.Size{Rows: c.Rows, Cols: c.Cols},
	})
	if err != nil {
		return nil, err
	}
	reply, err := c.wait(ctx, s, deadline)
	if err != nil {
		return nil, err
	}
	if late := !time.Now().Before(deadline); late && reply.Alive() && c.WaitFor.Regexp == nil {
		fmt.Fprintf(stderr, "glasstty: %s had not settled after %s; this is its screen now\n", escapeInvisible(c.Program[0]), seconds(c.Timeout))
	}
	above := 0
	if !reply.Alive() {
		above = -1 // all output, not only the last screen
		if reply.ExitCode != nil && *reply.ExitCode != 0 {
			fmt.Fprintf(stderr, "glasstty: %s ended with exit status %d\n", escapeInvisible(c.Program[0]), *reply.ExitCode)
		}
	}
	shot := s.Snapshot(above)
	if !reply.Alive() {
		shot = picture.FinalSnapshot(shot)
	}
	if len(shot.Scrollback) >= snapScrollback {
		fmt.Fprintf(stderr, "glasstty: only the last %d rows above the screen of %s are kept\n", snapScrollback, escapeInvisible(c.Program[0]))
	}
	if c.WaitFor.Regexp != nil && reply.Reason != detect.Matched {
		err = fmt.Errorf("%w for %q in what %s showed (%s after %.1f s)", errNoMatch,
			strings.TrimPrefix(c.WaitFor.String(), multiline), c.Program[0], reply.Reason, reply.Elapsed.Seconds())
		if reply.Reason == detect.Timeout {
			err = statusError{error: err, status: exitTimeout}
		}
		return shot, err
	}
	return shot, nil
}

// wait waits until the program is ready, types the input, if there is any, and then waits again. With
// --wait-for, the last wait is for the pattern.
func (c *snapCmd) wait(ctx context.Context, s *session.Session, deadline time.Time) (*session.Reply, error) {
	var in session.Input
	if len(c.Keys) > 0 || c.Type != "" {
		reply, err := exchange(ctx, s, in, session.Wait{Until: session.UntilReady}, deadline)
		if err != nil {
			return nil, err
		}
		if !reply.Alive() {
			return nil, fmt.Errorf("%s ended before anything could be typed", c.Program[0])
		}
		in.Text, in.Keys = c.Type, c.Keys
	}
	w := session.Wait{Until: session.UntilReady}
	if c.WaitFor.Regexp != nil {
		w = session.Wait{Pattern: c.WaitFor.Regexp}
	}
	reply, err := exchange(ctx, s, in, w, deadline)
	for err == nil && reply.Reason == detect.Settled && s.Snapshot(0).Text() == "" && time.Now().Before(deadline) {
		// While the screen is empty, the program is still starting.
		_, err = exchange(ctx, s, session.Input{}, session.Wait{Until: session.UntilChange}, deadline)
		if err == nil {
			reply, err = exchange(ctx, s, session.Input{}, w, deadline)
		}
	}
	return reply, err
}

// exchange calls Session.Exchange with the time left until deadline, but at least session.MinTimeout.
func exchange(ctx context.Context, s *session.Session, in session.Input, w session.Wait, deadline time.Time) (*session.Reply, error) {
	w.Timeout = max(time.Until(deadline), session.MinTimeout)
	w.View = session.ViewScreen
	return s.Exchange(ctx, in, w, nil)
}

// screenSuffixes maps file suffixes to formats of a screen.
var screenSuffixes = map[string]string{
	".txt": "text", ".ansi": "ansi", ".html": "html", ".htm": "html", ".svg": "svg", ".png": "png", ".json": "json",
}

// formats returns the names of the formats of a screen.
func formats() []string {
	var out []string
	for _, f := range picture.Formats() {
		out = append(out, string(f))
	}
	return out
}

// draw draws a snapshot in a format, scrollback first. Non-empty text ends with a newline.
func draw(kind picture.Format, shot *emulator.Snapshot) ([]byte, error) {
	var b bytes.Buffer
	var o picture.Options
	if kind == picture.FormatPNG {
		o.Fonts = &picture.Fonts{}
	}
	err := kind.Write(&b, shot, o)
	if text := kind == picture.FormatText || kind == picture.FormatANSI; text && b.Len() > 0 {
		b.WriteByte('\n')
	}
	return b.Bytes(), err
}
