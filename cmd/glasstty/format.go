package main

import (
	"bytes"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
)

// A format is a picture.Format that a flag names.
type format picture.Format

// screenSuffixes are the formats of a screen by the suffixes of files.
var screenSuffixes = map[string]string{
	".txt": "text", ".ansi": "ansi", ".html": "html", ".htm": "html", ".svg": "svg", ".png": "png", ".json": "json",
}

// formats returns their names.
func formats() []string {
	var out []string
	for _, f := range picture.Formats() {
		out = append(out, string(f))
	}
	return out
}

// draw draws a snapshot, scrollback first. Non-empty text ends with a newline.
func (f format) draw(shot *emulator.Snapshot) ([]byte, error) {
	var b bytes.Buffer
	var o picture.Options
	kind := picture.Format(f)
	if kind == picture.FormatPNG {
		o.Fonts = &picture.Fonts{}
	}
	err := kind.Write(&b, shot, o)
	if text := kind == picture.FormatText || kind == picture.FormatANSI; text && b.Len() > 0 {
		b.WriteByte('\n')
	}
	return b.Bytes(), err
}
