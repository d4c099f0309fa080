package clientconfig

import (
	"bytes"
	"fmt"
	"slices"
)

// A span is where something stands in a text, from its first byte to behind its last.
type span struct{ start, end int }

// relist changes a list of strings, in the brackets of JSON, TOML and YAML, whose
// elements stand at the spans. One element more, less or other is changed in its place;
// of a list that changes more, nothing stays but what is to be in it.
func relist(text []byte, list span, elements []span, u diff) ([]byte, error) {
	i := 0
	for i < len(u.args) && i < len(u.want) && u.args[i] == u.want[i] {
		i++
	}
	switch tail := u.args[i:]; {
	case len(u.want) == len(u.args) && slices.Equal(tail[1:], u.want[i+1:]):
		return splice(text, elements[i], quote(u.want[i])), nil
	case i > 0 && len(u.want) == len(u.args)+1 && slices.Equal(tail, u.want[i+1:]):
		return addElement(text, elements[i-1], quote(u.want[i])), nil
	case len(u.want) == len(u.args)-1 && slices.Equal(tail[1:], u.want[i:]):
		return dropElement(text, elements[i]), nil
	}
	if old := text[list.start:list.end]; bytes.ContainsAny(old, "#") || bytes.Contains(old, []byte("//")) || bytes.Contains(old, []byte("/*")) {
		return nil, fmt.Errorf("%w: the list of arguments may have comments; make it %s by hand", ErrByHand, quoteList(u.want))
	}
	return splice(text, list, quoteList(u.want)), nil
}

// splice puts a text in the place of another.
func splice(text []byte, at span, with string) []byte {
	return slices.Concat(text[:at.start], []byte(with), text[at.end:])
}

// addElement puts an element behind another, on a line of its own where that is.
func addElement(text []byte, after span, element string) []byte {
	gap := " "
	if ownLine(text, after.start) {
		gap = newline(text) + indentAt(text, after.start)
	}
	return splice(text, span{after.end, after.end}, ","+gap+element)
}

// dropElement takes an element out, and the comma behind it, or before it where it is
// the last one.
func dropElement(text []byte, at span) []byte {
	rest := bytes.TrimLeft(text[at.end:], " \t\r\n")
	if len(rest) > 0 && rest[0] == ',' {
		at.end = len(text) - len(rest) + 1
	} else if before := bytes.TrimRight(text[:at.start], " \t\r\n"); len(before) > 0 && before[len(before)-1] == ',' {
		at.start = len(before) - 1
		return splice(text, at, "")
	}
	if ownLine(text, at.start) {
		return splice(text, wholeLines(text, at), "")
	}
	at.end += len(text[at.end:]) - len(bytes.TrimLeft(text[at.end:], " "))
	return splice(text, at, "")
}

// wholeLines returns a span from the beginning of its first line to behind its last
// one, unless something else is on these.
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

// lineStart returns where the line of an offset begins.
func lineStart(text []byte, offset int) int { return bytes.LastIndexByte(text[:offset], '\n') + 1 }

// indentAt returns the blanks at the beginning of an offset's line.
func indentAt(text []byte, offset int) string {
	line := text[lineStart(text, offset):offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// ownLine reports whether only blanks stand before an offset in its line, which is not
// the first one.
func ownLine(text []byte, offset int) bool {
	start := lineStart(text, offset)
	return start > 0 && len(bytes.TrimLeft(text[start:offset], " \t")) == 0
}
