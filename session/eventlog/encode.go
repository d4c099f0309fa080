package eventlog

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/glasstty/glasstty/internal/runes"
)

// An encoder encodes events as lines. It remembers the time of the last event, and the
// beginnings of characters that are not yet complete.
type encoder struct {
	last    time.Duration // of the last event, in whole microseconds
	partial [2][]byte     // the incomplete characters at the end of the output and of the input
}

// event appends the line of e to b. If the line cannot show e's bytes, a line of kindExact precedes it.
func (c *encoder) event(b []byte, e *Event) []byte {
	at := max(e.At.Truncate(time.Microsecond), c.last)
	gap := at - c.last
	c.last = at
	switch e.Kind {
	case Output:
		return c.bytes(b, gap, Output, e.Data, &c.partial[0])
	case Input:
		return c.bytes(b, gap, Input, e.Data, &c.partial[1])
	case Resize:
		return appendLine(b, gap, Resize, fmt.Appendf(nil, "%dx%d", e.Cols, e.Rows))
	case Exit:
		return appendLine(b, gap, Exit, fmt.Append(nil, e.Code))
	case Note:
		return appendLine(b, gap, Note, append([]byte(e.Name+" "), valid(e.Data)...))
	}
	return appendLine(b, gap, e.Kind, valid(e.Data))
}

// bytes appends an event with the bytes p, which may not be valid UTF-8. cut contains the beginning of
// a character that was left out of the previous text; bytes replaces it with that at the end of p.
func (c *encoder) bytes(b []byte, gap time.Duration, k Kind, p []byte, cut *[]byte) []byte {
	text, carried := p, len(*cut)
	if carried > 0 {
		text = append(bytes.Clone(*cut), p...)
	}
	end := runes.CompleteLen(text)
	tail := text[end:]
	text = text[:end]
	switch {
	case !utf8.Valid(text):
		// Replacing the invalid bytes loses them, so the exact line has all bytes.
		text = valid(text)
		b = appendExact(b, gap, len(text), p)
		gap = 0
	case end < carried: // p is the middle of a character
		b = appendExact(b, gap, 0, p)
		gap = 0
	case carried > 0 || len(tail) > 0:
		b = appendExact(b, gap, carried, tail)
		gap = 0
	}
	*cut = append((*cut)[:0], tail...)
	return appendLine(b, gap, k, text)
}

// valid returns text with U+FFFD in place of invalid UTF-8.
func valid(text []byte) []byte { return bytes.ToValidUTF8(text, []byte(string(utf8.RuneError))) }

// appendExact appends an exact line. The bytes of the next event are its text without the first
// skip bytes, followed by tail.
func appendExact(b []byte, gap time.Duration, skip int, tail []byte) []byte {
	return appendLine(b, gap, kindExact, base64.StdEncoding.AppendEncode(fmt.Appendf(nil, "%d ", skip), tail))
}

// appendLine appends a line: the time since the previous line, the kind and the text, which must
// be valid UTF-8.
func appendLine(b []byte, gap time.Duration, k Kind, text []byte) []byte {
	b = strconv.AppendFloat(append(b, '['), float64(gap/time.Microsecond)/1e6, 'f', -1, 64)
	b = appendText(append(b, ',', '"', byte(k), '"', ',', '"'), text)
	return append(b, "\"]\n"...)
}

// appendText appends text, which must be valid UTF-8, as the inside of a JSON string.
func appendText(b, text []byte) []byte {
	const hex = "0123456789abcdef"
	from := 0
	for i, c := range text {
		if plain[c] {
			continue
		}
		b = append(b, text[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(b, text[from:]...)
}

// plain is true for the bytes that need no escape in a JSON string.
var plain = func() (table [256]bool) {
	for c := ' '; int(c) < len(table); c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()
