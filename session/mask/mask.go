// Package mask hides secrets in what a terminal shows: lines, screens, and the
// bytes that a program has written. What is hidden keeps its width, so that columns,
// cursors and offsets mean the same as before.
//
// A secret is found as a person would read it: over the rows that a long line
// wraps to, whatever colours it has, and in bytes over the control sequences
// between its characters. The forms of secrets are package redact's.
package mask

import (
	"strings"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/redact"
)

// A Mask hides secrets. It is safe for concurrent use. A nil Mask hides nothing.
type Mask struct {
	secrets *redact.Redactor
}

// New returns a Mask that knows the forms of secrets.
func New() *Mask { return &Mask{redact.New()} }

// Learn has the Mask hide secret, wherever it is shown; see redact.Redactor.
func (m *Mask) Learn(secret string) {
	if m != nil {
		m.secrets.Learn(secret)
	}
}

// Text returns text with its secrets hidden.
func (m *Mask) Text(text string) string {
	if m == nil {
		return text
	}
	return redact.Replace(text, m.secrets.Spans(text), cover)
}

// Words returns words, which are one command line, with its secrets hidden.
func (m *Mask) Words(words []string) []string {
	if m == nil {
		return words
	}
	spans := m.secrets.Spans(strings.Join(words, " "))
	if len(spans) == 0 {
		return words
	}
	out := make([]string, len(words))
	at := 0
	for i, w := range words {
		var own []redact.Span
		for _, s := range spans {
			if from, to := max(s.From-at, 0), min(s.To-at, len(w)); from < to {
				own = append(own, redact.Span{From: from, To: to})
			}
		}
		out[i] = redact.Replace(w, own, cover)
		at += len(w) + 1
	}
	return out
}

// cover returns asterisks for the cells of text. Line ends stay.
func cover(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.Repeat("*", emulator.Cells(l))
	}
	return strings.Join(lines, "\n")
}

// Lines hides the secrets in successive lines. With open the last line is not at its
// end yet: what may become a secret there is hidden too, and begun is the cell where
// it begins, or -1.
func (m *Mask) Lines(lines []string, open bool) (out []string, begun int) {
	if m == nil || len(lines) == 0 {
		return lines, -1
	}
	text := strings.Join(lines, "\n")
	spans := m.secrets.Spans(text)
	begun = -1
	if open {
		last := len(text) - len(lines[len(lines)-1])
		if at := max(m.secrets.Open(text), last); at < len(text) {
			begun = emulator.Cells(text[last:at])
			spans = withEnd(spans, at, len(text))
		}
	}
	return strings.Split(redact.Replace(text, spans, cover), "\n"), begun
}

// withEnd returns spans with all from a place to the end.
func withEnd(spans []redact.Span, from, to int) []redact.Span {
	for len(spans) > 0 && spans[len(spans)-1].To >= from {
		from = min(from, spans[len(spans)-1].From)
		spans = spans[:len(spans)-1]
	}
	return append(spans, redact.Span{From: from, To: to})
}
