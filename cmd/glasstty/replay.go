package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/glasstty/glasstty/cmd/glasstty/attach"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/mask"
	"github.com/glasstty/glasstty/session/replay"
)

// replayCmd plays a recording in the terminal.
type replayCmd struct {
	recordingFlags
	Speed     float64 `default:"1" min:"0.01" max:"100" placeholder:"N" help:"Playing speed, 0.01 to 100 times the original (default ${default})."`
	IdleLimit float64 `default:"5" min:"0.1" max:"600" unit:"seconds" placeholder:"SECONDS" help:"Shorten longer pauses to this (default ${default})."`
}

// drawInterval is the minimum time between two drawings while the recording has no pause.
const drawInterval = 33 * time.Millisecond

func (c *replayCmd) run(ctx context.Context, std stdio) (err error) {
	if !term.IsTerminal(int(std.in.Fd())) || !term.IsTerminal(int(std.out.Fd())) {
		return usageError(errors.New("standard input and output must be a terminal; glasstty export writes recordings to files"))
	}
	rec, err := c.recording(emulator.Options{})
	if err != nil {
		return err
	}
	screen, err := attach.Open(std.in, std.out)
	if err != nil {
		return err
	}
	last := ""
	// Deferred, so that the terminal is restored after a panic too.
	defer func() {
		err = errors.Join(err, screen.Restore())
		_, werr := std.out.WriteString(last)
		err = errors.Join(err, werr)
	}()
	p := &player{mask: c.mask(), screen: screen, speed: c.Speed, idle: seconds(c.IdleLimit)}
	switch err := p.play(ctx, rec); {
	case err == nil:
		rows := p.rows(screen.Size())
		// These rows stay on the person's terminal, which also needs a row for the next prompt.
		last = strings.Join(rows[:min(len(rows), max(screen.Size().Rows-1, 0))], "\r\n") + "\r\n"
		return c.damaged(rec)
	case !errors.Is(err, errQuit):
		return err
	}
	return context.Cause(ctx)
}

// errQuit is returned by player.play when the person quits, the terminal is gone or ctx ends during a pause.
var errQuit = errors.New("quit")

// A player plays one recording.
type player struct {
	mask   *mask.Mask
	screen *attach.Terminal // the person's terminal
	speed  float64          // multiple of the original
	idle   time.Duration    // longer pauses are shortened to this
	paused bool

	pressed []byte             // typed bytes that have not been handled, one for each key
	term    *emulator.Terminal // plays the recording
	drawn   time.Time          // when draw was last called; zero before that
}

// play plays a recording to its end.
func (p *player) play(ctx context.Context, rec *replay.Recording) (err error) {
	p.term = rec.Start()
	last := rec.Began
	for e, err := range rec.Events {
		if err != nil {
			return err
		}
		wait := min(max(e.At-last, 0), p.idle)
		last = e.At
		if err := p.await(ctx, wait); err != nil {
			return err
		}
		if e.Kind == eventlog.Output || e.Kind == eventlog.Resize {
			replay.Apply(p.term, &e, false)
		}
	}
	p.draw()
	return nil
}

// await draws the screen, unless d is 0 and the last drawing was less than drawInterval ago. It then waits
// for d in the recording's time, and while the player is paused, and handles keys meanwhile.
func (p *player) await(ctx context.Context, d time.Duration) error {
	if d > 0 || p.paused || time.Since(p.drawn) >= drawInterval {
		p.draw()
	}
	for left := d; left > 0 || p.paused; {
		if len(p.pressed) == 0 {
			var over <-chan time.Time // receives nothing while paused
			if !p.paused {
				over = time.After(time.Duration(float64(left) / p.speed))
			}
			begin := time.Now()
			select {
			case <-ctx.Done():
				return errQuit
			case <-over:
				return nil
			case typed, ok := <-p.screen.Typed():
				if !ok {
					return errQuit
				}
				p.pressed = typed
			}
			if !p.paused {
				left -= time.Duration(float64(time.Since(begin)) * p.speed)
			}
		}
		key := p.pressed[0]
		p.pressed = p.pressed[1:]
		if err := p.press(key); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// press handles a key.
func (p *player) press(key byte) error {
	switch key {
	case 'q', 'Q', 0x03, 0x04, 0x1b:
		return errQuit
	case ' ':
		p.paused = !p.paused
	case '+':
		p.speed = min(p.speed*2, maxSpeed)
	case '-':
		p.speed = max(p.speed/2, minSpeed)
	}
	return nil
}

// draw draws the recording's screen, cut to the size of the person's terminal.
func (p *player) draw() {
	p.drawn = time.Now()
	at, show := p.term.Cursor(), 'l'
	if at.Visible {
		show = 'h'
	}
	window := p.screen.Size()
	p.screen.Show(p.rows(window), fmt.Sprintf("\x1b[%d;%dH\x1b[?25%c", min(at.Row+1, window.Rows), min(at.Col+1, window.Cols), show))
}

// rows returns the styled rows of the screen, cut to a window and without blank rows at the end.
func (p *player) rows(window emulator.Size) []string {
	shot := p.mask.Snapshot(p.term.Snapshot(0), 0, false)
	part := picture.Region{Rows: min(window.Rows, shot.Size.Rows), Cols: min(window.Cols, shot.Size.Cols)}
	var b strings.Builder
	// ANSI cannot fail here: the region is on the screen.
	_ = picture.ANSI(&b, shot, picture.Options{Region: &part})
	return strings.Split(b.String(), "\n")
}
