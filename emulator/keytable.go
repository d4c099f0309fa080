package emulator

import (
	"strconv"
	"strings"
)

// keyNames lists the key names that error messages and tool descriptions show, in the order in
// which they are shown.
func keyNames() []string {
	return []string{
		"enter", "tab", "escape", "space", "backspace", "delete", "insert",
		"up", "down", "left", "right", "home", "end", "pageup", "pagedown",
		"plus", "star",
	}
}

// A keyRow holds the names, the sequence and the terminfo capabilities of a key.
type keyRow struct {
	code    KeyCode
	names   string // folded, separated by blanks
	seq     keySeq // zero if the key sends a character, such as CR or a keypad digit
	plain   string // terminfo and termcap names, separated by blanks
	shifted string // terminfo and termcap names of the key with Shift
}

// keyTable lists all keys except KeyRune, the keypad's digits, and F13 to F24, which xtermKey
// sends as F1 to F12 with Shift.
var keyTable = []keyRow{
	{KeyEnter, "enter return ret cr", keySeq{}, "", ""},
	{KeyTab, "tab", keySeq{}, "", "kcbt kB"},
	{KeyEscape, "escape esc", keySeq{}, "", ""},
	{KeyBackspace, "backspace bs bspace", keySeq{}, "kbs kb", ""},
	{KeyDelete, "delete del", keySeq{3, '~', formCSI}, "kdch1 kD", "kDC *4"},
	{KeyInsert, "insert ins", keySeq{2, '~', formCSI}, "kich1 kI", "kIC #3"},
	{KeyUp, "up arrowup uparrow", keySeq{1, 'A', formCursor}, "kcuu1 ku", "kUP kri"},
	{KeyDown, "down arrowdown downarrow", keySeq{1, 'B', formCursor}, "kcud1 kd", "kDN kind"},
	{KeyLeft, "left arrowleft leftarrow", keySeq{1, 'D', formCursor}, "kcub1 kl", "kLFT #4"},
	{KeyRight, "right arrowright rightarrow", keySeq{1, 'C', formCursor}, "kcuf1 kr", "kRIT %i"},
	{KeyHome, "home", keySeq{1, 'H', formCursor}, "khome kh", "kHOM #2"},
	{KeyEnd, "end", keySeq{1, 'F', formCursor}, "kend @7", "kEND *7"},
	{KeyPageUp, "pageup pgup prior", keySeq{5, '~', formCSI}, "kpp kP", "kPRV %e"},
	{KeyPageDown, "pagedown pgdn pgdown next", keySeq{6, '~', formCSI}, "knp kN", "kNXT %c"},
	{KeyF1, "", keySeq{1, 'P', formSS3}, "k1", ""},
	{KeyF1 + 1, "", keySeq{1, 'Q', formSS3}, "k2", ""},
	{KeyF1 + 2, "", keySeq{1, 'R', formSS3}, "k3", ""},
	{KeyF1 + 3, "", keySeq{1, 'S', formSS3}, "k4", ""},
	{KeyF1 + 4, "", keySeq{15, '~', formCSI}, "k5", ""},
	{KeyF1 + 5, "", keySeq{17, '~', formCSI}, "k6", ""},
	{KeyF1 + 6, "", keySeq{18, '~', formCSI}, "k7", ""},
	{KeyF1 + 7, "", keySeq{19, '~', formCSI}, "k8", ""},
	{KeyF1 + 8, "", keySeq{20, '~', formCSI}, "k9", ""},
	{KeyF1 + 9, "", keySeq{21, '~', formCSI}, "k;", ""},
	{KeyF1 + 10, "", keySeq{23, '~', formCSI}, "F1", ""},
	{KeyF1 + 11, "", keySeq{24, '~', formCSI}, "F2", ""},
	{KeyKPBegin, "begin", keySeq{1, 'E', formCursor}, "", ""},
	{KeyKPDecimal, "kpdecimal kpdot", keySeq{}, "", ""},
	{KeyKPDivide, "kpdivide kpslash", keySeq{}, "", ""},
	{KeyKPMultiply, "kpmultiply kpstar", keySeq{}, "", ""},
	{KeyKPSubtract, "kpsubtract kpminus", keySeq{}, "", ""},
	{KeyKPAdd, "kpadd kpplus", keySeq{}, "", ""},
	{KeyKPEnter, "kpenter", keySeq{}, "kent @8", ""},
	{KeyKPEqual, "kpequal", keySeq{}, "", ""},
	{KeyKPSeparator, "kpseparator kpcomma", keySeq{}, "", ""},
}

// hasWord reports whether list, whose words are separated by blanks, contains word.
func hasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}

// keyRunes maps folded names to characters.
var keyRunes = map[string]rune{
	"space": ' ', "spc": ' ', "plus": '+', "minus": '-', "star": '*', "asterisk": '*',
}

// codeByName returns the key with a folded name.
func codeByName(name string) (KeyCode, bool) {
	for _, r := range keyTable {
		if hasWord(r.names, name) {
			return r.code, true
		}
	}
	if n, ok := parseNumbered(name, "f"); ok && n >= 1 && n <= 24 {
		return KeyF1 + KeyCode(n-1), true
	}
	n, ok := parseNumbered(name, "kp")
	return KeyKP0 + KeyCode(n), ok && n <= 9
}

// parseNumbered parses name as prefix followed by a decimal number without leading zeros.
func parseNumbered(name, prefix string) (int, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && digits == strconv.Itoa(n) && n >= 0
}
