package main

import (
	"bytes"
	"io"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
)

// A format is a way to print a screen.
type format string

// The formats.
const (
	formatText format = "text"
	formatANSI format = "ansi"
	formatHTML format = "html"
	formatSVG  format = "svg"
	formatPNG  format = "png"
	formatJSON format = "json"
)

// UnmarshalText reads one of the formats.
func (f *format) UnmarshalText(text []byte) (err error) {
	*f, err = choose[format](text, f.words()...)
	return err
}

// words returns the formats.
func (format) words() []string {
	var out []string
	for _, f := range []format{formatText, formatANSI, formatHTML, formatSVG, formatPNG, formatJSON} {
		out = append(out, string(f))
	}
	return out
}

// write draws a snapshot, scrollback first. Text ends with a newline, unless
// there is none. The whole is drawn before anything is written.
func (f format) write(w io.Writer, shot *emulator.Snapshot) error {
	var b bytes.Buffer
	var o picture.Options
	var err error
	switch f {
	case formatANSI:
		err = picture.ANSI(&b, shot, o)
	case formatHTML:
		err = picture.HTML(&b, shot, o)
	case formatSVG:
		err = picture.SVG(&b, shot, o)
	case formatPNG:
		o.Fonts = &picture.Fonts{}
		err = picture.PNG(&b, shot, o)
	case formatJSON:
		err = picture.JSON(&b, shot, o)
	default:
		err = picture.Text(&b, shot, o)
	}
	if err != nil {
		return err
	}
	if text := f == formatText || f == formatANSI; text && b.Len() > 0 {
		b.WriteByte('\n')
	}
	_, err = w.Write(b.Bytes())
	return err
}
