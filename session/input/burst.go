package input

import (
	"strings"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/kernel"
)

// A Burst is a part of an input that a program should read at once, without the next part. Many
// programs take the bytes of one read for one key, or for a paste.
type Burst struct {
	End  int // offset of the burst's end in the input's bytes
	Kind Kind
	Key  emulator.Key // the pressed key; zero for text and mouse events
}

// Kind is the kind of a Burst.
type Kind uint8

// The kinds of bursts.
const (
	TextBurst   Kind = iota
	PasteBurst       // a paste; in brackets if the program has asked for bracketed paste
	CharBurst        // a key that prints a character
	KeyBurst         // a key that prints no character
	EnterBurst       // submits the typed text
	EscapeBurst      // may be the beginning of another key
	SignalBurst      // interrupts, quits or suspends; terminals and line editors discard input in the same read
)

// Isolated reports whether a burst of this kind is separate even if Encoded.OneByOne is false.
func (k Kind) Isolated() bool { return k == PasteBurst || k == SignalBurst }

// Prints reports whether a burst of this kind types characters into an input field.
func (k Kind) Prints() bool { return k == TextBurst || k == CharBurst || k == PasteBurst }

// maxTextKeys is the maximum number of line breaks and control characters in a text that are sent
// as separate keys. A text with more of them is one burst.
const maxTextKeys = 32

// add appends data. data is a burst of its own if the bursts are sent one by one, or if kind or the kind of
// the last burst is Isolated. Otherwise data extends the last burst, which gets this kind and key.
func (e *Encoded) add(kind Kind, key emulator.Key, data []byte) {
	if len(data) == 0 {
		return
	}
	e.Data = append(e.Data, data...)
	b := Burst{len(e.Data), kind, key}
	n := len(e.Bursts)
	if join := !e.OneByOne && !kind.Isolated() && n > 0 && !e.Bursts[n-1].Kind.Isolated(); join {
		e.Bursts[n-1] = b
		return
	}
	e.Bursts = append(e.Bursts, b)
}

// addText appends typed text. If the bursts are sent one by one, each line break, control character
// and control sequence is a key with its own burst; but if there are more than maxTextKeys of them,
// the text is one burst. If the bursts are not sent one by one, only characters that send signals
// have their own bursts, except the last character of the text.
func (e *Encoded) addText(text string, modes emulator.Modes) {
	if !e.OneByOne || countControls(text) > maxTextKeys {
		for n := strings.IndexAny(text, kernel.DefaultSignals); n >= 0 && n+1 < len(text) && !e.OneByOne; n = strings.IndexAny(text, kernel.DefaultSignals) {
			e.add(TextBurst, emulator.Key{}, emulator.EncodeText(text[:n], modes))
			e.add(SignalBurst, emulator.Key{}, emulator.EncodeText(text[n:n+1], modes))
			text = text[n+1:]
		}
		e.add(TextBurst, emulator.Key{}, emulator.EncodeText(text, modes))
		return
	}
	for text != "" {
		n := strings.IndexFunc(text, IsControl)
		if n < 0 {
			n = len(text)
		}
		kind := TextBurst
		if n == 0 {
			kind, n = controlAt(text)
		}
		e.add(kind, emulator.Key{}, emulator.EncodeText(text[:n], modes))
		text = text[n:]
	}
}

func countControls(text string) (n int) {
	for _, r := range text {
		if IsControl(r) {
			n++
		}
	}
	return n
}

// IsControl reports whether r is a control character (C0, DEL).
func IsControl(r rune) bool { return r < ' ' || r == 0x7f }

// controlAt returns the kind and the length in bytes of the key at the beginning of text: a control character, a
// control sequence (ECMA-48 5.4), SS3 with the character after it, or CR LF, which is one Enter.
func controlAt(text string) (kind Kind, n int) {
	switch {
	case strings.HasPrefix(text, "\r\n"):
		return EnterBurst, 2
	case text[0] == '\r' || text[0] == '\n':
		return EnterBurst, 1
	case strings.HasPrefix(text, "\x1bO") && len(text) > 2:
		return KeyBurst, 3
	case strings.HasPrefix(text, "\x1b["):
		final := strings.IndexFunc(text[2:], func(r rune) bool { return r >= '@' && r <= '~' })
		if final >= 0 {
			return KeyBurst, 2 + final + 1
		}
		return KeyBurst, len(text)
	case text[0] == '\x1b':
		return EscapeBurst, 1
	case strings.IndexByte(kernel.DefaultSignals, text[0]) >= 0:
		return SignalBurst, 1
	}
	return KeyBurst, 1
}

// addKey appends the bytes of a key press to e, and the key's character to text, which becomes Encoded.Text.
func (e *Encoded) addKey(k KeyPress, modes emulator.Modes, text *strings.Builder) {
	if k.Text != "" {
		e.addText(k.Text, modes)
		text.WriteString(k.Text)
		return
	}
	press := emulator.EncodeKey(k.Key, modes)
	if len(press) == 0 {
		return // a key release that the program has not asked for
	}
	kind := kindOf(k.Key)
	for range max(k.Repeat, 1) {
		e.add(kind, k.Key, press)
		switch {
		case kind == EnterBurst:
			text.WriteByte('\r')
		case kind == CharBurst:
			text.WriteRune(k.Key.Rune)
		default:
			e.Edits = true
		}
	}
}

func kindOf(k emulator.Key) Kind {
	switch {
	case k.Code == emulator.KeyEnter && k.Mods == 0:
		return EnterBurst
	case k.Code == emulator.KeyEscape && k.Mods == 0:
		return EscapeBurst
	case k.Code == emulator.KeyRune && k.Mods&^emulator.Shift == 0:
		return CharBurst
	case signals(k):
		return SignalBurst
	}
	return KeyBurst
}
