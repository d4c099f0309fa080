package emulator

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/glasstty/glasstty/internal/nearest"
	"github.com/glasstty/glasstty/internal/runes"
)

// MaxKeyRepeat is the largest repeat count in a key name ("down*3").
const MaxKeyRepeat = 1000

// maxKeyName is the maximum number of bytes of a bad key name that its error quotes.
const maxKeyName = 40

// ParseKey parses a key name of the tool interface, ignoring case: "enter", "ctrl+c",
// "C-c", "^C", "M-x", "shift+f5", "plus", "down*3". The suffixes ":press", ":repeat" and
// ":release" are for holding a key down. ParseKey returns the key and the number of times to
// press it (1 to MaxKeyRepeat). The error wraps ErrUnknownKey or ErrKeyRepeat, and says what is
// allowed.
func ParseKey(name string) (Key, int, error) {
	base, count, err := cutRepeat(name)
	if err != nil {
		return Key{}, 0, err
	}
	base, event := cutEvent(base)
	k, err := parseChord(base)
	if err != nil {
		return Key{}, 0, err
	}
	k.Event = event
	return k, count, nil
}

// keyEvents maps the names after a colon to events.
var keyEvents = map[string]KeyEvent{"press": KeyPress, "repeat": KeyRepeat, "release": KeyRelease}

// cutEvent removes an event such as ":release" from the end of a name. Without one, it returns KeyStroke.
func cutEvent(name string) (string, KeyEvent) {
	i := strings.LastIndexByte(name, ':')
	event := keyEvents[fold(name[i+1:])]
	if i <= 0 || event == KeyStroke {
		return name, KeyStroke
	}
	return name[:i], event
}

// cutRepeat removes a repeat count such as "*3" from the end of a name. A * at the very
// end is the key, not a separator.
func cutRepeat(name string) (base string, count int, err error) {
	i := strings.LastIndexByte(name, '*')
	if i <= 0 || i == len(name)-1 {
		return name, 1, nil
	}
	n, err := strconv.Atoi(strings.TrimSpace(name[i+1:]))
	if err != nil || n < 1 || n > MaxKeyRepeat {
		return "", 0, fmt.Errorf("%w: %q; want a number from 1 to %d after *", ErrKeyRepeat, runes.Clip(name, maxKeyName), MaxKeyRepeat)
	}
	return name[:i], n, nil
}

// parseChord parses modifiers and one key.
func parseChord(name string) (Key, error) {
	if r, ok := strings.CutPrefix(name, "^"); ok && utf8.RuneCountInString(r) == 1 {
		return withMods(name, r, Ctrl)
	}
	rest, mods := name, Mods(0)
	for {
		mod, tail, ok := cutMod(rest)
		if !ok {
			return withMods(name, rest, mods)
		}
		rest, mods = tail, mods|mod
	}
}

// cutMod removes one modifier and its + or - from the start of name. A + or - at the very end is
// the key, not a separator.
func cutMod(name string) (Mods, string, bool) {
	i := strings.IndexAny(name, "+-")
	if i <= 0 || i == len(name)-1 {
		return 0, "", false
	}
	mod, ok := modNames[fold(name[:i])+name[i:i+1]]
	if !ok {
		mod, ok = modNames[fold(name[:i])+"+"]
	}
	return mod, strings.TrimLeft(name[i+1:], " "), ok
}

// modNames maps folded modifier names, with the sign that follows them, to modifiers. The
// single letters are Emacs notation and must be followed by a dash; the others may have
// either sign.
var modNames = map[string]Mods{
	"ctrl+": Ctrl, "control+": Ctrl, "alt+": Alt, "meta+": Alt, "option+": Alt, "opt+": Alt,
	"shift+": Shift, "super+": Super, "cmd+": Super, "command+": Super, "win+": Super,
	"c-": Ctrl, "m-": Alt, "a-": Alt, "s-": Shift,
}

// withMods returns the key with the name base and with mods. name is the whole name, for
// the error.
func withMods(name, base string, mods Mods) (Key, error) {
	if r, n := utf8.DecodeRuneInString(base); n == len(base) && n > 0 && (r != utf8.RuneError || n > 1) {
		if k, ok := runeKey(r, mods); ok {
			return k, nil
		}
	}
	if code, ok := codeByName(fold(base)); ok {
		return Key{Code: code, Mods: mods}, nil
	}
	if r, ok := keyRunes[fold(base)]; ok {
		return Key{Rune: r, Mods: mods}, nil
	}
	return Key{}, unknownKey(name, base)
}

// runeKey returns the key that types r. For a control character, it returns the key that sends
// r. With Ctrl or Shift the case of a letter is ignored: "ctrl+C" is "ctrl+c", without Shift.
func runeKey(r rune, mods Mods) (Key, bool) {
	switch {
	case r == '\r', r == '\n':
		return Key{Code: KeyEnter, Mods: mods}, true
	case r == '\t':
		return Key{Code: KeyTab, Mods: mods}, true
	case r == esc:
		return Key{Code: KeyEscape, Mods: mods}, true
	case r == del:
		return Key{Code: KeyBackspace, Mods: mods}, true
	case r < ' ':
		return Key{Rune: unicode.ToLower(r | 0x40), Mods: mods | Ctrl}, true
	case unicode.IsControl(r):
		return Key{}, false
	case mods&(Ctrl|Shift) != 0:
		return Key{Rune: unicode.ToLower(r), Mods: mods}, true
	default:
		return Key{Rune: r, Mods: mods}, true
	}
}

// fold returns name in lower case, without blanks, underscores and dashes, for comparing names. A
// folded name is a result of fold.
func fold(name string) string {
	return strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(name))
}

// unknownKey returns the error for an unknown key name; base is the name without
// modifiers.
func unknownKey(name, base string) error {
	guess := ""
	if near := nearest.Word(fold(base), keyNames()); near != "" {
		guess = fmt.Sprintf(" (did you mean %q?)", strings.TrimSuffix(name, base)+near)
	}
	return fmt.Errorf("%w %q%s; known keys are %s, f1 to f24, kp0 to kp9 and any single character, "+
		"with ctrl+ alt+ shift+ super+ before and *3, :press, :repeat or :release after",
		ErrUnknownKey, runes.Clip(name, maxKeyName), guess, strings.Join(keyNames(), " "))
}
