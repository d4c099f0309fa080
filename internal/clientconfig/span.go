package clientconfig

import (
	"bytes"
	"slices"
)

// A span is a part of a text: the offsets of its first byte and of the byte after its last.
type span struct{ start, end int }

// splice returns text with a span replaced.
func splice(text []byte, at span, with string) []byte {
	return slices.Concat(text[:at.start], []byte(with), text[at.end:])
}

// wholeLines extends a span to whole lines, unless they contain other text.
func wholeLines(text []byte, at span) span {
	end := at.end
	for end < len(text) && (text[end] == ' ' || text[end] == '\t' || text[end] == '\r') {
		end++
	}
	alone := len(bytes.TrimLeft(text[lineStart(text, at.start):at.start], " \t")) == 0
	if !alone || end < len(text) && text[end] != '\n' {
		return at
	}
	return span{lineStart(text, at.start), min(end+1, len(text))}
}

// lineStart returns the offset of the start of the line that contains an offset.
func lineStart(text []byte, offset int) int { return bytes.LastIndexByte(text[:offset], '\n') + 1 }

// indentAt returns the indentation of the line that contains an offset.
func indentAt(text []byte, offset int) string {
	line := text[lineStart(text, offset):offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// ownLine reports whether there are only blanks before an offset in its line. It is false in
// the first line.
func ownLine(text []byte, offset int) bool {
	start := lineStart(text, offset)
	return start > 0 && len(bytes.TrimLeft(text[start:offset], " \t")) == 0
}
