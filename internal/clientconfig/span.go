package clientconfig

import (
	"bytes"
	"slices"
)

// A span is a part of a text: the offsets of its first byte and of the byte after its last.
type span struct{ start, end int }

// splice returns text with the span at replaced.
func splice(text []byte, at span, replacement string) []byte {
	return slices.Concat(text[:at.start], []byte(replacement), text[at.end:])
}

// lineStart returns the offset of the start of the line that contains an offset.
func lineStart(text []byte, offset int) int { return bytes.LastIndexByte(text[:offset], '\n') + 1 }

// indentAt returns the spaces and tabs at the start of the line that contains an offset, up to the offset.
func indentAt(text []byte, offset int) string {
	line := text[lineStart(text, offset):offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// startsLine reports whether only spaces and tabs precede an offset in its line. It is false in the
// first line.
func startsLine(text []byte, offset int) bool {
	start := lineStart(text, offset)
	return start > 0 && len(bytes.TrimLeft(text[start:offset], " \t")) == 0
}
