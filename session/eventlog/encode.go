package eventlog

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/glasstty/glasstty/internal/runes"
)

// An encoder writes events as lines. Between lines it keeps the time, and the beginnings
// of characters that are not whole yet.
type encoder struct {
	last time.Duration // of the last event, in whole microseconds
	cut  [2][]byte     // the beginning of a character, of output and of input
}

// event appends e's lines to b.
func (c *encoder) event(b []byte, e *Event) []byte {
	at := max(e.At.Truncate(time.Microsecond), c.last)
	gap := at - c.last
	c.last = at
	switch e.Kind {
	case Output:
		return c.bytes(b, gap, Output, e.Data, &c.cut[0])
	case Input:
		return c.bytes(b, gap, Input, e.Data, &c.cut[1])
	case Resize:
		b = begin(b, gap, Resize)
		b = append(b, '"')
		b = strconv.AppendInt(b, int64(e.Cols), 10)
		b = append(b, 'x')
		b = strconv.AppendInt(b, int64(e.Rows), 10)
		return append(b, "\"]\n"...)
	case Exit:
		b = append(begin(b, gap, Exit), '"')
		b = strconv.AppendInt(b, int64(e.Code), 10)
		return append(b, "\"]\n"...)
	case Note:
		b = append(begin(b, gap, Note), '"')
		b = append(append(b, e.Name...), ' ')
		b = appendText(b, valid(e.Data))
		return append(b, "\"]\n"...)
	}
	b = append(begin(b, gap, e.Kind), '"')
	b = appendText(b, valid(e.Data))
	return append(b, "\"]\n"...)
}

// bytes appends an event of bytes that may not be valid text. cut holds the beginning of a
// character that was left out of the text before.
func (c *encoder) bytes(b []byte, gap time.Duration, k Kind, p []byte, cut *[]byte) []byte {
	text, carried := p, len(*cut)
	if carried > 0 {
		text = append(bytes.Clone(*cut), p...)
	}
	end := runes.Whole(text)
	tail := text[end:]
	text = text[:end]
	switch {
	case !utf8.Valid(text):
		// The text contains U+FFFD: write all bytes.
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
	b = append(begin(b, gap, k), '"')
	b = appendText(b, text)
	return append(b, "\"]\n"...)
}

// valid returns text with U+FFFD in place of invalid UTF-8.
func valid(text []byte) []byte { return bytes.ToValidUTF8(text, []byte(string(utf8.RuneError))) }

// appendExact appends the line with the exact bytes of the event after it: its text from
// skip on, then tail.
func appendExact(b []byte, gap time.Duration, skip int, tail []byte) []byte {
	b = append(begin(b, gap, kindExact), '"')
	b = strconv.AppendInt(b, int64(skip), 10)
	b = append(b, ' ')
	b = base64.StdEncoding.AppendEncode(b, tail)
	return append(b, "\"]\n"...)
}

// begin appends a line's time and code.
func begin(b []byte, gap time.Duration, k Kind) []byte {
	us := int64(gap / time.Microsecond)
	b = append(b, '[')
	b = strconv.AppendInt(b, us/1e6, 10)
	if us %= 1e6; us > 0 {
		b = append(b, '.')
		for unit := int64(1e5); us > 0; unit /= 10 {
			b = append(b, byte('0'+us/unit))
			us %= unit
		}
	}
	return append(b, ',', '"', byte(k), '"', ',')
}

// appendText appends text, which is valid UTF-8, as the inside of a JSON string.
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

// plain tells which bytes of UTF-8 need no escape in a JSON string.
var plain = func() (table [256]bool) {
	for c := ' '; int(c) < len(table); c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()
