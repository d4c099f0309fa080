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

	"github.com/glasstty/glasstty/cmd/glasstty/rawterm"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/mask"
	"github.com/glasstty/glasstty/session/replay"
)

// replayCmd plays a recording in the terminal.
type replayCmd struct {
	tapeFlags
	Speed     float64 `default:"1" min:"0.01" max:"100" placeholder:"N" help:"Playing speed, 0.01 to 100 times the original (default ${default})."`
	IdleLimit float64 `default:"5" min:"0.1" max:"600" unit:"seconds" placeholder:"SECONDS" help:"Shorten longer pauses to this (default ${default})."`
}

// drawEvery is the minimum time between two drawings.
const drawEvery = 33 * time.Millisecond

// Control sequences for the start and the end of playing. They use the alternate screen, and
// turn autowrap off so that the last column can be drawn.
const (
	screenBegin = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[m\x1b[2J"
	screenEnd   = "\x1b[m\x1b[?7h\x1b[?25h\x1b[?1049l"
)

func (c *replayCmd) run(ctx context.Context, std stdio) (err error) {
	if !term.IsTerminal(int(std.out.Fd())) {
		return usageError(errors.New("standard output is not a terminal; glasstty export writes recordings to files"))
	}
	tape, _, err := c.tape(emulator.Options{})
	if err != nil {
		return err
	}
	var keys <-chan []byte
	if term.IsTerminal(int(std.in.Fd())) {
		raw, rawErr := rawterm.Take(std.in)
		if rawErr != nil {
			return rawErr
		}
		// Also restores the terminal after a panic or a signal.
		defer func() { err = errors.Join(err, raw.Close()) }()
		keys = raw.Typed()
	}
	if _, err := io.WriteString(std.out, screenBegin); err != nil {
		return err
	}
	p := &player{mask: c.mask(), out: std.out, keys: keys, speed: c.Speed, idle: seconds(c.IdleLimit)}
	var last []byte
	defer func() {
		_, werr := std.out.Write(append([]byte(screenEnd), last...))
		err = errors.Join(err, werr)
	}()
	switch err := p.play(ctx, tape); {
	case err == nil:
		last = p.rows()
		return c.damaged(tape)
	case !errors.Is(err, errQuit):
		return err
	}
	return context.Cause(ctx)
}

// errQuit is returned when the person quits.
var errQuit = errors.New("quit")

// A player plays one tape.
type player struct {
	mask   *mask.Mask
	out    *os.File // the person's terminal
	keys   <-chan []byte
	speed  float64       // multiple of the original
	idle   time.Duration // longer pauses are shortened to this
	paused bool

	pressed []byte             // keys that have not been handled
	term    *emulator.Terminal // plays the tape
	when    time.Time          // of the last drawing
}

// play plays a tape.
func (p *player) play(ctx context.Context, tape *replay.Tape) (err error) {
	p.term = tape.Start()
	last := tape.Began
	for e, err := range tape.Events {
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
	return p.draw()
}

// await waits for d in the tape's time, and handles keys meanwhile.
func (p *player) await(ctx context.Context, d time.Duration) error {
	if d > 0 || p.paused || time.Since(p.when) >= drawEvery {
		if err := p.draw(); err != nil {
			return err
		}
	}
	for left := d; left > 0 || p.paused; {
		if len(p.pressed) == 0 {
			var over <-chan time.Time // never, while paused
			if !p.paused {
				over = time.After(time.Duration(float64(left) / p.speed))
			}
			begin := time.Now()
			select {
			case <-ctx.Done():
				return errQuit
			case <-over:
				return nil
			case typed, ok := <-p.keys:
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

// draw draws the screen, cut to the person's terminal. It does so at once (mode 2026), so that the
// person does not see empty rows.
func (p *player) draw() error {
	p.when = time.Now()
	shot := p.mask.Snapshot(p.term.Snapshot(0), 0, false)
	window := p.window()
	b := []byte("\x1b[?2026h\x1b[m\x1b[2J")
	for row := range min(len(shot.Screen), window.Rows) {
		b = fmt.Appendf(b, "\x1b[%d;1H%s\x1b[m", row+1, drawnRow(shot, row, window.Cols))
	}
	at := shot.Cursor
	b = fmt.Appendf(b, "\x1b[%d;%dH\x1b[?25%c\x1b[?2026l", min(at.Row+1, window.Rows), min(at.Col+1, window.Cols), map[bool]byte{true: 'h', false: 'l'}[at.Visible])
	_, err := p.out.Write(b)
	return err
}

// rows returns the rows of the screen up to the last that is not blank, as lines. They stay on the
// person's terminal when the tape has ended.
func (p *player) rows() []byte {
	shot := p.mask.Snapshot(p.term.Snapshot(0), 0, false)
	window := p.window()
	var b []byte
	blank := 0
	for row := range min(len(shot.Screen), window.Rows-1) {
		if shot.Screen[row].Text() == "" {
			blank++
			continue
		}
		b = append(b, strings.Repeat("\r\n", blank)...)
		b = append(append(b, drawnRow(shot, row, window.Cols)...), "\r\n"...)
		blank = 0
	}
	return b
}

// window returns the size of the person's terminal.
func (p *player) window() emulator.Size {
	cols, rows, err := term.GetSize(int(p.out.Fd()))
	if err != nil || cols < 1 || rows < 1 {
		return p.term.Size()
	}
	return emulator.Size{Rows: rows, Cols: cols}
}

// drawnRow returns one row with its styles, cut to cols columns.
func drawnRow(shot *emulator.Snapshot, row, cols int) []byte {
	one := *shot
	cells := shot.Screen[row].Cells
	if len(cells) > cols {
		cells = cells[:cols]
		if cells[cols-1].Width == 2 {
			cells = cells[:cols-1]
		}
	}
	one.Scrollback, one.Screen = nil, []emulator.Row{{Cells: cells}}
	one.Size = emulator.Size{Rows: 1, Cols: len(cells)}
	var line bytes.Buffer
	// ANSI cannot fail here: it writes to memory.
	_ = picture.ANSI(&line, &one, picture.Options{})
	return line.Bytes()
}
