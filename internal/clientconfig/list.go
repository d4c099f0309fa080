package clientconfig

import (
	"bytes"
	"slices"
)

// A span is a part of a text: the offsets of its first byte and of the byte after its last.
type span struct{ start, end int }

// relist returns a list of strings in brackets, as in JSON, TOML and YAML, with its elements
// changed to u.want. Elements that stay keep the text before them, such as comments. New ones
// get lines of their own if the others have them.
func relist(text []byte, list span, elements []span, u diff) string {
	if len(elements) == 0 {
		return quoteList(u.want)
	}
	first, last := elements[0], elements[len(elements)-1]
	gap := ", "
	if ownLine(text, first.start) {
		gap = "," + newline(text) + indentAt(text, first.start)
	}
	out := string(text[list.start:first.start])
	for k, w := range u.want {
		i, word, before := slices.Index(u.args, w), quote(w), gap
		if i >= 0 {
			word = string(text[elements[i].start:elements[i].end])
		}
		if i > 0 {
			before = string(text[elements[i-1].end:elements[i].start])
		}
		if k > 0 {
			out += before
		}
		out += word
	}
	return out + string(text[last.end:list.end])
}

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
