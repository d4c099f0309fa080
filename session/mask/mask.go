// Package mask hides secrets in lines, in screens, and in the bytes that a program has
// written. Hidden text keeps its width, so that columns, cursors and offsets stay valid.
//
// A secret is found as a person would read it: across the rows of a wrapped line, in any
// colours, and, in bytes, with control sequences between its characters. Package redact
// knows the forms of secrets.
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

// Learn makes the Mask hide secret everywhere; see redact.Redactor.
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
		var inWord []redact.Span
		for _, s := range spans {
			if from, to := max(s.From-at, 0), min(s.To-at, len(w)); from < to {
				inWord = append(inWord, redact.Span{From: from, To: to})
			}
		}
		out[i] = redact.Replace(w, inWord, cover)
		at += len(w) + 1
	}
	return out
}

// cover returns an asterisk for each cell of text, and keeps line ends.
func cover(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.Repeat("*", emulator.Cells(l))
	}
	return strings.Join(lines, "\n")
}

// Lines hides the secrets in successive lines. open reports that the last line may continue:
// then a possible beginning of a secret at its end is hidden too.
func (m *Mask) Lines(lines []string, open bool) []string {
	if m == nil || len(lines) == 0 {
		return lines
	}
	text := strings.Join(lines, "\n")
	spans := m.secrets.Spans(text)
	if open {
		last := len(text) - len(lines[len(lines)-1])
		if at := max(m.secrets.Open(text), last); at < len(text) {
			spans = withEnd(spans, at, len(text))
		}
	}
	return strings.Split(redact.Replace(text, spans, cover), "\n")
}

// withEnd adds the span from from to the end to spans, and joins those that touch it.
func withEnd(spans []redact.Span, from, to int) []redact.Span {
	for len(spans) > 0 && spans[len(spans)-1].To >= from {
		from = min(from, spans[len(spans)-1].From)
		spans = spans[:len(spans)-1]
	}
	return append(spans, redact.Span{From: from, To: to})
}
