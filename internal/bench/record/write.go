package main

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/glasstty/glasstty/internal/recording"
)

// write writes a recording. Equal recordings make equal files.
func write(w io.Writer, r *recording.Recording) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(z)
	enc.SetEscapeHTML(false)
	h := recording.Header{Version: 3, Term: recording.Term{Cols: r.Cols, Rows: r.Rows, Type: "xterm-256color"}, Title: r.Title}
	if err := enc.Encode(h); err != nil {
		return err
	}
	for _, e := range r.Events {
		if err := enc.Encode(line(e)); err != nil {
			return err
		}
	}
	return z.Close()
}

// line returns the JSON array for an event.
func line(e recording.Event) [3]any {
	switch {
	case e.Kind == recording.Resize:
		return [3]any{0, "r", fmt.Sprintf("%dx%d", e.Cols, e.Rows)}
	case e.Kind == recording.Checkpoint:
		return [3]any{0, "m", e.Label}
	case utf8.Valid(e.Data):
		return [3]any{0, "o", string(e.Data)}
	}
	return [3]any{0, "b", base64.StdEncoding.EncodeToString(e.Data)}
}
