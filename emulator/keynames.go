package emulator

import (
	"strconv"
	"strings"
)

// keyNames lists the names that errors and descriptions give, in a reader's
// order.
func keyNames() []string {
	return []string{
		"enter", "tab", "escape", "space", "backspace", "delete", "insert",
		"up", "down", "left", "right", "home", "end", "pageup", "pagedown",
		"plus", "star",
	}
}

// keyCodes are the keys by their folded names, but for f1 to f24 and kp0 to kp9.
var keyCodes = map[string]KeyCode{
	"enter": KeyEnter, "return": KeyEnter, "ret": KeyEnter, "cr": KeyEnter,
	"tab": KeyTab, "escape": KeyEscape, "esc": KeyEscape,
	"backspace": KeyBackspace, "bs": KeyBackspace, "bspace": KeyBackspace,
	"delete": KeyDelete, "del": KeyDelete, "insert": KeyInsert, "ins": KeyInsert,
	"up": KeyUp, "arrowup": KeyUp, "uparrow": KeyUp,
	"down": KeyDown, "arrowdown": KeyDown, "downarrow": KeyDown,
	"left": KeyLeft, "arrowleft": KeyLeft, "leftarrow": KeyLeft,
	"right": KeyRight, "arrowright": KeyRight, "rightarrow": KeyRight,
	"home": KeyHome, "end": KeyEnd, "begin": KeyBegin,
	"pageup": KeyPageUp, "pgup": KeyPageUp, "prior": KeyPageUp,
	"pagedown": KeyPageDown, "pgdn": KeyPageDown, "pgdown": KeyPageDown, "next": KeyPageDown,
	"kpdecimal": KeyKPDecimal, "kpdot": KeyKPDecimal, "kpdivide": KeyKPDivide, "kpslash": KeyKPDivide,
	"kpmultiply": KeyKPMultiply, "kpstar": KeyKPMultiply, "kpsubtract": KeyKPSubtract, "kpminus": KeyKPSubtract,
	"kpadd": KeyKPAdd, "kpplus": KeyKPAdd, "kpenter": KeyKPEnter, "kpequal": KeyKPEqual,
	"kpseparator": KeyKPSeparator, "kpcomma": KeyKPSeparator,
}

// keyRunes are the characters that have names, folded.
var keyRunes = map[string]rune{
	"space": ' ', "spc": ' ', "plus": '+', "minus": '-', "star": '*', "asterisk": '*',
}

// codeByName returns the key of a folded name.
func codeByName(name string) (KeyCode, bool) {
	if code, ok := keyCodes[name]; ok {
		return code, true
	}
	if n, ok := numbered(name, "f"); ok && n >= 1 && n <= 24 {
		return KeyF1 + KeyCode(n-1), true
	}
	n, ok := numbered(name, "kp")
	return KeyKP0 + KeyCode(n), ok && n <= 9
}

// numbered returns the number behind a prefix, which has no leading zeros.
func numbered(name, prefix string) (int, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && digits == strconv.Itoa(n) && n >= 0
}
