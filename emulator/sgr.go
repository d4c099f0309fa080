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
	t.pen = n
}

// normal returns p after SGR 0: DECSCA and the link stay, they are not renditions.
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

// renditions are the attributes of SGR with the parameters that set and reset them. The row
// without an attribute is the place of underlining in DECRPSS.
var renditions = [...]struct {
	set, reset int
	attr       Attrs
}{
	{1, 22, Bold}, {2, 22, Dim}, {3, 23, Italic}, {4, 24, 0}, {5, 25, Blink}, {7, 27, Reverse},
	{8, 28, Hidden}, {9, 29, Strike}, {53, 55, Overline},
}

// attr applies a parameter without arguments.
func (p *Style) attr(v int) bool {
	switch v {
	case 0:
		*p = p.normal()
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
		known := false
		for _, r := range &renditions {
			switch v {
			case r.set:
				p.Attrs |= r.attr
				return true
			case r.reset: // 22 resets two
				p.Attrs &^= r.attr
				known = true
			}
		}
		return known
	}
	return true
}

// sgrColor reads the colour behind parameter i: 38;5;n and 38;2;r;g;b, or with
// colons 38:5:n, 38:2:r:g:b and 38:2:space:r:g:b. It returns the index after it. As
// in xterm numbers that the sequence is too short for are 0 where semicolons
// separate them, and a colour of another kind takes its kind along and no more.
func sgrColor(p *params, i, end int) (c Color, next int, ok bool) {
	colons := end > i+1
	first := i + 2 // of the numbers
	count := map[int]int{5: 1, 2: 3}[p.get(i+1, 0)]
	if !colons {
		end = min(first+count, p.n)
	} else if count == 3 && end-first > 3 {
		first++ // the colour space
	}
	var v [3]uint8
	for k := range count {
		n := 0
		if at := first + k; at < end {
			n = p.get(at, paramUnset)
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

// popSGR is XTPOPSGR, xterm ctlseqs. Protection and the link are not renditions.
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
	t.pen = to
}

// reportSGR is XTREPORTSGR, xterm ctlseqs: the rendition that all cells of an area
// have in common.
func (t *Terminal) reportSGR(p *params) {
	a, ok := t.area(p, 0)
	if !ok {
		return
	}
	common := t.styles.style(t.scr.cells(a.top)[a.left].st)
	for r := a.top; r <= a.bottom; r++ {
		for _, g := range t.scr.cells(r)[a.left : a.right+1] {
			common.meet(t.styles.style(g.st))
		}
	}
	t.reply("\x1b[" + common.resetSGR() + "m")
}

// meet leaves what p and q have in common.
func (p *Style) meet(q Style) {
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

// restore takes one part of another pen, by its number in XTPUSHSGR.
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
