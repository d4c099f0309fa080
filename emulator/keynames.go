package emulator

import (
	"strconv"
	"strings"
)

// keyNames lists the names for errors and descriptions, in the order in which they are
// shown.
func keyNames() []string {
	return []string{
		"enter", "tab", "escape", "space", "backspace", "delete", "insert",
		"up", "down", "left", "right", "home", "end", "pageup", "pagedown",
		"plus", "star",
	}
}

// keyCodes maps folded names to keys, except f1 to f24 and kp0 to kp9.
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

// keyRunes maps folded names to characters.
var keyRunes = map[string]rune{
	"space": ' ', "spc": ' ', "plus": '+', "minus": '-', "star": '*', "asterisk": '*',
}

// codeByName returns the key with a folded name.
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

// numbered parses name as prefix followed by a decimal number without leading zeros.
func numbered(name, prefix string) (int, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && digits == strconv.Itoa(n) && n >= 0
}
