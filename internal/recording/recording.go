// Package recording reads recorded output of real programs, so that tests do not need the programs.
// internal/bench/record creates the files.
//
// A recording is a gzipped asciicast v3 file. Its events are "o" (output, text),
// "b" (output that is not valid UTF-8, in base64; our extension), "r" (resize,
// "COLSxROWS") and "m" (marker: a checkpoint at which screens are compared).
// All times are zero: only the bytes matter, and equal bytes give equal files.
package recording

import (
	"bufio"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
)

// maxLine is the maximum length in bytes of a line that Read accepts.
const maxLine = 16 << 20

// Kind is the kind of an Event.
type Kind byte

// The kinds of events: their letters in asciicast.
const (
	Output     Kind = 'o'
	Resize     Kind = 'r'
	Checkpoint Kind = 'm'
)

// An Event is output, a change of the terminal's size, or a checkpoint.
type Event struct {
	Kind       Kind
	Data       []byte // for Output
	Rows, Cols int    // for Resize
	Label      string // for Checkpoint
}

// A Recording is the recorded output of a program.
type Recording struct {
	Title      string
	Rows, Cols int // at the start
	Events     []Event
}

// A Header is a recording's first line.
type Header struct {
	Version int    `json:"version"`
	Term    Term   `json:"term"`
	Title   string `json:"title,omitempty"`
}

// Term describes the terminal at the start of a recording.
type Term struct {
	Cols int    `json:"cols"`
	Rows int    `json:"rows"`
	Type string `json:"type"`
}

// Read reads a recording. An error about an invalid line has the line's number.
func Read(src io.Reader) (*Recording, error) {
	z, err := gzip.NewReader(src)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, maxLine)
	var h Header
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &h) != nil || h.Version != 3 {
		return nil, fmt.Errorf("line 1 is not an asciicast v3 header: %.80q", lines.Text())
	}
	r := &Recording{Title: h.Title, Rows: h.Term.Rows, Cols: h.Term.Cols}
	for n := 2; lines.Scan(); n++ {
		e, err := parse(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		r.Events = append(r.Events, e)
	}
	return r, lines.Err()
}

// parse parses the line of an event.
func parse(line []byte) (Event, error) {
	var code, data string
	var at float64
	if err := json.Unmarshal(line, &[]any{&at, &code, &data}); err != nil {
		return Event{}, err
	}
	switch code {
	case "o":
		return Event{Kind: Output, Data: []byte(data)}, nil
	case "b":
		b, err := base64.StdEncoding.DecodeString(data)
		return Event{Kind: Output, Data: b}, err
	case "m":
		return Event{Kind: Checkpoint, Label: data}, nil
	case "r":
		e := Event{Kind: Resize}
		_, err := fmt.Sscanf(data, "%dx%d", &e.Cols, &e.Rows)
		return e, err
	}
	return Event{}, fmt.Errorf("event code %q is none of o, b, m, r", code)
}
