package emulator

import "strings"

// A charset is the state of ISO 2022 designation and invocation.
type charset struct {
	g      [4]charsetID // the sets in G0–G3
	gl     uint8        // which of them is in GL
	single uint8        // SS2, SS3: 2 or 3 for the next character only
}

// A charsetID is an index of charsets; 0 is ASCII.
type charsetID uint8

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
	if set == 0 || r <= ' ' || r > '~' {
		return r
	}
	return charsets[set].show[r-'!']
}

// designate puts a set into G0–G3: SCS, ISO 2022 and xterm ctlseqs. As in xterm a
// set that the mode ?42 (DECNRCM) does not allow now counts as ASCII, and one that
// is not known changes nothing.
func (t *Terminal) designate(g int, name string) {
	national, known := t.modes.has(modeNational), false
	for id, s := range charsets {
		if !s.is(name) {
			continue
		}
		known = true
		if s.when == always || (s.when == whenNational) == national {
			t.charset.g[g] = charsetID(id)
			return
		}
	}
	if !known {
		t.unknown()
		return
	}
	t.charset.g[g] = 0
}

// A charsetRow is one character set.
type charsetRow struct {
	names string // what SCS calls it, separated by blanks
	when  nationality
	show  *[94]rune // the characters for 21 to 7E
}

// A nationality says in which state of DECNRCM a set can be designated.
type nationality uint8

const (
	always nationality = iota
	whenNational
	unlessNational
)

func (s *charsetRow) is(name string) bool {
	for n := range strings.FieldsSeq(s.names) {
		if n == name {
			return true
		}
	}
	return false
}

// charsets are the sets that xterm 379 has as a VT420, with what it shows for each
// code: the VT220 to VT420 manuals have the tables. Hebrew, Greek and Cyrillic are
// a VT520's.
var charsets = []charsetRow{
	{"B", always, nil},
	{"0", always, replaced('_', " ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")},
	{"A", unlessNational, latin1()},
	{"A", whenNational, nationalSet("£@[\\]^_`{|}~")},    // United Kingdom
	{"4", whenNational, nationalSet("£¾[½|^_`¨|¼´")},     // Dutch
	{"5 C", whenNational, nationalSet("#@ÄÖÅÜ_éäöåü")},   // Finnish
	{"R f", whenNational, nationalSet("£à°ç§^_`éùè¨")},   // French
	{"9 Q", whenNational, nationalSet("#àâçêî_ôéùèû")},   // French Canadian
	{"K", whenNational, nationalSet("#§ÄÖÜ^_`äöüß")},     // German
	{"Y", whenNational, nationalSet("£§°çé^_ùàòèì")},     // Italian
	{"6 E `", whenNational, nationalSet("#ÄÆØÅÜ_äæøåü")}, // Norwegian and Danish
	{"%6", whenNational, nationalSet("#@ÃÇÕ^_`ãçõ~")},    // Portuguese
	{"Z", whenNational, nationalSet("£§¡Ñ¿^_`°ñç~")},     // Spanish
	{"7 H", whenNational, nationalSet("#ÉÄÖÅÜ_éäöåü")},   // Swedish
	{"=", whenNational, nationalSet("ùàéçêîèôäöüû")},     // Swiss
	{"< %5", always, replaced('!', // DEC Supplemental
		"¡¢£⸮¥⸮§¤©ª«⸮⸮⸮⸮°±²³⸮µ¶·⸮¹º»¼½⸮¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ⸮ÑÒÓÔÕÖŒØÙÚÛÜŸ⸮ßàáâãäåæçèéêëìíîï⸮ñòóôõöœøùúûüÿ⸮")},
	{">", unlessNational, replaced('!', // DEC Technical
		"⎷┌─⌠⌡│⎡⎣⎤⎦⎧⎩⎫⎭⎨⎬⸮⸮⸮⸮⸮⸮⸮⸮⸮⸮⸮≤≠≥∫∴∝∞÷Δ∇ΦΓ∼≃Θ×Λ⇔⇒≡ΠΨ⸮Σ⸮⸮√ΩΞΥ⊂⊃∩∪∧∨¬αβχδεφγηιθκλ⸮ν∂πψρστ⸮ƒωξυζ←↑→↓")},
}

// replaced returns ASCII with the characters from first on replaced.
func replaced(first rune, by string) *[94]rune {
	var out [94]rune
	for i := range out {
		out[i] = '!' + rune(i)
	}
	copy(out[first-'!':], []rune(by))
	return &out
}

// nationalSet returns ASCII with the characters replaced that a national set may
// have otherwise (ISO 646).
func nationalSet(by string) *[94]rune {
	out := replaced('!', "")
	for i, r := range []rune(by) {
		out["#@[\\]^_`{|}~"[i]-'!'] = r
	}
	return out
}

// latin1 returns the right half of ISO 8859-1.
func latin1() *[94]rune {
	var out [94]rune
	for i := range out {
		out[i] = 0xA1 + rune(i)
	}
	return &out
}
