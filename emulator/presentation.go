package emulator

import (
	"fmt"
	"strconv"
	"strings"
)

// noBits is the character for a bit field of DECCIR with no bits set. DECCIR encodes bit
// fields as printable characters.
const noBits = '@'

// decrqpsr reports the cursor or the tab stops in a form that decrsps accepts: DECRQPSR,
// VT510 manual.
func (t *Terminal) decrqpsr(p *params) {
	switch p.get(0, 0) {
	case 1:
		t.reply("\x1bP1$u" + t.cursorReport() + "\x1b\\")
	case 2:
		var stops []string
		for col, set := range t.tabs[:t.size.Cols] {
			if set {
				stops = append(stops, strconv.Itoa(col+1))
			}
		}
		t.reply("\x1bP2$u" + strings.Join(stops, "/") + "\x1b\\")
	}
}

// cursorReport returns the cursor information report: DECCIR, VT510 manual.
func (t *Terminal) cursorReport() string {
	bits := func(on ...bool) rune {
		r := rune(noBits)
		for i, b := range on {
			if b {
				r |= 1 << i
			}
		}
		return r
	}
	row, col := t.position()
	pen, set := t.pen, t.charset
	names := ""
	for _, id := range set.g {
		name, _, _ := strings.Cut(charsets[id].names, " ")
		names += name
	}
	return fmt.Sprintf("%d;%d;1;%c;%c;%c;%d;2;%c;%s", row, col,
		bits(pen.Attrs&Bold != 0, pen.Underline != UnderlineNone, pen.Attrs&Blink != 0, pen.Attrs&Reverse != 0),
		bits(pen.Attrs&Protected != 0),
		bits(t.modes.has(modeOrigin), set.single == 2, set.single == 3, t.wrap && t.modes.has(modeAutoWrap)),
		set.gl, bits(), names)
}

// decrsps restores a report of decrqpsr: DECRSPS, VT510 manual.
func (t *Terminal) decrsps(arg string) {
	switch t.parser.params.get(0, 0) {
	case 1:
		t.restoreReport(strings.SplitN(arg, ";", 10))
	case 2:
		t.tabs = tabStops{}
		for _, s := range strings.Split(arg, "/") {
			if n, err := strconv.Atoi(s); err == nil && n >= 1 && n <= MaxCols {
				t.tabs[n-1] = true
			}
		}
	}
}

// restoreReport restores the fields f of a cursor information report.
func (t *Terminal) restoreReport(f []string) {
	if len(f) < 10 || len(f[3]) != 1 || len(f[4]) != 1 || len(f[5]) != 1 {
		return
	}
	row, _ := strconv.Atoi(f[0])
	col, _ := strconv.Atoi(f[1])
	has := func(field string, bit int) bool { return (field[0]-noBits)>>bit&1 != 0 }
	p := &t.pen
	for bit, a := range []Attrs{Bold, 0, Blink, Reverse} {
		p.Attrs &^= a
		if has(f[3], bit) {
			p.Attrs |= a
		}
	}
	p.Underline = UnderlineNone
	if has(f[3], 1) {
		p.Underline = UnderlineSingle
	}
	t.protect(has(f[4], 0))
	t.modes.set(modeOrigin, has(f[5], 0))
	t.address(row-1, col-1)
	t.wrap = has(f[5], 3) && t.col == t.rightLimit()
	t.charset = charset{}
	for bit, set := range []uint8{2, 3} {
		if has(f[5], bit+1) {
			t.charset.single = set
		}
	}
	if gl, err := strconv.Atoi(f[6]); err == nil && gl >= 0 && gl < len(t.charset.g) {
		t.charset.gl = uint8(gl)
	}
	names := f[9]
	for g := 0; g < len(t.charset.g) && names != ""; g++ {
		n := strings.IndexFunc(names, func(r rune) bool { return r >= '0' }) + 1
		t.designate(g, names[:n])
		names = names[n:]
	}
}
