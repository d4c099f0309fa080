package emulator

// A charset is the state of ISO 2022 designation and invocation.
type charset struct {
	g      [4]byte // the final of the set in G0–G3; 0 and B are ASCII
	gl     uint8   // which of them is in GL
	single uint8   // SS2, SS3: 2 or 3 for the next character only
}

// mapped reports whether ASCII may mean something else now.
func (c *charset) mapped() bool {
	return c.single != 0 || c.g[c.gl] != 0
}

// translate gives the character that a code shows in the set now in GL.
func (c *charset) translate(r rune) rune {
	set := c.g[c.gl]
	if c.single != 0 {
		set = c.g[c.single]
		c.single = 0
	}
	switch {
	case set == '0' && r >= 0x5F && r <= 0x7E:
		return specialGraphics[r-0x5F]
	case set == 'A' && r == '#':
		return '£' // United Kingdom, NRCS
	}
	return r
}

// specialGraphics is the DEC Special Graphic set from 5F to 7E (VT220 manual,
// table 2-4), as xterm shows it.
var specialGraphics = [...]rune{
	' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼',
	'⎺', '⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
}

// designate puts a set into G0–G3: SCS, ISO 2022 and xterm ctlseqs. Sets that
// are not known count as ASCII.
func (t *Terminal) designate(g int, final byte) {
	switch final {
	case '0', 'A':
		t.charset.g[g] = final
	default:
		t.charset.g[g] = 0
	}
}
