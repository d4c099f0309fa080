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

// MaxKeyRepeat is the most presses that one key name may ask for ("down*3").
const MaxKeyRepeat = 1000

// maxKeyName is how many bytes of a bad key name its error repeats.
const maxKeyName = 40

// ParseKey reads a key name as the tool contract has it: "enter", "ctrl+c",
// "C-c", "^C", "M-x", "shift+f5", "plus", "down*3", in any case, and "w:press",
// "w:repeat*5", "w:release" for a key that is held down. It returns the key and how
// often it is to be pressed (1 to MaxKeyRepeat). The error wraps
// ErrUnknownKey or ErrKeyRepeat and names the unknown part and what is allowed.
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

// keyEvents are the events by the names that follow a colon.
var keyEvents = map[string]KeyEvent{"press": KeyPress, "repeat": KeyRepeat, "release": KeyRelease}

// cutEvent takes ":release" and the like from the end of a name.
func cutEvent(name string) (string, KeyEvent) {
	i := strings.LastIndexByte(name, ':')
	event := keyEvents[fold(name[i+1:])]
	if i <= 0 || event == KeyStroke {
		return name, KeyStroke
	}
	return name[:i], event
}

// cutRepeat takes "*3" from the end of a name. A name that ends in * is that
// character, perhaps with modifiers.
func cutRepeat(name string) (base string, count int, err error) {
	i := strings.LastIndexByte(name, '*')
	if i <= 0 || i == len(name)-1 {
		return name, 1, nil
	}
	n, err := strconv.Atoi(strings.TrimSpace(name[i+1:]))
	if err != nil || n < 1 || n > MaxKeyRepeat {
		return "", 0, fmt.Errorf("%w: %q; after * comes a number from 1 to %d", ErrKeyRepeat, runes.Clip(name, maxKeyName), MaxKeyRepeat)
	}
	return name[:i], n, nil
}

// parseChord reads modifiers and one key.
func parseChord(name string) (Key, error) {
	if r, ok := strings.CutPrefix(name, "^"); ok && utf8.RuneCountInString(r) == 1 {
		return withMods(name, r, Ctrl)
	}
	rest, mods := name, Mods(0)
	for {
		mod, after, ok := cutMod(rest)
		if !ok {
			return withMods(name, rest, mods)
		}
		rest, mods = after, mods|mod
	}
}

// cutMod takes one modifier and its + or - from the front of name. A sign at
// the end is a key, not a separator.
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

// modNames are the modifiers by their folded names, with the sign that follows them: the
// single letters are Emacs's and go with a dash only.
var modNames = map[string]Mods{
	"ctrl+": Ctrl, "control+": Ctrl, "alt+": Alt, "meta+": Alt, "option+": Alt, "opt+": Alt,
	"shift+": Shift, "super+": Super, "cmd+": Super, "command+": Super, "win+": Super,
	"c-": Ctrl, "m-": Alt, "a-": Alt, "s-": Shift,
}

// withMods returns the key called base with mods; name is the whole name for
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

// runeKey returns the key that types r; a control character stands for the key
// that sends it. With Control or Shift the case of a letter says nothing:
// "ctrl+C" is "ctrl+c", and Shift is named when it is meant.
func runeKey(r rune, mods Mods) (Key, bool) {
	switch {
	case r == '\r', r == '\n':
		return Key{Code: KeyEnter, Mods: mods}, true
	case r == '\t':
		return Key{Code: KeyTab, Mods: mods}, true
	case r == keyESC:
		return Key{Code: KeyEscape, Mods: mods}, true
	case r == keyDEL:
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

// fold makes names that differ in case, blanks, underscores or dashes equal.
func fold(name string) string {
	return strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(name))
}

// unknownKey is the error for a name that no key has.
func unknownKey(name, base string) error {
	guess := ""
	if near := nearest.Word(fold(base), keyNames()); near != "" {
		guess = fmt.Sprintf(" (did you mean %q?)", strings.TrimSuffix(name, base)+near)
	}
	return fmt.Errorf("%w %q%s; known are %s, f1 to f24, kp0 to kp9 and any single character, "+
		"with ctrl+ alt+ shift+ super+ before and *3, :press, :repeat or :release after",
		ErrUnknownKey, runes.Clip(name, maxKeyName), guess, strings.Join(keyNames(), " "))
}
