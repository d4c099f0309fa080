package guard

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/input"
)

// controlEffects are the effects of control characters that are the same in readline, zle,
// fish and libedit.
var controlEffects = map[rune]Effect{
	'\r': Submits, '\n': Submits, 0x01: GoesHome, 0x02: GoesLeft, 0x03: Abandons, 0x04: Deletes, 0x05: GoesEnd, 0x06: GoesRight,
	0x08: Erases, 0x7f: Erases, 0x0b: KillsEnd, 0x0e: GoesDown, 0x0f: Submits, 0x15: KillsStart, 0x17: KillsWord, 0x1b: Escapes,
}

// unpredictableControls are the control characters that submit nothing, and whose effect only
// the screen shows: they complete, search, redraw, undo.
const unpredictableControls = "\x00\a\t\f\x10\x12\x13\x14\x16\x19\x1a\x1c\x1d\x1e\x1f"

func controlEffect(char rune) Effect {
	if d, ok := controlEffects[char]; ok {
		return d
	}
	if strings.ContainsRune(unpredictableControls, char) {
		return Unpredictable
	}
	return MaySubmit
}

// keyEffects are the effects of named keys.
var keyEffects = map[emulator.KeyCode]Effect{
	emulator.KeyEnter: Submits, emulator.KeyLeft: GoesLeft, emulator.KeyRight: GoesRight, emulator.KeyHome: GoesHome, emulator.KeyEnd: GoesEnd,
	emulator.KeyBackspace: Erases, emulator.KeyDelete: Deletes, emulator.KeyEscape: Escapes, emulator.KeyDown: GoesDown,
}

// KeystrokesOf yields the keys of an input. Line breaks submit nothing if the call pastes its text
// (Input.Paste) and the program has asked for bracketed paste.
func KeystrokesOf(in input.Input, modes input.Modes) Keystrokes {
	return func(yield func(Keystroke) bool) {
		if !textKeystrokes(&modes, in.Text, -1, in.Paste && modes.BracketedPaste, yield) {
			return
		}
		for i, k := range in.Keys {
			if k.Text != "" {
				if !textKeystrokes(&modes, k.Text, i, false, yield) {
					return
				}
				continue
			}
			char := charOf(k.Key, modes.Modes)
			effect := effectOf(&modes.TTY, keyEffect(k.Key, char), char)
			if k.Key.Event == emulator.KeyRelease {
				if len(emulator.EncodeKey(k.Key, modes.Modes)) == 0 {
					continue // nothing is sent for the release
				}
				effect = Unpredictable
			}
			for range max(k.Repeat, 1) {
				if !yield(Keystroke{Effect: effect, Rune: k.Key.Rune, Item: i}) {
					return
				}
			}
		}
		if len(in.Mouse) > 0 && !yield(Keystroke{Effect: Unpredictable, Item: len(in.Keys)}) {
			return
		}
		if in.Enter {
			yield(Keystroke{Effect: Submits, Item: len(in.Keys)})
		}
	}
}

// charOf returns the character that a key sends, or 0 if it sends a control sequence.
func charOf(k emulator.Key, modes emulator.Modes) rune {
	if k.Event == emulator.KeyStroke {
		k.Event = emulator.KeyPress
	}
	sent := emulator.EncodeKey(k, modes)
	if char, size := utf8.DecodeRune(sent); size == len(sent) {
		return char
	}
	return 0
}

// textKeystrokes yields the characters of a text, and reports whether yield wants more. If literal is
// true, control characters are inserted too, as in a bracketed paste.
func textKeystrokes(modes *input.Modes, text string, item int, literal bool, yield func(Keystroke) bool) bool {
	for i, r := range text {
		s := Keystroke{Effect: Inserts, Rune: r, Item: item, At: i + utf8.RuneLen(r)}
		tabOfPaste := r == '\t' && item < 0 && modes.Pasted // such a tab completes nothing
		if !literal && !tabOfPaste {
			if r < ' ' || r == 0x7f {
				s.Effect = controlEffect(r)
			}
			s.Effect = effectOf(&modes.TTY, s.Effect, r)
		}
		if !yield(s) {
			return false
		}
	}
	return true
}

// keyEffect returns a key's effect on the line in line editors. char is the character that the key sends, or 0.
func keyEffect(k emulator.Key, char rune) Effect {
	mods := k.Mods &^ emulator.Shift
	switch {
	case k.Code == emulator.KeyRune && mods == 0:
		return Inserts
	case k.Code == emulator.KeyRune && mods == emulator.Ctrl:
		if char == 0 && k.Rune >= '@' { // the key sends a control sequence
			char = k.Rune & 0x1f
		}
		return controlEffect(char)
	case k.Code == emulator.KeyRune && (mods != emulator.Alt || !isCommand(k.Rune)):
		return MaySubmit
	case mods == 0:
		if d, ok := keyEffects[k.Code]; ok {
			return d
		}
	case k.Code == emulator.KeyEnter:
		return Submits
	}
	return Unpredictable
}

// Split splits an input into the part before the cut and the rest.
func (c *Cut) Split(in input.Input) (before, rest input.Input) {
	at, from := c.Keystroke, c.From
	after := in
	before = in
	before.Enter = false
	switch {
	case at.Item < 0:
		before.Text, before.Keys, before.Mouse = in.Text[:from], nil, nil
		after.Text = in.Text[from:]
	case at.Item == len(in.Keys):
		after.Text, after.Keys, after.Mouse, after.Paste = "", nil, nil, false
	default:
		before.Keys, before.Mouse = slices.Clone(in.Keys[:at.Item]), nil
		after.Text, after.Paste = "", false
		after.Keys = slices.Clone(in.Keys[at.Item:])
		if text := in.Keys[at.Item].Text; from > 0 && text != "" {
			before.Keys = append(before.Keys, input.KeyPress{Text: text[:from]})
			after.Keys[0].Text = text[from:]
		}
	}
	return before, after
}
