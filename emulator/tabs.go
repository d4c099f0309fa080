package emulator

// tabWidth is the distance between the tab stops after power-on.
const tabWidth = 8

// tabStops has an element for each column of the largest grid, set if the column is a tab
// stop. As in xterm, a resize does not change tab stops, including those to the right of
// the grid.
type tabStops [MaxCols]bool

func defaultTabs() (stops tabStops) {
	for c := tabWidth; c < MaxCols; c += tabWidth {
		stops[c] = true
	}
	return stops
}

// tab moves the cursor n tab stops to the right, but at most to the right margin. As in xterm, a
// cursor to the right of the margin moves back to the margin, and a pending wrap stays pending. If
// ?41 is set, a pending wrap is done first.
func (t *Terminal) tab(n int) {
	if t.wrap && t.modes.has(modeTabAfterWrap) {
		t.completeWrap()
	}
	limit := t.margins.right
	for ; n > 0 && t.col < limit; n-- {
		for t.col++; t.col < limit && !t.tabs[t.col]; t.col++ {
		}
	}
	t.col = min(t.col, limit)
}

// backTab moves the cursor n tab stops to the left, but at most to column 0, or in origin mode
// to the left margin. As in xterm, it does not end a pending wrap.
func (t *Terminal) backTab(n int) {
	limit := 0
	if t.modes.has(modeOrigin) {
		limit = t.leftLimit()
	}
	for ; n > 0 && t.col > limit; n-- {
		for t.col--; t.col > limit && !t.tabs[t.col]; t.col-- {
		}
	}
}

// tbc clears tab stops: TBC, ECMA-48 8.3.154.
func (t *Terminal) tbc(p *params) {
	switch p.get(0, 0) {
	case 0:
		t.tabs[t.col] = false
	case 3:
		t.tabs = tabStops{}
	}
}
