package emulator

// A charset is the state of ISO 2022 designation and invocation.
type charset struct {
	g      [4]charsetID // the sets in G0–G3
	gl     uint8        // index in g of the set invoked into GL
	single uint8        // 2 or 3 after SS2 or SS3, for the next character only; otherwise 0
}

// A charsetID is an index in the table charsets; 0 is ASCII.
type charsetID uint8

// mayTranslate reports whether a set other than ASCII may apply to the next character.
func (c *charset) mayTranslate() bool {
	return c.single != 0 || c.g[c.gl] != 0
}

// translate returns the character for code r. The set is the one in GL or, after a single
// shift, the one in G2 or G3. translate ends the single shift.
func (c *charset) translate(r rune) rune {
	set := c.g[c.gl]
	if c.single != 0 {
		set = c.g[c.single]
		c.single = 0
	}
	if set == 0 || r <= ' ' || r > '~' {
		return r
	}
	return charsets[set].chars[r-'!']
}

// designate designates a character set to G0–G3: SCS, ISO 2022 and xterm ctlseqs. As in
// xterm, a set that DECNRCM (?42) does not currently allow is replaced by ASCII, and an
// unknown set changes nothing.
func (t *Terminal) designate(g int, name string) {
	national, known := t.modes.has(modeNational), false
	for id, s := range charsets {
		if !hasWord(s.names, name) {
			continue
		}
		known = true
		if s.allowed == always || (s.allowed == whenNational) == national {
			t.charset.g[g] = charsetID(id)
			return
		}
	}
	if known {
		t.charset.g[g] = 0
	}
}

// A charsetRow is one character set.
type charsetRow struct {
	names   string // final characters of SCS, with any intermediate; several are separated by blanks
	allowed availability
	chars   *[94]rune // the characters for codes 0x21 to 0x7E; nil for ASCII
}

// availability says whether a set can be designated always, or only while DECNRCM is set or reset.
type availability uint8

const (
	always availability = iota
	whenNational
	unlessNational
)

// charsets lists the sets of xterm 379 when it emulates a VT420, with the characters that xterm
// shows. The tables are in the VT220 to VT420 manuals. Hebrew, Greek and Cyrillic are missing
// because only a VT520 has them.
var charsets = []charsetRow{
	{"B", always, nil},
	{"0", always, replaced('_', " ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")},
	{"A", unlessNational, replaced('!', // ISO 8859-1
		"¡¢£¤¥¦§¨©ª«¬\u00AD®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþ")},
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

// replaced returns ASCII with the characters from first onwards replaced by those in by.
func replaced(first rune, by string) *[94]rune {
	var out [94]rune
	for i := range out {
		out[i] = '!' + rune(i)
	}
	copy(out[first-'!':], []rune(by))
	return &out
}

// nationalSet returns ASCII with the twelve characters that DEC's national sets may change
// replaced by those in by.
func nationalSet(by string) *[94]rune {
	out := replaced('!', "")
	for i, r := range []rune(by) {
		out["#@[\\]^_`{|}~"[i]-'!'] = r
	}
	return out
}
