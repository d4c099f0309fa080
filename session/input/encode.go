package input

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/emulator"
)

// An Encoded is an Input as bytes.
type Encoded struct {
	Data     []byte
	Bursts   []Burst // the parts of Data; nil for a pipe
	OneByOne bool    // a burst is sent only after the program has reacted to the previous one
	Text     string  // the typed text, with the characters of keys, and \r for Enter; empty for a pipe
	HasKeys  bool    // the input has keys or mouse events, so a missing Enter is not a mistake; false for a pipe
	Paste    int     // length of the bracketed paste at the beginning of Data, with its brackets
	EOF      bool    // for a pipe: the child's input is closed after Data

	Edits   bool // the input has keys whose echo cannot be predicted
	Submits bool // the last byte is Enter or another control character, but not Tab or Escape, nor DEL in text
}

// enterKey is the key that Input.Enter presses.
var enterKey = KeyPress{Key: emulator.Key{Code: emulator.KeyEnter}}

// Encode returns in as a terminal sends it. oneByOne becomes Encoded.OneByOne. If brackets is set, the text is
// pasted except for line breaks at its end; set brackets only if the program has asked for bracketed paste.
func Encode(in Input, modes emulator.Modes, oneByOne, brackets bool) (*Encoded, error) {
	e := &Encoded{OneByOne: oneByOne, HasKeys: len(in.Keys) > 0 || len(in.Mouse) > 0}
	var text strings.Builder
	paste, typed := in.pasted(brackets)
	if paste != "" {
		e.add(PasteBurst, emulator.Key{}, emulator.EncodePaste(paste, modes))
	}
	if modes.BracketedPaste {
		e.Paste = len(e.Data)
	}
	e.addText(typed, modes)
	text.WriteString(in.Text)
	for _, k := range in.Keys {
		e.addKey(k, modes, &text)
	}
	for _, m := range in.Mouse {
		b, err := emulator.EncodeMouse(m, modes)
		if err != nil {
			return nil, err
		}
		e.add(KeyBurst, emulator.Key{}, b)
		e.Edits = true
	}
	if in.Enter {
		e.addKey(enterKey, modes, &text)
	}
	e.Text = text.String()
	if n := len(e.Data); n > 0 {
		last := e.Data[n-1]
		e.Submits = last < ' ' && last != '\t' && last != '\x1b' || last == 0x7f && e.Edits
	}
	return e, nil
}

// CheckKeys returns an error that wraps ErrNoCode if the terminal would send a key without its ctrl or super.
func (in *Input) CheckKeys(modes emulator.Modes) error {
	for _, k := range in.Keys {
		lost := emulator.LostMods(k.Key, modes)
		if k.Text != "" || lost == 0 {
			continue
		}
		name := string(k.Key.Rune)
		if lost&emulator.Super != 0 {
			name = "super+" + name
		}
		if lost&emulator.Ctrl != 0 {
			name = "ctrl+" + name
		}
		return fmt.Errorf("%w: %s would be typed as %c, as the program has not asked for other codes (kitty keyboard protocol, modifyOtherKeys); it was not typed: ctrl+ goes with a to z, 2 to 8, space and @ [ \\ ] ^ _ ? /, alt+ with every character",
			ErrNoCode, name, k.Key.Rune)
	}
	return nil
}

// pasted returns the part of in's text that is pasted, and the part that is typed. If only brackets is set, line
// breaks at the end are typed as Enter, so that the program runs the pasted lines. If in.Paste is set, all is pasted.
func (in *Input) pasted(brackets bool) (paste, text string) {
	switch {
	case in.Paste:
		return in.Text, ""
	case brackets:
		paste = strings.TrimRight(in.Text, "\r\n")
		return paste, in.Text[len(paste):]
	}
	return "", in.Text
}

// UpToEnter splits in after its first Enter. If nothing follows that Enter, if in is a paste, or if
// its text has more than maxTextKeys control characters, first is all of in, and rest is nil.
func (in *Input) UpToEnter() (first Input, rest *Input) {
	if in.Paste || countControls(in.Text) > maxTextKeys {
		return *in, nil
	}
	tail := *in
	if n := strings.IndexAny(in.Text, "\r\n"); n >= 0 {
		_, size := controlAt(in.Text[n:])
		first, tail.Text = Input{Text: in.Text[:n+size], NoPaste: in.NoPaste}, in.Text[n+size:]
	} else if n := slices.IndexFunc(in.Keys, func(k KeyPress) bool { return k.Text == "" && kindOf(k.Key) == EnterBurst }); n >= 0 {
		first, tail = *in, Input{Keys: in.Keys[n+1:], Mouse: in.Mouse, Enter: in.Enter, NoPaste: in.NoPaste}
		first.Keys, first.Mouse, first.Enter = in.Keys[:n+1], nil, false
	} else {
		return *in, nil
	}
	if tail.Empty() {
		return *in, nil
	}
	return first, &tail
}

// SeveralLines reports whether text has several lines and no keys. Control characters are keys, and so is a
// tab at the end, which requests a completion. If all lines begin with a colon, SeveralLines is false: such
// lines are commands of vi, or of a REPL such as ghci, and vi would insert a paste into the file.
func SeveralLines(text string) bool {
	text = strings.TrimRight(text, "\r\n")
	return !strings.HasSuffix(text, "\t") && strings.ContainsAny(text, "\r\n") && !colonCommands(text) &&
		!strings.ContainsFunc(text, func(r rune) bool {
			return IsControl(r) && r != '\r' && r != '\n' && r != '\t'
		})
}

// colonCommands reports whether each line of text that is not empty begins with a colon.
func colonCommands(text string) bool {
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\r' || r == '\n' }) {
		if line[0] != ':' {
			return false
		}
	}
	return true
}

// MaxLine is the maximum length of a line in line mode, in bytes without the newline
// (N_TTY_BUF_SIZE - 1).
const MaxLine = 4095

// CheckLines returns an error that wraps ErrLongLine if data has a line that is too long for line
// mode: the kernel would cut it.
func CheckLines(data []byte) error {
	for line := range bytes.FieldsFuncSeq(data, func(r rune) bool { return r == '\r' || r == '\n' }) {
		if len(line) > MaxLine {
			return fmt.Errorf("%w: the program reads whole lines, of which the kernel keeps %d bytes, and one line of the text has %d; nothing was typed: break the line, or write the text to a file and let the program read that",
				ErrLongLine, MaxLine, len(line))
		}
	}
	return nil
}

// errPipe is returned for input that a pipe cannot take.
var errPipe = errors.New("takes text, enter, tab and, as the end of its input, ctrl+d")

// EncodePipe returns in as bytes for a pipe, where Enter is a line feed and there is no echo. The last key
// may be ctrl+d, which closes the pipe. If in has other keys or mouse events, EncodePipe returns errPipe.
func EncodePipe(in Input) (*Encoded, error) {
	e := &Encoded{Data: []byte(in.Text)}
	keys := slices.Clone(in.Keys)
	if in.Enter {
		keys = append(keys, enterKey)
	}
	for _, k := range keys {
		b, eof := pipeKey(k)
		if e.EOF || b == nil && !eof {
			return nil, errPipe
		}
		e.Data = append(e.Data, bytes.Repeat(b, max(k.Repeat, 1))...)
		e.EOF = eof
	}
	if len(in.Mouse) > 0 {
		return nil, errPipe
	}
	e.Submits = e.EOF || bytes.HasSuffix(e.Data, []byte("\n"))
	return e, nil
}

// pipeKey returns the bytes that a key writes to a pipe, or nil if it writes none. eof says that
// the key is ctrl+d, which closes the pipe.
func pipeKey(k KeyPress) (b []byte, eof bool) {
	if k.Text != "" {
		return []byte(k.Text), false
	}
	switch key := k.Key; {
	case key.Event == emulator.KeyRelease:
	case key.Code == emulator.KeyEnter && key.Mods == 0:
		return []byte{'\n'}, false
	case key.Code == emulator.KeyTab && key.Mods == 0:
		return []byte{'\t'}, false
	case key.Code == emulator.KeyRune && key.Mods&^emulator.Shift == 0:
		return []byte(string(key.Rune)), false
	case key.Code == emulator.KeyRune && key.Mods == emulator.Ctrl && (key.Rune == 'd' || key.Rune == 'D'):
		return nil, true
	}
	return nil, false
}
