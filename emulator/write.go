package emulator

import "unicode/utf8"

// Write processes output of the program. Any bytes are valid, and sequences and
// characters may be divided between calls. It always returns len(p) and nil.
func (t *Terminal) Write(p []byte) (int, error) {
	return t.WriteParts(p, func(rest []byte) int { return len(rest) })
}

// WriteParts is like Write, but processes p in parts. Before each part it calls next with the bytes
// of p that are left; next returns the length of the part, at least 1, and may read the state of the
// terminal. Revision increases at most once, after all of p.
func (t *Terminal) WriteParts(p []byte, next func(rest []byte) int) (int, error) {
	before := t.beginUpdate()
	for rest := p; len(rest) > 0; {
		n := next(rest)
		t.write(rest[:n])
		rest = rest[n:]
	}
	t.commit(before)
	return len(p), nil
}

// write applies p, and keeps an incomplete character at its end for the next call.
func (t *Terminal) write(p []byte) {
	end := t.consumed + int64(len(p))
	rest := p
	if len(t.partial) > 0 {
		rest = append(t.partial, p...)
	}
	for len(rest) > 0 {
		if n := t.writeFast(rest); n > 0 {
			rest = rest[n:]
			continue
		}
		r, n := firstRune(rest)
		if n == 0 {
			break
		}
		rest = rest[n:]
		t.consumed = end - int64(len(rest))
		t.step(r)
	}
	t.partial = append([]byte(nil), rest...)
	t.consumed = end
}

const replacement = utf8.RuneError

// firstRune decodes the first character of p as the "UTF-8 decode" of the WHATWG Encoding
// Standard does: each maximal part of an ill-formed sequence becomes one U+FFFD, and a byte
// that cannot continue a sequence starts the next one. firstRune returns the number of bytes
// decoded, which is 0 if p ends inside the character.
func firstRune(p []byte) (rune, int) {
	n := 1
	for !utf8.FullRune(p[:n]) {
		if n++; n > len(p) {
			return 0, 0
		}
	}
	r, size := utf8.DecodeRune(p[:n])
	return r, max(size, n-1)
}

// writeFast processes the leading bytes of p that do not need the state machine: text in
// the ground state, simple control sequences, and the payload of control strings. It
// returns the number of bytes processed, which may be 0.
func (t *Terminal) writeFast(p []byte) int {
	switch t.parser.state {
	case ground:
		switch {
		case p[0] == 0x1B:
			return t.runPlainCSI(p)
		case !t.modes.has(modeInsert):
			return t.printText(p)
		}
	case text:
		n := 0
		for n < len(p) && p[n] >= 0x20 && p[n] < 0x80 {
			n++
		}
		t.put(p[:n])
		return n
	}
	return 0
}

// runPlainCSI runs a control sequence at the start of p that is complete and has only digits
// and semicolons before its final, as most have. The result is the same as with the state
// machine. It returns the length of the sequence, or 0 if the state machine must process
// it.
func (t *Terminal) runPlainCSI(p []byte) int {
	if len(p) < 3 || p[1] != '[' {
		return 0
	}
	ps := &t.parser
	ps.clear()
	for i := 2; i < len(p); i++ {
		switch c := p[i]; {
		case c-'0' < 10:
			ps.params.digit(c)
		case c == ';':
			ps.params.separate(false)
		case c >= 0x40 && c < 0x7F:
			t.dispatchCSI(c)
			t.last = 0
			return i + 1
		default:
			return 0
		}
	}
	return 0
}
