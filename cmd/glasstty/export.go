package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/replay"
)

// exportCmd converts a recording to another format.
type exportCmd struct {
	recordingFlags
	outFlags
	Format    string  `enum:"cast,cast2,text,html,svg,gif" placeholder:"FORMAT" help:"Output format: cast (asciicast v3), cast2 (asciicast v2), text, html, svg or gif (default: by the suffix of -o, else cast)."`
	Speed     float64 `default:"1" min:"0.01" max:"100" placeholder:"N" help:"For gif: playing speed, as a multiple of the original (default ${default})."`
	IdleLimit float64 `default:"2" min:"0.1" max:"600" unit:"seconds" placeholder:"SECONDS" help:"For gif: shorten longer pauses to this (default ${default})."`
}

// recordingSuffixes maps file suffixes to formats of a recording.
var recordingSuffixes = map[string]string{
	".cast": "cast", ".txt": "text", ".html": "html", ".htm": "html", ".svg": "svg", ".gif": "gif",
}

// The limits on the scrollback when a recording is exported. A log of the default size contains less text.
const (
	maxExportedLines = 2_000_000
	maxExportedBytes = 512 << 20
)

// The limits of the playing speed. The tags of the flags --speed repeat them.
const (
	minSpeed = 0.01
	maxSpeed = 100.0
)

func (c *exportCmd) run(ctx context.Context, std stdio) error {
	word, err := c.outFlags.format(c.Format, "cast", recordingSuffixes)
	if err != nil {
		return err
	}
	c.Format = word
	if err := c.checkTerminal(std, word); err != nil {
		return err
	}
	rec, err := c.recording(emulator.Options{ScrollbackLines: maxExportedLines, ScrollbackBytes: maxExportedBytes})
	if err != nil {
		return err
	}
	// The recording is rendered completely before the file is created.
	var b bytes.Buffer
	err = withProgress(std.err, fmt.Sprintf("making the %s", c.Format), func() error { return c.draw(&b, rec, std.err) })
	if err != nil && !errors.Is(err, replay.ErrCut) {
		return err
	}
	if err != nil {
		fmt.Fprintf(std.err, "glasstty: %v; --speed and --idle-limit make it shorter\n", err)
	}
	return errors.Join(c.outFlags.write(ctx, std, b.Bytes()), c.damaged(rec))
}

// damaged returns an error that describes the unreadable parts of a recording, or nil if there are none.
func (f *recordingFlags) damaged(rec *replay.Recording) error {
	if d := rec.Damage(); d != (eventlog.Damage{}) {
		return fmt.Errorf("%s: %v; all else was read", f.Source, d)
	}
	return nil
}

// draw writes the recording to w in c.Format, and reports lines that are left out on stderr.
func (c *exportCmd) draw(w io.Writer, rec *replay.Recording, stderr io.Writer) error {
	switch c.Format {
	case "cast":
		return rec.WriteCast(w, 3)
	case "cast2":
		return rec.WriteCast(w, 2)
	case "gif":
		return rec.WriteGIF(w, c.Speed, seconds(c.IdleLimit))
	}
	t, err := rec.Play()
	if err != nil {
		return err
	}
	if n := t.FirstLine(); n > 0 && c.Format != "svg" {
		fmt.Fprintf(stderr, "glasstty: the first %d lines are left out: the log begins later, or there are more than %d lines or %d MB\n", n, maxExportedLines, maxExportedBytes>>20)
	}
	switch c.Format {
	case "html":
		shot := t.Snapshot(0)
		shot.Title = c.mask().Text(shot.Title)
		return picture.StreamHTML(w, c.mask().Rows(t.Rows()), t.ScrollbackRows(), shot)
	case "svg":
		return picture.SVG(w, c.mask().Snapshot(t.Snapshot(0), 0, false), picture.Options{})
	}
	_, err = io.WriteString(w, c.mask().Text(replay.Text(t)))
	return err
}
