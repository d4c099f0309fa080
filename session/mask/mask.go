// Package mask hides secrets in lines, in screens, and in the bytes that a program has
// written. Hidden text keeps its width, so that columns, cursors and offsets stay valid.
//
// A secret is found in the text as a person would read it: across the rows of a wrapped line, in
// any colours, and, in bytes, with control sequences between its characters. Package redact
// defines the forms of secrets.
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

// New returns a Mask that finds secrets by their forms.
func New() *Mask { return &Mask{redact.New()} }

// Learn makes the Mask hide secret wherever it occurs. It ignores very short and very long secrets.
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

// Words returns the words of a command line with secrets hidden, also those that extend over several words.
func (m *Mask) Words(words []string) []string {
	if m == nil {
		return words
	}
	line := strings.Join(words, " ")
	line = redact.Replace(line, m.secrets.Spans(line), func(secret string) string { return strings.Repeat("*", len(secret)) })
	out := make([]string, len(words))
	at := 0
	for i, w := range words {
		out[i] = line[at : at+len(w)]
		at += len(w) + 1
	}
	return out
}

// cover returns an asterisk for each cell of text, and keeps line ends.
func cover(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.Repeat("*", emulator.TextWidth(l))
	}
	return strings.Join(lines, "\n")
}

// Lines returns successive lines with their secrets hidden. open says that the last line may
// continue. If so, what may be the beginning of a secret at the end of that line is hidden too.
func (m *Mask) Lines(lines []string, open bool) []string {
	if m == nil || len(lines) == 0 {
		return lines
	}
	text := strings.Join(lines, "\n")
	spans := m.secrets.Spans(text)
	if open {
		last := len(text) - len(lines[len(lines)-1])
		spans = redact.Merge(append(spans, redact.Span{From: max(m.secrets.IncompleteFrom(text), last), To: len(text)}))
	}
	return strings.Split(redact.Replace(text, spans, cover), "\n")
}
