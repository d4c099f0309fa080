package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
	"github.com/glasstty/glasstty/session/mask"
	"github.com/glasstty/glasstty/session/replay"
)

// exportCmd writes a recording in another form.
type exportCmd struct {
	dataFlags
	hideFlags
	Format    exportFormat `default:"cast" placeholder:"FORMAT" help:"What to write: cast (asciicast v3), cast2 (asciicast v2), txt, html, svg, or gif, an animation (default ${default})."`
	Output    string       `short:"o" placeholder:"FILE" help:"Where to write (default: standard output)."`
	At        string       `placeholder:"MOMENT" help:"For txt, html and svg, of a session: the screen at a moment instead of all: a revision, a time, +SECONDS since the start, or a message's id."`
	Speed     factor       `default:"1" placeholder:"N" help:"For gif: so many times as fast (default ${default})."`
	IdleLimit seconds      `default:"2" placeholder:"SECONDS" help:"For gif: longest pause (default ${default})."`
	Tape      tapeName     `arg:"" name:"recording" help:"An asciicast file, or a session by its id or name."`
}

// Help returns the command's longer description.
func (*exportCmd) Help() string {
	return "txt and html hold all that was shown as text and the last screen, svg the last screen. " +
		"Sessions are found in the data directory, also while they run and after their server has ended."
}

// exportFormat is a form of a recording.
type exportFormat string

// UnmarshalText reads one of the formats.
func (f *exportFormat) UnmarshalText(text []byte) (err error) {
	*f, err = choose[exportFormat](text, f.words()...)
	return err
}

// words returns the formats.
func (exportFormat) words() []string { return []string{"cast", "cast2", "txt", "html", "svg", "gif"} }

// factor is a positive number.
type factor float64

// UnmarshalText reads a number from 0.01 to 100.
func (f *factor) UnmarshalText(text []byte) error {
	var n float64
	if _, err := fmt.Sscan(string(text), &n); err != nil || !(n >= minSpeed && n <= maxSpeed) {
		return fmt.Errorf("%q is not a number from %g to %g", text, minSpeed, maxSpeed)
	}
	*f = factor(n)
	return nil
}

// How much text is exported of a recording: more than a log of the usual size has.
const (
	maxExported      = 2_000_000 // lines
	maxExportedBytes = 512 << 20 // of them
)

// The bounds of a replay's speed.
const (
	minSpeed = 0.01
	maxSpeed = 100.0
)

func (c *exportCmd) run(_ context.Context, std stdio) error {
	if c.At != "" && c.Format != "txt" && c.Format != "html" && c.Format != "svg" {
		return usageError{fmt.Errorf("--at is for txt, html and svg, not for %s", c.Format)}
	}
	if c.Format == "gif" && c.Output == "" && term.IsTerminal(int(std.out.Fd())) {
		return usageError{errors.New("a gif is no text for a terminal; send it to a file: -o FILE")}
	}
	tape, log, err := c.Tape.open(&c.dataFlags, emulator.Options{
		ScrollbackLines: maxExported, TranscriptLines: maxExported, ScrollbackBytes: maxExportedBytes, TranscriptBytes: maxExportedBytes})
	if err != nil {
		return err
	}
	tape = tape.Hide(c.mask())
	// The whole is made before a file is.
	var b bytes.Buffer
	err = c.write(&b, tape, log, std.err)
	if err != nil && !errors.Is(err, replay.ErrCut) {
		return err
	}
	if err != nil {
		fmt.Fprintf(std.err, "glasstty: %v; --speed and --idle-limit make it shorter\n", err)
	}
	if c.Output != "" {
		return os.WriteFile(c.Output, b.Bytes(), 0o600)
	}
	_, err = std.out.Write(b.Bytes())
	return err
}

// write writes the recording, and says on stderr what is left out.
func (c *exportCmd) write(w io.Writer, tape *replay.Tape, log *replay.Replay, stderr io.Writer) error {
	switch c.Format {
	case "cast":
		return tape.WriteCast(w, 3)
	case "cast2":
		return tape.WriteCast(w, 2)
	case "gif":
		return tape.WriteGIF(w, float64(c.Speed), time.Duration(c.IdleLimit))
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
		return picture.HTML(w, c.mask().Snapshot(t.Snapshot(-1), 0, false), picture.Options{})
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
	if err != nil {
		return fmt.Errorf("--at: %w", err)
	}
	above := min(f.Terminal.ScrollbackRows(), mask.Context)
	shot := f.Terminal.Snapshot(0)
	if m := c.mask(); m != nil {
		shot = m.Snapshot(f.Terminal.Snapshot(above), above, true)
	}
	return map[exportFormat]func(io.Writer, *emulator.Snapshot, picture.Options) error{
		"txt": picture.Text, "html": picture.HTML, "svg": picture.SVG,
	}[c.Format](w, shot, picture.Options{})
}
