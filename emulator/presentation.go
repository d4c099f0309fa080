package emulator

import (
	"fmt"
	"strconv"
	"strings"
)

// decrqpsr reports the state of the cursor (parameter 1) or the tab stops (parameter 2): DECRQPSR,
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
	bits := func(on ...bool) rune { // DECCIR encodes bit fields as printable characters
		r := '@'
		for i, b := range on {
			if b {
				r |= 1 << i
			}
		}
		return r
	}
	row, col := t.reportedPosition()
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
