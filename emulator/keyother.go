package emulator

// otherKey encodes k as xterm's modifyOtherKeys does: CSI 27 ; modifiers ; code
// ~. It reports false for keys that keep their ordinary encoding at the level
// the program has set (xterm ctlseqs, XTMODKEYS, and xterm(1),
// modifyOtherKeys). Alt goes as an ESC prefix at level 1, as with
// metaSendsEscape, and as a modifier at level 2.
func otherKey(k Key, m Modes) ([]byte, bool) {
	var mods Mods
	switch m.ModifyOtherKeys {
	case 1:
		mods = otherMods1(k)
	case 2:
		mods = otherMods2(k)
	}
	if mods == 0 {
		return nil, false
	}
	return append(csiParams(27, mods.param(), otherCode(k, m)), '~'), true
}

// otherCode is the character code that CSI 27 carries: the key's character with
// Shift applied and Control not.
func otherCode(k Key, m Modes) int {
	switch k.Code {
	case KeyEnter:
		return '\r'
	case KeyTab:
		return '\t'
	case KeyEscape:
		return keyESC
	case KeyBackspace:
		return int(backspace(k.Mods, m))
	default:
		return int(typedRune(k))
	}
}

// otherMods1 returns the modifiers that level 1 reports for k, 0 for none:
// those with no encoding of their own. Control with a character that has a
// control code, Shift with a printable one, and Alt, have one.
func otherMods1(k Key) Mods {
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
	if r := typedRune(k); k.Mods&Ctrl == 0 || controlRune(r) != r && r != '?' {
		return 0
	}
	return rest
}

// otherMods2 returns the modifiers that level 2 reports for k, 0 for none. Only
// Shift with a character outside the letters' columns is left to the character
// itself.
func otherMods2(k Key) Mods {
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
		if r := typedRune(k); k.Mods == Shift && r != ' ' && (r < '@' || r > keyDEL) {
			return 0
		}
	}
	return k.Mods
}
