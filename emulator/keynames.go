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

// codeByName returns the key of a folded name, aliases included.
func codeByName(name string) (KeyCode, bool) {
	switch name {
	case "enter", "return", "ret", "cr":
		return KeyEnter, true
	case "tab":
		return KeyTab, true
	case "escape", "esc":
		return KeyEscape, true
	case "backspace", "bs", "bspace":
		return KeyBackspace, true
	case "delete", "del":
		return KeyDelete, true
	case "insert", "ins":
		return KeyInsert, true
	case "up", "arrowup", "uparrow":
		return KeyUp, true
	case "down", "arrowdown", "downarrow":
		return KeyDown, true
	case "left", "arrowleft", "leftarrow":
		return KeyLeft, true
	case "right", "arrowright", "rightarrow":
		return KeyRight, true
	case "home":
		return KeyHome, true
	case "end":
		return KeyEnd, true
	case "pageup", "pgup", "prior":
		return KeyPageUp, true
	case "pagedown", "pgdn", "pgdown", "next":
		return KeyPageDown, true
	case "begin":
		return KeyBegin, true
	}
	if code, ok := keypadByName(name); ok {
		return code, true
	}
	return functionKey(name)
}

// functionKey returns the key of "f1" to "f24".
func functionKey(name string) (KeyCode, bool) {
	digits, ok := strings.CutPrefix(name, "f")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 || n > 24 || digits != strconv.Itoa(n) {
		return 0, false
	}
	return KeyF1 + KeyCode(n-1), true
}

// keypadByName returns the key of "kp0" to "kp9", "kpenter" and its siblings.
func keypadByName(name string) (KeyCode, bool) {
	name, ok := strings.CutPrefix(name, "kp")
	if !ok {
		return 0, false
	}
	if len(name) == 1 && name[0] >= '0' && name[0] <= '9' {
		return KeyKP0 + KeyCode(name[0]-'0'), true
	}
	switch name {
	case "decimal", "dot":
		return KeyKPDecimal, true
	case "divide", "slash":
		return KeyKPDivide, true
	case "multiply", "star":
		return KeyKPMultiply, true
	case "subtract", "minus":
		return KeyKPSubtract, true
	case "add", "plus":
		return KeyKPAdd, true
	case "enter":
		return KeyKPEnter, true
	case "equal":
		return KeyKPEqual, true
	case "separator", "comma":
		return KeyKPSeparator, true
	}
	return 0, false
}

// runeByName returns the character of a folded name.
func runeByName(name string) (rune, bool) {
	switch name {
	case "space", "spc":
		return ' ', true
	case "plus":
		return '+', true
	case "minus":
		return '-', true
	case "star", "asterisk":
		return '*', true
	}
	return 0, false
}
