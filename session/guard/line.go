package guard

import "slices"

// The bounds of what is remembered of typed lines.
const (
	maxLine    = 64 << 10 // characters of the line being typed
	maxScript  = 64 << 10 // bytes of lines that the program has not taken as a whole
	maxVars    = 32       // lines that set variables
	maxVarLine = 1000     // bytes of one line that is remembered for its variables
)

// A Text is the characters of a line. It is encoded as a string.
type Text []rune

// MarshalText returns t as UTF-8.
func (t Text) MarshalText() ([]byte, error) { return []byte(string(t)), nil }

// UnmarshalText reads UTF-8.
func (t *Text) UnmarshalText(text []byte) error {
	*t = Text(string(text))
	return nil
}

// A Line is the line that is being typed, as far as it can be foretold from the keys.
type Line struct {
	Text    Text
	Beside  Text // what the screen shows behind it and has shown before it was typed: hardly a part of it
	Cursor  int
	Sure    bool // Text is what an Enter would submit
	Read    bool // the screen shows it since the last key that is not foretold
	Clipped bool // the screen does not show it as it is
	Fixed   int  // so many characters have been handed to the program, which no key takes back; -1 when that is not known
	Flushed bool // the terminal has thrown a part away, which the screen still shows
	Open    bool // a key has been typed since the last Enter
	Ended   bool // the line before was submitted or abandoned, and the screen may still show it
}

// A Past is what earlier lines mean for the next one.
type Past struct {
	Script string   // lines submitted that are unfinished: an open quote, a heredoc
	Vars   []string // lines that set shell variables
}

// A Deed is what a key does to the line.
type Deed int

// The deeds.
const (
	Inserts Deed = iota
	Submits
	GoesLeft
	GoesRight
	GoesHome
	GoesEnd
	Erases     // the character before the cursor
	Deletes    // the one under it
	KillsEnd   // from the cursor on
	KillsStart // up to the cursor
	KillsWord
	Abandons   // the whole line: ctrl+c
	Escapes    // esc: in vi's modes what follows is commands
	Unforeseen // what cannot be foretold: history, completion, search
	Flushes    // the terminal throws the line away, and the program does not know it: ctrl+z in line mode
	HandsOver  // the terminal hands it to the program as it is: ctrl+d in line mode
	Passes     // nothing: ctrl+s
)

// A Stroke is one key, or one character, of an input.
type Stroke struct {
	Does Deed
	Rune rune
	Item int // which key of the input, -1 for its text, the number of keys for Enter
	At   int // in the text, the byte behind it
}

// Clone returns a copy that shares nothing with l.
func (l Line) Clone() Line {
	l.Text = slices.Clone(l.Text)
	return l
}

// Clear empties the line, as Enter and ctrl+c do.
func (l *Line) Clear() { *l = Line{Sure: true, Ended: true} }

// Apply does to the line what a key does.
func (l *Line) Apply(s Stroke) {
	n := len(l.Text)
	if s.Does == Submits || s.Does == Abandons {
		l.Clear()
		return
	}
	if n > maxLine {
		l.Sure = false
		return
	}
	if s.Does == Passes {
		return
	}
	l.Open, l.Read = true, false
	switch s.Does {
	case Inserts:
		l.Text = slices.Insert(l.Text, l.Cursor, s.Rune)
		l.Cursor++
	case GoesLeft:
		l.Cursor = max(l.Cursor-1, 0)
	case GoesRight:
		// At the end, fish takes its suggestion.
		l.Sure = l.Sure && l.Cursor < n
		l.Cursor = min(l.Cursor+1, n)
	case GoesHome:
		l.Cursor = 0
	case GoesEnd:
		l.Sure = l.Sure && l.Cursor < n
		l.Cursor = n
	case Erases:
		l.Sure = l.Sure && l.Fixed >= 0
		if l.Cursor > max(l.Fixed, 0) {
			l.Text = slices.Delete(l.Text, l.Cursor-1, l.Cursor)
			l.Cursor--
		}
	case Deletes:
		if l.Cursor < n {
			l.Text = slices.Delete(l.Text, l.Cursor, l.Cursor+1)
		}
	case KillsEnd:
		l.Text = l.Text[:l.Cursor]
	case KillsStart:
		// zsh takes the whole line away, the others what is before the cursor.
		l.Sure = l.Sure && l.Cursor == n
		l.Text, l.Cursor = l.Text[l.Cursor:], 0
	case KillsWord:
		l.killWord()
	case Flushes:
		l.flush()
	case HandsOver:
		if l.Fixed >= 0 && l.Sure {
			l.Fixed = n
		} else {
			l.Fixed = -1
		}
	case Escapes, Unforeseen:
		l.Sure = false
	}
}

// flush takes away what has not been handed over.
func (l *Line) flush() {
	l.Flushed, l.Sure = true, l.Fixed >= 0
	l.Text = l.Text[:min(max(l.Fixed, 0), len(l.Text))]
	l.Cursor = len(l.Text)
}

// killWord takes the word before the cursor away, and the blanks behind it.
func (l *Line) killWord() {
	start := l.Cursor
	for start > 0 && l.Text[start-1] == ' ' {
		start--
	}
	for start > 0 && l.Text[start-1] != ' ' {
		start--
	}
	l.Text, l.Cursor = slices.Delete(l.Text, start, l.Cursor), start
}

// Restored returns a line that was saved. One that was being typed must be read from the
// screen: its last keys may have been lost.
func (l Line) Restored() Line {
	l.Sure, l.Read = l.Sure && !l.Open, l.Read || l.Open
	l.Cursor = min(max(l.Cursor, 0), len(l.Text))
	return l
}

// After returns the line after an input that is not judged.
func (l Line) After(strokes Strokes) Line {
	l = l.Clone()
	for s := range strokes {
		l.Apply(s)
	}
	return l
}

// Clears reports whether an input takes the line away before it adds anything to it, by
// keys that do so in every line editor.
func (l Line) Clears(strokes Strokes) bool {
	l = l.Clone()
	for s := range strokes {
		switch s.Does {
		case Abandons:
			return true
		case Inserts, Submits, Escapes, Unforeseen, HandsOver:
			return false
		}
		if l.Apply(s); len(l.Text) == 0 {
			return true
		}
	}
	return false
}
