package emulator

import "github.com/glasstty/glasstty/emulator/graphics"

// Write processes output of the program. Any bytes are valid, and sequences and
// characters may be divided between calls. It always returns len(p) and nil.
func (t *Terminal) Write(p []byte) (int, error) {
	before := t.beginUpdate()
	base := t.consumed
	for i := 0; i < len(p); {
		if t.dec.n == 0 {
			n := t.fastPath(p[i:])
			if n > 0 {
				i += n
				continue
			}
		}
		r, ok, retry := t.dec.step(p[i])
		if !retry {
			i++
		}
		if ok {
			t.consumed = base + int64(i)
			t.step(r)
		}
	}
	t.consumed = base + int64(len(p))
	t.commit(before)
	return len(p), nil
}

// fastPath processes the leading bytes of p that do not need the state machine: text in
// the ground state, simple control sequences, and the payload of control strings. It
// returns their number.
func (t *Terminal) fastPath(p []byte) int {
	switch t.parser.state {
	case ground:
		switch {
		case p[0] == 0x1B:
			return t.plainCSI(p)
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

// plainCSI runs a control sequence at the start of p that is complete and has only digits
// and semicolons before its final, as most have. The result is the same as with the state
// machine. It returns the length of the sequence, or 0 if the state machine must process
// it.
func (t *Terminal) plainCSI(p []byte) int {
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

// step processes one character with the state machine.
func (t *Terminal) step(r rune) {
	p := &t.parser
	if p.state == textEsc && r != '\\' {
		// An ESC that does not begin ST aborts the string and begins a new sequence.
		p.endString()
		p.clear()
		p.state = escape
	}
	if r >= c1 {
		t.stepHigh(r)
		return
	}
	m := transitions[p.state][r]
	p.state = m.to
	switch m.do {
	case print:
		t.printRune(r)
	case execute:
		t.execute(r)
	case dispatchESC:
		t.dispatchESC(byte(r))
	case dispatchCSI:
		t.dispatchCSI(byte(r))
	case put:
		if p.kind != ']' || r >= 0x20 {
			t.put([]byte{byte(r)})
		}
	case finish:
		t.finish(r)
	default:
		p.apply(m.do, r)
	}
	if p.state == ground && m.do != print {
		t.last = 0
	}
}

// apply does the actions that only affect the parser.
func (p *parser) apply(do action, r rune) {
	switch do {
	case collect:
		p.collect(byte(r))
	case param:
		p.param(byte(r))
	case hook:
		p.beginString('P')
		p.final = byte(r)
	case begin:
		p.clear()
		p.beginString(byte(r))
	case abort:
		p.endString()
		p.clear()
	}
}

// stepHigh processes a character from U+00A0 onwards. It is text in the ground state and
// payload in a string. Elsewhere, as in xterm and xterm.js, it acts as the final of an
// unknown sequence, which is ignored, in a DCS header together with the string.
func (t *Terminal) stepHigh(r rune) {
	p := &t.parser
	switch p.state {
	case ground:
		t.printRune(r)
	case text:
		t.put([]byte(string(r)))
	case dcsEntry, dcsParam, dcsIntermediate:
		p.apply(hook, 0)
		p.state = text
	default:
		p.state = ground
		t.last = 0
	}
}

// put appends b to the payload of a control string.
func (t *Terminal) put(b []byte) {
	p := &t.parser
	if n := len(p.str) + len(b); n > maxString && (n > graphics.MaxString || !p.image()) {
		p.tooLong = true
		p.str = nil
	}
	if !p.tooLong {
		p.str = append(p.str, b...)
	}
}

// finish runs a control string that has ended with ST, or with BEL, which only ends OSC
// and the title sequence of screen. In other strings BEL is payload.
func (t *Terminal) finish(r rune) {
	p := &t.parser
	if r == '\a' && p.kind != ']' && p.kind != 'k' {
		p.state = text
		t.put([]byte{'\a'})
		return
	}
	switch {
	case p.tooLong:
	case p.kind == ']':
		t.osc(p.str, r == '\a')
	case p.kind == 'P':
		t.dcs()
	case p.kind == '_':
		t.apc(p.str)
	}
	p.endString()
}
