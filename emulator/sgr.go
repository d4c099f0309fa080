package emulator

// sgr sets the rendition: SGR, ECMA-48 8.3.117 and xterm ctlseqs, "Character
// Attributes". Parameters may have subparameters after a colon (ISO 8613-6).
func (t *Terminal) sgr(p *params) {
	n := t.pen
	if p.n == 0 {
		n = n.normal()
	}
	for i := 0; i < p.n; {
		end := p.group(i)
		i = t.sgrOne(&n, p, i, end)
	}
	t.setPen(n)
}

// normal returns p after SGR 0: DECSCA and the link stay, they are no rendition.
func (p Style) normal() Style { return Style{Attrs: p.Attrs & Protected, Link: p.Link} }

// sgrOne applies the parameter at i, whose subparameters end before end, and
// returns the index of the next one.
func (t *Terminal) sgrOne(n *Style, p *params, i, end int) int {
	v := p.get(i, 0)
	switch {
	case v == 38 || v == 48 || v == 58:
		c, next, ok := sgrColor(p, i, end)
		if ok {
			*n.color(v) = c
		}
		return next
	case v >= 30 && v <= 37:
		n.FG = Indexed(uint8(v - 30))
	case v >= 40 && v <= 47:
		n.BG = Indexed(uint8(v - 40))
	case v >= 90 && v <= 97:
		n.FG = Indexed(uint8(v - 90 + 8))
	case v >= 100 && v <= 107:
		n.BG = Indexed(uint8(v - 100 + 8))
	case v == 4 && end > i+1:
		if u := p.get(i+1, 0); u <= int(UnderlineDashed) {
			n.Underline = Underline(u)
		}
	default:
		if !n.attr(v) {
			t.unknown()
		}
	}
	return end
}

// color returns the colour that SGR 38, 48 or 58 sets.
func (p *Style) color(v int) *Color {
	switch v {
	case 38:
		return &p.FG
	case 48:
		return &p.BG
	}
	return &p.UnderlineColor
}

// attr applies a parameter without arguments.
func (p *Style) attr(v int) bool {
	switch v {
	case 0:
		*p = p.normal()
	case 1:
		p.Attrs |= Bold
	case 2:
		p.Attrs |= Dim
	case 3:
		p.Attrs |= Italic
	case 4:
		p.Underline = UnderlineSingle
	case 5, 6:
		p.Attrs |= Blink
	case 7:
		p.Attrs |= Reverse
	case 8:
		p.Attrs |= Hidden
	case 9:
		p.Attrs |= Strike
	case 21:
		p.Underline = UnderlineDouble
	case 53:
		p.Attrs |= Overline
	default:
		return p.reset(v)
	}
	return true
}

// reset applies a parameter that takes something back.
func (p *Style) reset(v int) bool {
	switch v {
	case 22:
		p.Attrs &^= Bold | Dim
	case 23:
		p.Attrs &^= Italic
	case 24:
		p.Underline = UnderlineNone
	case 25:
		p.Attrs &^= Blink
	case 27:
		p.Attrs &^= Reverse
	case 28:
		p.Attrs &^= Hidden
	case 29:
		p.Attrs &^= Strike
	case 39:
		p.FG = 0
	case 49:
		p.BG = 0
	case 55:
		p.Attrs &^= Overline
	case 59:
		p.UnderlineColor = 0
	default:
		return false
	}
	return true
}

// sgrColor reads the colour behind parameter i: 38;5;n and 38;2;r;g;b, or with
// colons 38:5:n, 38:2:r:g:b and 38:2:space:r:g:b. It returns the index after it.
func sgrColor(p *params, i, end int) (c Color, next int, ok bool) {
	colons := end > i+1
	next = end
	arg := i + 1
	limit := end
	if !colons {
		limit = p.n
	}
	if arg >= limit {
		return 0, limit, false
	}
	switch p.get(arg, 0) {
	case 5:
		if !colons {
			next = min(arg+2, p.n)
		}
		n := p.get(arg+1, 0)
		return Indexed(uint8(n)), next, arg+1 < limit && n <= 255
	case 2:
		first := arg + 1
		if colons && end-first > 3 {
			first++ // the colour space
		}
		if !colons {
			next = min(arg+4, p.n)
		}
		r, g, b := p.get(first, 0), p.get(first+1, 0), p.get(first+2, 0)
		return RGB(uint8(r), uint8(g), uint8(b)), next, first+2 < limit && max(r, g, b) <= 255
	}
	if !colons {
		next = p.n // what follows belongs to a colour we do not know
	}
	return 0, next, false
}

// maxSGRStack bounds the stack of XTPUSHSGR, as xterm does.
const maxSGRStack = 10

// A pushedSGR is a rendition on the stack and which of its parts come back.
type pushedSGR struct {
	pen   Style
	parts []int // as in XTPUSHSGR; none means all
}

// pushSGR is XTPUSHSGR, xterm ctlseqs: the parameters name what is to be
// restored; 30 and 31 are the foreground and background.
func (t *Terminal) pushSGR(p *params) {
	if len(t.sgrStack) == maxSGRStack {
		return
	}
	s := pushedSGR{pen: t.pen}
	for i := range p.n {
		if n := p.get(i, 0); n > 0 {
			s.parts = append(s.parts, n)
		}
	}
	t.sgrStack = append(t.sgrStack, s)
}

// popSGR is XTPOPSGR, xterm ctlseqs. Protection and the link are no rendition.
func (t *Terminal) popSGR(*params) {
	n := len(t.sgrStack)
	if n == 0 {
		return
	}
	s := t.sgrStack[n-1]
	t.sgrStack = t.sgrStack[:n-1]
	to := t.pen
	if len(s.parts) == 0 {
		to = s.pen
		to.Link = t.pen.Link
		to.Attrs = to.Attrs&^Protected | t.pen.Attrs&Protected
	}
	for _, part := range s.parts {
		to.restore(&s.pen, part)
	}
	t.setPen(to)
}

// restore takes one part of another pen, by its number in XTPUSHSGR.
func (p *Style) restore(from *Style, part int) {
	attrs := map[int]Attrs{1: Bold, 2: Dim, 3: Italic, 5: Blink, 7: Reverse, 8: Hidden, 9: Strike}
	switch part {
	case 4, 21:
		p.Underline = from.Underline
	case 10, 30:
		p.FG = from.FG
	case 11, 31:
		p.BG = from.BG
	default:
		p.Attrs = p.Attrs&^attrs[part] | from.Attrs&attrs[part]
	}
}
