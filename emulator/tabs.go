package emulator

// tabWidth is the distance of the tab stops at power-on.
const tabWidth = 8

// tabStops are the stops of all columns that a grid can have. As in xterm a
// resize leaves them as they are, those beyond the right edge included.
type tabStops [MaxCols]bool

func defaultTabs() (stops tabStops) {
	for c := tabWidth; c < MaxCols; c += tabWidth {
		stops[c] = true
	}
	return stops
}

// tab moves to the n-th next tab stop, or to the right margin: from beyond it
// too, as in xterm. A pending wrap stays pending there, unless ?41 has it taken
// first.
func (t *Terminal) tab(n int) {
	if t.wrap && t.modes.has(modeTabAfterWrap) {
		t.takeWrap()
	}
	limit := t.margins.right
	for ; n > 0 && t.col < limit; n-- {
		for t.col++; t.col < limit && !t.tabs[t.col]; t.col++ {
		}
	}
	t.col = min(t.col, limit)
}

// cht and cbt: CHT, ECMA-48 8.3.10; CBT, 8.3.7. As in xterm CBT too leaves a wrap
// pending.
func (t *Terminal) cht(p *params) { t.tab(p.count(0)) }

func (t *Terminal) cbt(p *params) {
	limit := 0
	if t.modes.has(modeOrigin) {
		limit = t.leftLimit()
	}
	for n := p.count(0); n > 0 && t.col > limit; n-- {
		for t.col--; t.col > limit && !t.tabs[t.col]; t.col-- {
		}
	}
}

// hts sets a tab stop: HTS, ECMA-48 8.3.62.
func (t *Terminal) hts() { t.tabs[t.col] = true }

// tbc clears tab stops: TBC, ECMA-48 8.3.154.
func (t *Terminal) tbc(p *params) {
	switch p.get(0, 0) {
	case 0:
		t.tabs[t.col] = false
	case 3:
		t.tabs = tabStops{}
	default:
		t.unknown()
	}
}
