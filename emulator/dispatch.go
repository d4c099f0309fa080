package emulator

// A csiKey identifies a control sequence or a device control string. Prefix and intermediate
// are 0 when the sequence has none.
type csiKey struct{ prefix, inter, final byte }

// csiTable lists the supported control sequences.
var csiTable = map[csiKey]func(*Terminal, *params){
	{0, 0, '@'}:     withCount(1, (*Terminal).insertCells),                                // ICH, ECMA-48 8.3.64
	{0, ' ', '@'}:   withCount(-1, (*Terminal).panColumns),                                // SL, ECMA-48 8.3.121
	{0, 0, 'A'}:     withCount(-1, (*Terminal).moveRows),                                  // CUU, ECMA-48 8.3.22
	{0, ' ', 'A'}:   withCount(1, (*Terminal).panColumns),                                 // SR, ECMA-48 8.3.135
	{0, 0, 'B'}:     withCount(1, (*Terminal).moveRows),                                   // CUD, ECMA-48 8.3.19
	{0, 0, 'C'}:     withCount(1, (*Terminal).moveRight),                                  // CUF, ECMA-48 8.3.20
	{0, 0, 'D'}:     withCount(1, (*Terminal).moveLeft),                                   // CUB, ECMA-48 8.3.18
	{0, 0, 'E'}:     withCount(1, (*Terminal).moveLines),                                  // CNL, ECMA-48 8.3.12
	{0, 0, 'F'}:     withCount(-1, (*Terminal).moveLines),                                 // CPL, ECMA-48 8.3.13
	{0, 0, 'G'}:     (*Terminal).cha,                                                      // CHA, ECMA-48 8.3.9
	{0, 0, 'H'}:     (*Terminal).cup,                                                      // CUP, ECMA-48 8.3.21
	{0, 0, 'I'}:     withCount(1, (*Terminal).tab),                                        // CHT, ECMA-48 8.3.10
	{0, 0, 'J'}:     erase((*Terminal).eraseDisplay, false),                               // ED, ECMA-48 8.3.39
	{'?', 0, 'J'}:   erase((*Terminal).eraseDisplay, true),                                // DECSED, VT510
	{0, 0, 'K'}:     erase((*Terminal).eraseLine, false),                                  // EL, ECMA-48 8.3.41
	{'?', 0, 'K'}:   erase((*Terminal).eraseLine, true),                                   // DECSEL, VT510
	{0, 0, 'L'}:     withCount(-1, (*Terminal).deleteLines),                               // IL, ECMA-48 8.3.67
	{0, 0, 'M'}:     withCount(1, (*Terminal).deleteLines),                                // DL, ECMA-48 8.3.32
	{0, 0, 'P'}:     withCount(-1, (*Terminal).insertCells),                               // DCH, ECMA-48 8.3.26
	{0, 0, 'S'}:     withCount(1, (*Terminal).scrollUp),                                   // SU, ECMA-48 8.3.147
	{'?', 0, 'S'}:   (*Terminal).xtsmgraphics,                                             // XTSMGRAPHICS, xterm ctlseqs
	{0, 0, 'T'}:     (*Terminal).sd,                                                       // SD, ECMA-48 8.3.113
	{0, 0, 'X'}:     withCount(1, (*Terminal).eraseChars),                                 // ECH, ECMA-48 8.3.38
	{0, 0, 'Z'}:     withCount(1, (*Terminal).backTab),                                    // CBT, ECMA-48 8.3.7
	{0, 0, '^'}:     withCount(1, (*Terminal).scrollDown),                                 // SD with the final of ECMA-48 (1991), xterm ctlseqs
	{0, 0, '`'}:     (*Terminal).cha,                                                      // HPA, ECMA-48 8.3.57
	{0, 0, 'a'}:     (*Terminal).hpr,                                                      // HPR, ECMA-48 8.3.59
	{0, 0, 'b'}:     withCount(1, (*Terminal).repeat),                                     // REP, ECMA-48 8.3.103
	{0, 0, 'c'}:     answerWith(replyDA1),                                                 // DA1, ECMA-48 8.3.24
	{'>', 0, 'c'}:   answerWith(replyDA2),                                                 // DA2, VT510
	{'=', 0, 'c'}:   answerWith(replyDA3),                                                 // DA3, VT510
	{0, 0, 'd'}:     (*Terminal).vpa,                                                      // VPA, ECMA-48 8.3.158
	{0, 0, 'e'}:     (*Terminal).vpr,                                                      // VPR, ECMA-48 8.3.160
	{0, 0, 'f'}:     (*Terminal).cup,                                                      // HVP, ECMA-48 8.3.63
	{0, 0, 'g'}:     (*Terminal).tbc,                                                      // TBC, ECMA-48 8.3.154
	{0, 0, 'h'}:     setModes(-1, true),                                                   // SM, ECMA-48 8.3.125
	{'?', 0, 'h'}:   setModes(1, true),                                                    // DECSET, xterm ctlseqs
	{0, 0, 'l'}:     setModes(-1, false),                                                  // RM, ECMA-48 8.3.106
	{'?', 0, 'l'}:   setModes(1, false),                                                   // DECRST, xterm ctlseqs
	{0, 0, 'm'}:     func(t *Terminal, p *params) { t.pen.sgr(p) },                        // SGR, ECMA-48 8.3.117
	{'>', 0, 'm'}:   (*Terminal).xtmodkeys,                                                // XTMODKEYS, xterm ctlseqs
	{'?', 0, 'm'}:   (*Terminal).xtqmodkeys,                                               // XTQMODKEYS, xterm ctlseqs
	{0, 0, 'n'}:     (*Terminal).dsr,                                                      // DSR, ECMA-48 8.3.35
	{'?', 0, 'n'}:   (*Terminal).decdsr,                                                   // DECDSR, VT510
	{'>', 0, 'n'}:   (*Terminal).xtunmodkeys,                                              // disable key modifier options, xterm ctlseqs
	{0, '!', 'p'}:   (*Terminal).decstr,                                                   // DECSTR, VT510
	{0, '$', 'p'}:   atLevel(3, reportMode("", -1)),                                       // DECRQM, VT510
	{'?', '$', 'p'}: atLevel(3, reportMode("?", 1)),                                       // DECRQM, VT510
	{0, '"', 'p'}:   (*Terminal).decscl,                                                   // DECSCL, VT510
	{0, ' ', 'q'}:   (*Terminal).decscusr,                                                 // DECSCUSR, VT520
	{0, '"', 'q'}:   (*Terminal).decsca,                                                   // DECSCA, VT510
	{'>', 0, 'q'}:   answerWith(replyVersion),                                             // XTVERSION, xterm ctlseqs
	{0, 0, 'r'}:     (*Terminal).decstbm,                                                  // DECSTBM, VT510
	{'?', 0, 'r'}:   (*Terminal).xtrestore,                                                // XTRESTORE, xterm ctlseqs
	{0, '$', 'r'}:   atLevel(4, func(t *Terminal, p *params) { t.changeAttrs(p, false) }), // DECCARA, VT510
	{0, 0, 's'}:     (*Terminal).decslrm,                                                  // DECSLRM, VT510; SCOSC without DECLRMM
	{'?', 0, 's'}:   (*Terminal).xtsave,                                                   // XTSAVE, xterm ctlseqs
	{0, 0, 't'}:     (*Terminal).xtwinops,                                                 // XTWINOPS, xterm ctlseqs
	{0, '$', 't'}:   atLevel(4, func(t *Terminal, p *params) { t.changeAttrs(p, true) }),  // DECRARA, VT510
	{0, 0, 'u'}:     func(t *Terminal, _ *params) { t.restoreCursor() },                   // SCORC, xterm ctlseqs
	{'=', 0, 'u'}:   func(t *Terminal, p *params) { t.kittyState().set(p) },               // kitty keyboard protocol
	{'?', 0, 'u'}:   (*Terminal).kittyQuery,                                               // kitty keyboard protocol
	{'>', 0, 'u'}:   func(t *Terminal, p *params) { t.kittyState().push(p) },              // kitty keyboard protocol
	{'<', 0, 'u'}:   func(t *Terminal, p *params) { t.kittyState().pop(p) },               // kitty keyboard protocol
	{0, '$', 'v'}:   atLevel(4, (*Terminal).deccra),                                       // DECCRA, VT510
	{0, 0, 'x'}:     (*Terminal).decreqtparm,                                              // DECREQTPARM, VT100
	{0, '*', 'x'}:   atLevel(4, (*Terminal).decsace),                                      // DECSACE, VT510
	{0, '$', 'x'}:   atLevel(4, (*Terminal).decfra),                                       // DECFRA, VT510
	{0, '*', 'y'}:   atLevel(4, (*Terminal).decrqcra),                                     // DECRQCRA, VT510
	{0, '$', 'z'}:   atLevel(4, (*Terminal).decera),                                       // DECERA, VT510
	{0, '$', '{'}:   atLevel(4, (*Terminal).decsera),                                      // DECSERA, VT510
	{0, '#', '{'}:   (*Terminal).pushSGR,                                                  // XTPUSHSGR, xterm ctlseqs
	{0, '#', '}'}:   (*Terminal).popSGR,                                                   // XTPOPSGR, xterm ctlseqs
	{0, '#', 'p'}:   (*Terminal).pushSGR,                                                  // XTPUSHSGR, the older final
	{0, '#', 'q'}:   (*Terminal).popSGR,                                                   // XTPOPSGR, the older final
	{0, '#', '|'}:   (*Terminal).reportSGR,                                                // XTREPORTSGR, xterm ctlseqs
	{0, '#', 'P'}:   func(t *Terminal, p *params) { t.palettes.push(p, t.palette) },       // XTPUSHCOLORS, xterm ctlseqs
	{0, '#', 'Q'}:   func(t *Terminal, p *params) { t.palettes.pop(p, &t.palette) },       // XTPOPCOLORS, xterm ctlseqs
	{0, '#', 'R'}:   (*Terminal).reportColors,                                             // XTREPORTCOLORS, xterm ctlseqs
	{0, '$', 'w'}:   atLevel(3, (*Terminal).decrqpsr),                                     // DECRQPSR, VT510
	{0, '\'', '}'}:  atLevel(4, withCount(1, (*Terminal).insertColumns)),                  // DECIC, VT510
	{0, '\'', '~'}:  atLevel(4, withCount(-1, (*Terminal).insertColumns)),                 // DECDC, VT510
}

// atLevel wraps do so that it is ignored below a conformance level (DECSCL).
func atLevel(level uint8, do func(*Terminal, *params)) func(*Terminal, *params) {
	return func(t *Terminal, p *params) {
		if t.level >= level {
			do(t, p)
		}
	}
}

// withCount returns a method that calls do with sign times the first parameter. If that parameter
// is missing or 0, it counts as 1.
func withCount(sign int, do func(*Terminal, int)) func(*Terminal, *params) {
	return func(t *Terminal, p *params) { do(t, sign*p.count(0)) }
}

// erase returns a method that calls do with the first parameter and whether to spare protected
// cells. ED and EL spare these cells only after SPA. DECSED and DECSEL, for which dec is set, spare
// them after DECSCA too (see protection).
func erase(do func(t *Terminal, kind int, selective bool), dec bool) func(*Terminal, *params) {
	return func(t *Terminal, p *params) {
		do(t, p.get(0, 0), t.protection == protectISO || dec && t.protection == protectDEC)
	}
}

// csiPlain holds the methods of control sequences without prefix and intermediate, by their
// final. Indexing this array is faster than looking up a key in the map csiTable.
var csiPlain = func() (plain [128]func(*Terminal, *params)) {
	for key, do := range csiTable {
		if key.prefix == 0 && key.inter == 0 {
			plain[key.final] = do
		}
	}
	return plain
}()

// dispatchCSI runs the method of a complete control sequence.
func (t *Terminal) dispatchCSI(final byte) {
	p := &t.parser
	t.cluster = ""
	var do func(*Terminal, *params)
	switch {
	case p.prefix == 0 && p.ninter == 0:
		do = csiPlain[final]
	case p.ninter <= 1:
		do = csiTable[csiKey{p.prefix, p.inter[0], final}]
	}
	// As in xterm, a sequence with subparameters is ignored unless it is SGR. XTMODKEYS and
	// XTQMODKEYS, whose final is also m, are not ignored.
	if do == nil || p.params.colons && (final != 'm' || p.ninter > 0) {
		return
	}
	do(t, &p.params)
}

// escTable lists the supported escape sequences, except SCS, by intermediate and final.
// Sequences that would change nothing are missing: ST without a string, S7C1T and S8C1T
// (replies are always 7-bit), LS1R to LS3R (GR is not used in UTF-8), and the selection of
// UTF-8 or the default character set.
var escTable = map[[2]byte]func(*Terminal){
	{0, '6'}:   (*Terminal).decbi,                                                // DECBI, VT510
	{0, '7'}:   (*Terminal).saveCursor,                                           // DECSC, VT510
	{0, '8'}:   (*Terminal).restoreCursor,                                        // DECRC, VT510
	{0, '9'}:   (*Terminal).decfi,                                                // DECFI, VT510
	{0, '='}:   func(t *Terminal) { t.modes.set(modeAppKeypad, true) },           // DECKPAM, VT510
	{0, '>'}:   func(t *Terminal) { t.modes.set(modeAppKeypad, false) },          // DECKPNM, VT510
	{0, 'D'}:   (*Terminal).index,                                                // IND, ECMA-48 (1986)
	{0, 'E'}:   func(t *Terminal) { t.index(); t.cr() },                          // NEL, ECMA-48 8.3.86
	{0, 'H'}:   func(t *Terminal) { t.tabs[t.col] = true },                       // HTS, ECMA-48 8.3.62
	{0, 'M'}:   (*Terminal).ri,                                                   // RI, ECMA-48 8.3.104
	{0, 'N'}:   func(t *Terminal) { t.charset.single = 2 },                       // SS2, ECMA-48 8.3.141
	{0, 'O'}:   func(t *Terminal) { t.charset.single = 3 },                       // SS3, ECMA-48 8.3.142
	{0, 'V'}:   func(t *Terminal) { t.protection = protectISO; t.protect(true) }, // SPA, ECMA-48 8.3.129
	{0, 'W'}:   func(t *Terminal) { t.protect(false) },                           // EPA, ECMA-48 8.3.46
	{0, 'Z'}:   func(t *Terminal) { t.reply(replyDA1) },                          // DECID, VT100
	{0, 'c'}:   (*Terminal).ris,                                                  // RIS, ECMA-48 8.3.105
	{0, 'l'}:   func(t *Terminal) { t.lockRows(t.row) },                          // memory lock (HP), xterm ctlseqs
	{0, 'm'}:   func(t *Terminal) { t.lockRows(0) },                              // memory unlock (HP)
	{0, 'n'}:   func(t *Terminal) { t.charset.gl = 2 },                           // LS2, ECMA-48 8.3.78
	{0, 'o'}:   func(t *Terminal) { t.charset.gl = 3 },                           // LS3, ECMA-48 8.3.80
	{' ', 'L'}: (*Terminal).ansiLevel,                                            // ANSI conformance level 1, ECMA-43
	{' ', 'M'}: (*Terminal).ansiLevel,                                            // level 2
	{' ', 'N'}: func(t *Terminal) { t.charset.g[0] = 0; t.charset.gl = 0 },       // level 3
	{'#', '8'}: (*Terminal).decaln,                                               // DECALN, VT510
}

// dispatchESC runs the method of a complete escape sequence.
func (t *Terminal) dispatchESC(final byte) {
	p := &t.parser
	t.cluster = ""
	switch i := p.inter[0]; {
	case p.ninter > len(p.inter):
	case i >= '(' && i <= '+': // SCS of 94-character sets into G0–G3, ISO 2022
		t.designate(int(i-'('), string(p.inter[1:p.ninter])+string(final))
		return
	case i >= '-' && i <= '/' && final == 'A': // SCS of 96-character sets into G1–G3: ISO 8859-1
		t.designate(int(i-'-')+1, "A")
		return
	}
	if do := escTable[[2]byte{p.inter[0], final}]; do != nil && p.ninter <= 1 {
		do(t)
	}
}

// execute runs a C0 control character.
func (t *Terminal) execute(r rune) {
	t.cluster = ""
	switch r {
	case '\a': // BEL, ECMA-48 8.3.3
		t.queueEvent(Event{Kind: EventBell})
	case '\b': // BS, ECMA-48 8.3.5
		t.moveLeft(1)
	case '\t': // HT, ECMA-48 8.3.60
		t.tab(1)
	case '\n', '\v', '\f':
		t.lf()
	case '\r':
		t.cr()
	case 0x0E: // LS1 (SO), ECMA-48 8.3.76
		t.charset.gl = 1
	case 0x0F: // LS0 (SI), ECMA-48 8.3.75
		t.charset.gl = 0
	case 0x05: // ENQ: the answerback string is empty, as in xterm
	}
}
