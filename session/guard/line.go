package guard

import (
	"slices"
	"strings"
	"unicode"

	"github.com/glasstty/glasstty/internal/danger"
)

// Bounds of what is remembered about typed lines.
const (
	maxLine    = 64 << 10 // characters of the line being typed
	maxStashed = 8        // lines that were put aside
	maxScript  = 64 << 10 // bytes of unfinished lines
	maxVars    = 32       // lines that set variables
	maxVarLine = 1000     // bytes of one line that is remembered for its variables
)

// A Text is the text of a line. It is encoded as a string.
type Text []rune

// MarshalText returns t as UTF-8.
func (t Text) MarshalText() ([]byte, error) { return []byte(string(t)), nil }

// UnmarshalText reads UTF-8.
func (t *Text) UnmarshalText(text []byte) error {
	*t = Text(string(text))
	return nil
}

// A Line is the line that is being typed, as far as its keys predict it.
type Line struct {
	Text    Text
	Beside  Text // the text on the screen after the line, which was there before: probably not a part of the line
	Cursor  int
	Sure    bool     // Enter would submit Text
	Read    bool     // the screen shows the effect of the last key that was not predicted
	Clipped bool     // the screen does not show all of the line
	Fixed   int      // how many characters were given to the program, which no key takes back; -1 if not known
	Flushed bool     // the terminal has discarded a part that the screen still shows
	Open    bool     // a key has been typed since the last Enter
	Ended   bool     // the line before was submitted or abandoned, and the screen may still show it
	Escaped rune     // the last key while a line editor may take keys as commands after an esc; escape directly after the esc
	Stashed []string // lines that may have been put aside: each Enter brings the last of them back
	Back    string   // the text that may have come back before the line
}

// A Past holds the effects of earlier lines on the next one.
type Past struct {
	Script string   // submitted lines that are unfinished: an open quote, a heredoc
	Again  string   // the line that an empty line repeats, as in gdb
	Vars   []string // lines that set shell variables
}

// A Deed is the effect of a key on the line.
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
	Escapes    // esc: in vi mode, the next keys are commands
	Unforeseen // an effect that cannot be predicted: history, completion, search
	Flushes    // the terminal discards the line, and the program does not notice: ctrl+z in line mode
	HandsOver  // the terminal gives the line to the program: ctrl+d in line mode
	Passes     // no effect: ctrl+s
	MaySubmit  // an unknown key, which may submit the line: it does not edit, complete, recall or search
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
func (l *Line) Clear() {
	stashed := l.Stashed
	*l = Line{Sure: true, Ended: true}
	if n := len(stashed); n > 0 {
		l.Back, l.Stashed = stashed[n-1], stashed[:n-1:n-1]
	}
}

// escape is the value of Line.Escaped directly after an esc.
const escape = '\x1b'

// edits reports whether alt with a character, or esc and then the character, edits,
// completes, recalls or searches in readline, zle, fish or their vi modes, or begins a
// control sequence.
func edits(char rune) bool {
	return char == '[' || strings.ContainsRune("bcdefghijklnoprstuwxy0123456789 .,;:_<>\\-?*/!$@~{}&#^%|=+'\"()", unicode.ToLower(char))
}

// may reports whether a key other than Enter may submit the line to p.
func (l *Line) may(s Stroke, p *Program) bool {
	switch {
	case s.Does == HandsOver:
		return len(p.Langs) > 0 && (!l.Sure || len(l.Text) > l.Fixed)
	case !slices.Contains(p.Langs, danger.Shell):
		return false
	case s.Does == Inserts:
		return l.Escaped == escape && !edits(s.Rune) || l.Escaped != 0 && s.Rune == 'v'
	}
	return s.Does == MaySubmit
}

// stash notes that the line may have been put aside.
func (l *Line) stash() {
	if text := l.Back + string(l.Text); text != "" && len(l.Stashed) < maxStashed {
		l.Stashed = append(l.Stashed[:len(l.Stashed):len(l.Stashed)], text)
	}
}

// follow notes a character that a line editor may take as a command after an esc.
func (l *Line) follow(char rune) {
	switch {
	case l.Escaped == 0:
		return
	case l.Escaped == escape && !edits(char):
		l.stash()
	case strings.ContainsRune("fFtTr", l.Escaped): // char is the character to search for
		char = ' '
	}
	if l.Escaped = char; strings.ContainsRune("aAiIsScCR", char) {
		l.Escaped = 0 // what follows is text
	}
}

// Apply changes the line as a key does.
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
		l.follow(s.Rune)
		l.Text = slices.Insert(l.Text, l.Cursor, s.Rune)
		l.Cursor++
	case GoesLeft:
		l.Cursor = max(l.Cursor-1, 0)
	case GoesRight:
		// At the end, fish accepts its suggestion.
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
		// zsh deletes the whole line, other shells the part before the cursor.
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
	case Escapes:
		l.Sure, l.Escaped = false, escape
	case MaySubmit:
		l.Sure = false
		l.stash()
	case Unforeseen:
		l.Sure = false
	}
}

// flush deletes what was not given to the program.
func (l *Line) flush() {
	l.Flushed, l.Sure = true, l.Fixed >= 0
	l.Text = l.Text[:min(max(l.Fixed, 0), len(l.Text))]
	l.Cursor = len(l.Text)
}

// killWord deletes the word before the cursor, and the blanks after it.
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

// Restored returns a line that was saved. A line that was being typed must be read from the
// screen, because its last keys may be missing.
func (l Line) Restored() Line {
	l.Sure, l.Read = l.Sure && !l.Open, l.Read || l.Open
	l.Cursor = min(max(l.Cursor, 0), len(l.Text))
	return l
}

// After returns the line after an input.
func (l Line) After(strokes Strokes) Line {
	l = l.Clone()
	for s := range strokes {
		l.Apply(s)
	}
	return l
}

// Clears reports whether an input deletes the line before it adds anything, by keys that do
// so in every line editor.
func (l Line) Clears(strokes Strokes) bool {
	l = l.Clone()
	for s := range strokes {
		switch s.Does {
		case Abandons:
			return true
		case Inserts, Submits, Escapes, Unforeseen, MaySubmit, HandsOver:
			return false
		}
		if l.Apply(s); len(l.Text) == 0 {
			return true
		}
	}
	return false
}
