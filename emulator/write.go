package emulator

import "github.com/glasstty/glasstty/emulator/graphics"

// Write takes what the program wrote, cut anywhere. It returns len(p) and nil,
// always: any bytes are valid.
func (t *Terminal) Write(p []byte) (int, error) {
	before := t.look()
	base := t.consumed
	for i := 0; i < len(p); {
		if t.dec.need == 0 {
			n := t.run(p[i:])
			if n > 0 {
				i += n
				continue
			}
		}
		r, ok, again := t.dec.step(p[i])
		if !again {
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

// run takes the bytes at the start of p that need no state machine: printable
// ASCII on the screen, or the payload of a control string. It returns how many
// those were.
func (t *Terminal) run(p []byte) int {
	switch t.parser.state {
	case ground:
		n := asciiRun(p)
		if n > 0 {
			t.printASCII(p[:n])
			return n
		}
		if p[0] == 0x1B {
			return t.plainCSI(p)
		}
		if p[0] >= 0xC2 && !t.modes.has(modeInsert) && !t.modes.has(modeGraphemes) {
			return t.printRunes(p)
		}
		return 0
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

// plainCSI runs a control sequence that lies whole in p and has only numbers
// and semicolons before its final, as most have. It does what the state machine
// would do, and returns the sequence's length, or 0 for the machine to take it.
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

// asciiRun returns how many bytes at the start of p are printable ASCII.
func asciiRun(p []byte) int {
	for i, b := range p {
		if b-0x20 >= 0x5F {
			return i
		}
	}
	return len(p)
}

// step takes one character through the state machine.
func (t *Terminal) step(r rune) {
	p := &t.parser
	if p.state == textEsc && r != '\\' {
		// The string is aborted by any ESC that does not begin ST; what follows
		// that ESC is a sequence of its own.
		p.shut()
		p.clear()
		p.state = escape
	}
	if r >= c1 {
		t.high(r)
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
		p.take(m.do, r)
	}
	if p.state == ground && m.do != print {
		t.last = 0
	}
}

// take does what concerns the parser alone.
func (p *parser) take(do action, r rune) {
	switch do {
	case collect:
		p.collect(byte(r))
	case param:
		p.param(byte(r))
	case hook:
		p.open('P')
		p.final = byte(r)
	case begin:
		p.clear()
		p.open(byte(r))
	case abort:
		p.shut()
		p.clear()
	}
}

// high takes a character from U+00A0 on: text in the ground state, payload in a
// string. Elsewhere it is the final of a sequence that does not exist, as in xterm
// and xterm.js: the sequence is dropped with it, a control string as a whole.
func (t *Terminal) high(r rune) {
	p := &t.parser
	switch p.state {
	case ground:
		t.printRune(r)
	case text:
		t.put([]byte(string(r)))
	case dcsEntry, dcsParam, dcsIntermediate:
		p.take(hook, 0)
		p.state = text
	default:
		p.state = ground
		t.last = 0
		t.unknown()
	}
}

// put adds to the payload of a control string.
func (t *Terminal) put(b []byte) {
	p := &t.parser
	if n := len(p.str) + len(b); n > maxString && (n > graphics.MaxString || !p.image()) {
		p.over = true
		p.str = nil
	}
	if !p.over {
		p.str = append(p.str, b...)
	}
}

// finish ends a control string, by ST or, for OSC and screen's title, by BEL.
func (t *Terminal) finish(r rune) {
	p := &t.parser
	if r == '\a' && p.kind != ']' && p.kind != 'k' {
		p.state = text
		t.put([]byte{'\a'})
		return
	}
	switch {
	case p.over:
		t.unknown()
	case p.kind == ']':
		t.osc(p.str, r == '\a')
	case p.kind == 'P':
		t.dcs()
	case p.kind == '_':
		t.apc(p.str)
	}
	p.shut()
}
