package emulator

// setAlt sets or resets mode n, which switches between the main and the alternate screen
// (xterm ctlseqs, ?47, ?1047 and ?1049):
//
//	?47    switches
//	?1047  switches; a reset also clears the alternate screen
//	?1049  switches; a set also saves the cursor and clears the alternate
//	       screen, a reset also restores the cursor
func (t *Terminal) setAlt(n int, on bool) {
	if on {
		if n == 1049 {
			t.saveCursor()
			t.wrap = false
		}
		if t.alt == nil {
			t.alt = newScreen(t.size)
		}
		if t.scr != t.alt {
			t.scr = t.alt
			t.markAllMoved()
		}
		if n == 1049 {
			t.clearScreen(t.alt)
		}
		return
	}
	if t.scr == t.alt {
		if n == 1047 {
			t.clearScreen(t.alt)
			t.wrap = false
		}
		t.scr = t.main
		t.markAllMoved()
	}
	if n == 1049 {
		t.restoreCursor()
	}
}

// screens returns the main screen and, if it has ever been shown, the alternate screen.
func (t *Terminal) screens() []*screen {
	if t.alt == nil {
		return []*screen{t.main}
	}
	return []*screen{t.main, t.alt}
}

// clearScreen erases all of s with the pen's background.
func (t *Terminal) clearScreen(s *screen) {
	for r := range s.rows {
		s.clear(r, t.eraseStyle())
		s.rows[r].shown = nil
	}
	if s == t.scr {
		t.markAllMoved()
	}
}

// markAllMoved is markMoved for all rows of the grid.
func (t *Terminal) markAllMoved() { t.markMoved(0, t.size.Rows-1) }

// setColumns is DECCOLM, which selects 132 or 80 columns if ?40 allows it (VT510 manual;
// xterm ctlseqs, ?3). The owner of the Terminal chooses the size of the grid, so only the
// side effects of DECCOLM happen: the screen is cleared, the margins are reset and the
// cursor moves home.
func (t *Terminal) setColumns(on bool) {
	if !t.modes.has(modeAllow132) {
		return
	}
	t.modes.set(modeColumn132, on)
	t.beforeClear()
	t.clearScreen(t.scr)
	t.margins = fullMargins(t.size)
	t.modes.set(modeLeftRight, false)
	t.address(0, 0)
}
