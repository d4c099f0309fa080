package emulator

// sgr applies the parameters of SGR to pen: ECMA-48 8.3.117 and xterm ctlseqs, "Character
// Attributes". Parameters may have subparameters after colons (ISO 8613-6).
func (pen *Style) sgr(p *params) {
	if p.n == 0 {
		*pen = pen.withoutSGR()
	}
	for i := 0; i < p.n; {
		i = pen.applySGR(p, i, p.nextParam(i))
	}
}

// withoutSGR returns p after SGR 0. Protection and the link are kept, because they are not
// SGR attributes.
func (p Style) withoutSGR() Style { return Style{Attrs: p.Attrs & Protected, Link: p.Link} }

// applySGR applies parameter i to pen and returns the index of the next parameter. end is the
// index after the subparameters of parameter i.
func (pen *Style) applySGR(p *params, i, end int) int {
	v := p.get(i, 0)
	switch {
	case v == 38 || v == 48 || v == 58:
		c, next, ok := sgrColor(p, i, end)
		if ok {
			*pen.colorField(v) = c
		}
		return next
	case v >= 30 && v <= 37:
		pen.FG = Indexed(uint8(v - 30))
	case v >= 40 && v <= 47:
		pen.BG = Indexed(uint8(v - 40))
	case v >= 90 && v <= 97:
		pen.FG = Indexed(uint8(v - 90 + 8))
	case v >= 100 && v <= 107:
		pen.BG = Indexed(uint8(v - 100 + 8))
	case v == 4 && end > i+1:
		if u := p.get(i+1, 0); u <= int(UnderlineDashed) {
			pen.Underline = Underline(u)
		}
	default:
		pen.applySimpleSGR(v)
	}
	return end
}

// colorField returns the colour of p that SGR v sets; v is 38, 48 or 58.
func (p *Style) colorField(v int) *Color {
	switch v {
	case 38:
		return &p.FG
	case 48:
		return &p.BG
	}
	return &p.UnderlineColor
}

// renditions lists the SGR attributes with the parameters that set and reset them, in the order
// of DECRPSS. The entry without an attribute is for underlining.
var renditions = [...]struct {
	set, reset int
	attr       Attrs
}{
	{1, 22, Bold}, {2, 22, Dim}, {3, 23, Italic}, {4, 24, 0}, {5, 25, Blink}, {7, 27, Reverse},
	{8, 28, Hidden}, {9, 29, Strike}, {53, 55, Overline},
}

// applySimpleSGR applies a parameter without arguments.
func (p *Style) applySimpleSGR(v int) {
	switch v {
	case 0:
		*p = p.withoutSGR()
	case 4:
		p.Underline = UnderlineSingle
	case 6:
		p.Attrs |= Blink
	case 21:
		p.Underline = UnderlineDouble
	case 24:
		p.Underline = UnderlineNone
	case 39:
		p.FG = 0
	case 49:
		p.BG = 0
	case 59:
		p.UnderlineColor = 0
	default:
		for _, r := range &renditions {
			switch v {
			case r.set:
				p.Attrs |= r.attr
			case r.reset: // 22 resets two attributes
				p.Attrs &^= r.attr
			}
		}
	}
}

// sgrColor parses the colour after parameter i: 38;5;n and 38;2;r;g;b, or with colons
// 38:5:n, 38:2:r:g:b and 38:2:space:r:g:b. end is the index after i's subparameters, and next that
// of the next parameter. As in xterm, a sequence with semicolons may end early: missing numbers are
// 0. If it has an unknown number instead of 5 or 2, only that number is skipped.
func sgrColor(p *params, i, end int) (c Color, next int, ok bool) {
	colons := end > i+1
	first := i + 2 // index of the first number
	count := map[int]int{5: 1, 2: 3}[p.get(i+1, 0)]
	if !colons {
		end = min(first+count, p.n)
	} else if count == 3 && end-first > 3 {
		first++ // skip the colour space
	}
	var v [3]uint8
	for k := range count {
		n := 0
		if j := first + k; j < end {
			n = p.get(j, paramUnset)
		} else if colons {
			n = paramUnset
		}
		if n < 0 || n > 255 {
			return 0, end, false
		}
		v[k] = uint8(n)
	}
	if count == 1 {
		return Indexed(v[0]), end, true
	}
	return RGB(v[0], v[1], v[2]), end, count == 3
}

// maxSGRStack is the size of the stack of XTPUSHSGR, as in xterm.
const maxSGRStack = 10

// A pushedSGR is an entry of the stack of XTPUSHSGR.
type pushedSGR struct {
	pen   Style
	parts []int // parts of pen to restore, numbered as in XTPUSHSGR; nil means all
}

// pushSGR is XTPUSHSGR, xterm ctlseqs. The parameters select the parts that popSGR restores; 30
// and 31 are the foreground and background. If the stack is full, pushSGR does nothing.
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

// popSGR is XTPOPSGR, xterm ctlseqs. It keeps protection and the link, which are not SGR
// attributes.
func (t *Terminal) popSGR(*params) {
	n := len(t.sgrStack)
	if n == 0 {
		return
	}
	s := t.sgrStack[n-1]
	t.sgrStack = t.sgrStack[:n-1]
	if len(s.parts) == 0 {
		s.pen.Link = t.pen.Link
		s.pen.Attrs = s.pen.Attrs&^Protected | t.pen.Attrs&Protected
		t.pen = s.pen
	}
	for _, part := range s.parts {
		t.pen.restore(&s.pen, part)
	}
}

// reportSGR is XTREPORTSGR, xterm ctlseqs: it reports the rendition that all cells of an
// area have in common.
func (t *Terminal) reportSGR(p *params) {
	a, ok := t.area(p, 0)
	if !ok {
		return
	}
	common := t.styles.style(t.scr.cells(a.top)[a.left].st).withoutTile()
	for r := a.top; r <= a.bottom; r++ {
		for _, g := range t.scr.cells(r)[a.left : a.right+1] {
			common.intersect(t.styles.style(g.st).withoutTile())
		}
	}
	t.reply("\x1b[" + common.resetSGR() + "m")
}

// intersect resets those attributes and colours of p that differ from q.
func (p *Style) intersect(q Style) {
	p.Attrs &= q.Attrs
	if p.Underline != q.Underline {
		p.Underline = UnderlineNone
	}
	for _, c := range [][2]*Color{{&p.FG, &q.FG}, {&p.BG, &q.BG}, {&p.UnderlineColor, &q.UnderlineColor}} {
		if *c[0] != *c[1] {
			*c[0] = 0
		}
	}
}

// restore copies one part of another pen to p. Parts are numbered as in XTPUSHSGR.
func (p *Style) restore(from *Style, part int) {
	switch part {
	case 4, 21:
		p.Underline = from.Underline
	case 10, 30:
		p.FG = from.FG
	case 11, 31:
		p.BG = from.BG
	}
	for _, r := range renditions {
		if part == r.set && part < 10 {
			p.Attrs = p.Attrs&^r.attr | from.Attrs&r.attr
		}
	}
}
