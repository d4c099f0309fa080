package input

import (
	"slices"
	"strings"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/kernel"
)

// Input is what a call types, in this order: Text, Keys, Mouse, Enter. If the program has asked for
// bracketed paste, a text of several lines is pasted and line breaks at its end are Enter, unless
// NoPaste is set. If Paste is set, all of the text is pasted.
type Input struct {
	Text    string
	Paste   bool
	NoPaste bool
	Keys    []KeyPress
	Enter   bool
	Mouse   []emulator.Mouse
}

// A KeyPress is a key pressed Repeat times (once if Repeat is 0), or literal text.
type KeyPress struct {
	Key    emulator.Key
	Repeat int
	Text   string // typed literally if not empty
}

// Empty reports whether in types nothing.
func (in *Input) Empty() bool {
	return in.Text == "" && len(in.Keys) == 0 && !in.Enter && len(in.Mouse) == 0
}

// Size returns about how many bytes in types.
func (in *Input) Size() int {
	n := len(in.Text)
	for _, k := range in.Keys {
		n += max(len(k.Text), k.Repeat, 1)
	}
	return n
}

// AllText returns the text that in types, without Enter. If in has any other key, it returns "".
func (in *Input) AllText() string {
	text := in.Text
	for _, k := range in.Keys {
		if k.Text == "" && k.Key.Code != emulator.KeyEnter {
			return ""
		}
		text += k.Text
	}
	return text
}

// Interrupts reports whether in begins with a key that interrupts, suspends or quits the
// foreground program.
func (in *Input) Interrupts() bool {
	first := in.Text
	if first == "" && len(in.Keys) > 0 {
		k := in.Keys[0]
		if k.Text == "" {
			return signals(k.Key)
		}
		first = k.Text
	}
	return first != "" && strings.IndexByte(kernel.DefaultSignals, first[0]) >= 0
}

// signals reports whether a key is ctrl and the character of one of kernel.DefaultSignals.
func signals(k emulator.Key) bool {
	return k.Code == emulator.KeyRune && k.Mods == emulator.Ctrl && strings.ContainsRune(`c\z`, k.Rune)
}

// OnlyMoves reports whether in consists of mouse movements.
func (in *Input) OnlyMoves() bool {
	return len(in.Mouse) > 0 && in.Text == "" && len(in.Keys) == 0 && !in.Enter && !slices.ContainsFunc(in.Mouse, func(e emulator.Mouse) bool { return e.Action != emulator.MouseMove })
}

// Modes determine how keys are encoded and handled. They are the modes that the program has set,
// and the terminal's settings.
type Modes struct {
	emulator.Modes
	TTY    kernel.TTY
	Pasted bool // the input's text is typed as a bracketed paste
}

// ModesFor returns the modes that apply. In line mode, bracketed paste, the kitty keyboard protocol
// and modifyOtherKeys are off: the program that has asked for them does not read now, and ctrl+c
// must be the byte that the kernel turns into a signal.
func ModesFor(modes emulator.Modes, tty kernel.TTY) Modes {
	if tty.Known && tty.Canonical {
		modes.BracketedPaste, modes.KittyFlags, modes.ModifyOtherKeys = false, 0, 0
	}
	return Modes{Modes: modes, TTY: tty}
}
