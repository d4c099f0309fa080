package attach

import (
	"github.com/charmbracelet/x/ansi"

	"github.com/glasstty/glasstty/internal/runes"
)

// Control sequences for the person's terminal.
const (
	resetStyle    = ansi.ResetStyle
	eraseRight    = ansi.EraseLineRight
	eraseScreen   = ansi.EraseEntireScreen
	hideCursor    = ansi.HideCursor
	showCursor    = ansi.ShowCursor
	altScreenOn   = ansi.SetModeAltScreenSaveCursor
	altScreenOff  = ansi.ResetModeAltScreenSaveCursor
	drawBegin     = ansi.SetModeSynchronizedOutput
	drawEnd       = ansi.ResetModeSynchronizedOutput
	wrapOn        = ansi.SetModeAutoWrap
	wrapOff       = ansi.ResetModeAutoWrap
	keypadOn      = ansi.KeypadApplicationMode
	keypadOff     = ansi.KeypadNumericMode
	reverse       = "\x1b[0;7m"
	bold          = "\x1b[0;1m"
	modeAppCursor = 1    // DECCKM
	modeFocus     = 1004 // FocusIn, FocusOut
	modeSGRMouse  = 1006
	modePaste     = 2004 // bracketed paste
)

// moveTo returns the sequence that moves the cursor to a cell (CUP); row and col are zero-based.
func moveTo(row, col int) string { return ansi.CursorPosition(col+1, row+1) }

// column returns the sequence that moves the cursor to a zero-based column of its row (CHA).
func column(col int) string { return ansi.CursorHorizontalAbsolute(col + 1) }

// setMode returns the sequence that sets or resets DEC private modes (DECSET, DECRST).
func setMode(on bool, modes ...int) string {
	list := make([]ansi.Mode, len(modes))
	for i, m := range modes {
		list[i] = ansi.DECMode(m)
	}
	if on {
		return ansi.SetMode(list...)
	}
	return ansi.ResetMode(list...)
}

// cursorStyle returns the sequence that sets the cursor's shape (DECSCUSR). 0 is the terminal's default.
func cursorStyle(n int) string { return ansi.SetCursorStyle(n) }

// truncated returns text without control sequences, cut to at most cols columns, and its width.
func truncated(text string, cols int) (string, int) {
	text = ansi.Truncate(runes.ReplaceUnprintable(ansi.Strip(text)), cols, "")
	return text, ansi.StringWidth(text)
}
