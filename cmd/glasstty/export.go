package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/mask"
	"github.com/glasstty/glasstty/session/replay"
)

// exportCmd writes a recording in another form.
type exportCmd struct {
	dataFlags `group:"Data directory"`
	natsFlags `group:"Fleet"`
	hideFlags
	outFlags
	Format    string   `enum:"cast,cast2,text,html,svg,gif" placeholder:"FORMAT" help:"What to write: cast (asciicast v3), cast2 (asciicast v2), text, html, svg, or gif, an animation (default: by the suffix of -o, else cast)."`
	At        string   `placeholder:"MOMENT" help:"For text, html and svg, of a session: the screen at one moment instead of everything: a revision, a time, +SECONDS since the start, or a message's id."`
	Speed     float64  `default:"1" min:"0.01" max:"100" placeholder:"N" help:"For gif: playing speed, as a multiple of the original (default ${default})."`
	IdleLimit float64  `default:"2" min:"0.1" max:"600" unit:"seconds" placeholder:"SECONDS" help:"For gif: shorten longer pauses to this (default ${default})."`
	Tape      tapeName `arg:"" name:"recording" help:"An asciicast file, or a session by its id or name, or with --fleet NODE/SESSION."`
}

// Help returns the command's longer description.
func (*exportCmd) Help() string {
	return "text and html hold all text that was shown and the last screen, svg only the last screen. " +
		"Sessions are found in the data directory, also while they run and after their server has ended. " +
		"When a part of the recording cannot be read, the rest is written and the exit status is 1."
}

// tapeSuffixes are the formats of a recording by the suffixes of files.
var tapeSuffixes = map[string]string{
	".cast": "cast", ".txt": "text", ".html": "html", ".htm": "html", ".svg": "svg", ".gif": "gif",
}

// How much text is exported of a recording: more than a log of the usual size has.
const (
	maxExported      = 2_000_000 // lines
	maxExportedBytes = 512 << 20 // of them
)

// The bounds of a replay's speed, which --speed has too.
const (
	minSpeed = 0.01
	maxSpeed = 100.0
)

func (c *exportCmd) run(_ context.Context, std stdio) error {
	word, err := c.outFlags.format(c.Format, "cast", tapeSuffixes)
	if err != nil {
		return err
	}
	c.Format = word
	if c.At != "" && c.Format != "text" && c.Format != "html" && c.Format != "svg" {
		return usageError{fmt.Errorf("--at is for text, html and svg, not for %s", c.Format)}
	}
	if err := c.refuse(std, word); err != nil {
		return err
	}
	tape, log, err := c.Tape.open(&c.dataFlags, &c.natsFlags, emulator.Options{
		ScrollbackLines: maxExported, ScrollbackBytes: maxExportedBytes})
	if err != nil {
		return err
	}
	tape = tape.Hide(c.mask())
	// The recording is rendered completely before a file is made.
	var b bytes.Buffer
	err = during(std.err, fmt.Sprintf("making the %s", c.Format), func() error { return c.draw(&b, tape, log, std.err) })
	if err != nil && !errors.Is(err, replay.ErrCut) {
		return err
	}
	if err != nil {
		fmt.Fprintf(std.err, "glasstty: %v; --speed and --idle-limit make it shorter\n", err)
	}
	return errors.Join(c.outFlags.write(std, b.Bytes()), damaged(c.Tape, tape))
}

// damaged returns an error that describes the unreadable parts of a recording, nil when there
// are none.
func damaged(name tapeName, tape *replay.Tape) error {
	if d := tape.Damage(); d != (eventlog.Damage{}) {
		return fmt.Errorf("%s: %v; all else was read", name, d)
	}
	return nil
}

// draw writes the recording to w, and reports missing lines on stderr.
func (c *exportCmd) draw(w io.Writer, tape *replay.Tape, log *replay.Replay, stderr io.Writer) error {
	switch c.Format {
	case "cast":
		return tape.WriteCast(w, 3)
	case "cast2":
		return tape.WriteCast(w, 2)
	case "gif":
		return tape.WriteGIF(w, c.Speed, seconds(c.IdleLimit))
	}
	if c.At != "" {
		return c.writeAt(w, log)
	}
	t, err := tape.Play()
	if err != nil {
		return err
	}
	if n := t.FirstLine(); n > 0 && c.Format != "svg" {
		fmt.Fprintf(stderr, "glasstty: the first %d lines are left out: the log begins later, or there are more than %d lines or %d MB\n", n, maxExported, maxExportedBytes>>20)
	}
	switch c.Format {
	case "html":
		shot := t.Snapshot(0)
		shot.Title = c.mask().Text(shot.Title)
		return picture.LongHTML(w, c.mask().Rows(t.Rows()), t.ScrollbackRows(), shot, picture.Options{})
	case "svg":
		return picture.SVG(w, c.mask().Snapshot(t.Snapshot(0), 0, false), picture.Options{})
	}
	_, err = io.WriteString(w, c.mask().Text(replay.Text(t)))
	return err
}

// writeAt writes the screen at a moment.
func (c *exportCmd) writeAt(w io.Writer, log *replay.Replay) error {
	if log == nil {
		return usageError{errors.New("--at is for sessions: a file has no revisions and messages")}
	}
	m, err := replay.ParseMoment(c.At, log.Start(), time.Now())
	if err != nil {
		return usageError{fmt.Errorf("--at: %w", err)}
	}
	f, err := log.At(m)
	switch {
	case errors.Is(err, replay.ErrMarker), errors.Is(err, replay.ErrFuture), errors.Is(err, replay.ErrPast):
		return usageError{fmt.Errorf("--at: %w", err)}
	case err != nil:
		return fmt.Errorf("--at: %w", err)
	}
	above := min(f.Terminal.ScrollbackRows(), mask.Context)
	shot := f.Terminal.Snapshot(0)
	if m := c.mask(); m != nil {
		shot = m.Snapshot(f.Terminal.Snapshot(above), above, true)
	}
	return picture.Format(c.Format).Write(w, shot, picture.Options{})
}
