package emulator

import "fmt"

// modifyOtherKey encodes k as xterm's modifyOtherKeys does: CSI 27 ; modifiers ; code ~ (xterm
// ctlseqs, XTMODKEYS; xterm(1), modifyOtherKeys). It reports false for keys that keep
// their ordinary encoding at the level that the program has set. As in xterm, CSI 27 reports
// Alt only at level 2.
func modifyOtherKey(k Key, m Modes) ([]byte, bool) {
	var mods Mods
	switch m.ModifyOtherKeys {
	case 1:
		mods = modifyOtherLevel1(k)
	case 2:
		mods = modifyOtherLevel2(k)
	}
	if mods == 0 {
		return nil, false
	}
	return fmt.Appendf(nil, "\x1b[27;%d;%d~", mods.param(), typedRune(k, m)), true
}

// modifyOtherLevel1 returns the modifiers that level 1 reports for k, or 0 if k keeps its ordinary
// encoding. Escape, Backspace and Tab with Shift keep it. A character keeps it without Ctrl, or if
// Ctrl makes it a control character; ctrl+? is an exception. Other keys report Ctrl and Shift, but
// not Alt. If Alt is pressed, Enter and Tab do not report Ctrl.
func modifyOtherLevel1(k Key) Mods {
	rest := k.Mods &^ (Alt | Super)
	switch k.Code {
	case KeyBackspace, KeyEscape:
		return 0
	case KeyEnter, KeyTab:
		if k.Code == KeyTab && k.Mods&Shift != 0 {
			return 0 // CSI Z
		}
		if k.Mods&Alt != 0 {
			rest &^= Ctrl
		}
		return rest
	}
	if r := typedRune(k, Modes{}); k.Mods&Ctrl == 0 || controlRune(r) != r && r != '?' {
		return 0
	}
	return rest
}

// modifyOtherLevel2 returns the modifiers that level 2 reports for k, or 0 if k keeps its ordinary
// encoding. With modifiers, only three kinds of keys keep it: Ctrl+Backspace, Shift+Tab, and
// Shift with a character other than space and @ to DEL.
func modifyOtherLevel2(k Key) Mods {
	switch k.Code {
	case KeyBackspace:
		if k.Mods == Ctrl {
			return 0
		}
	case KeyTab:
		if k.Mods == Shift {
			return 0 // CSI Z
		}
	case KeyRune:
		if r := typedRune(k, Modes{}); k.Mods == Shift && r != ' ' && (r < '@' || r > del) {
			return 0
		}
	}
	return k.Mods
}
