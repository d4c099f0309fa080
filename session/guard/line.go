package guard

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/session/state"
)

// Limits on what is remembered about typed lines.
const (
	maxLine    = 64 << 10 // the length of the line being typed, in characters
	maxStashed = 8        // the number of lines in Stashed; further ones are not remembered
	maxScript  = 64 << 10 // the length of Past.Script and of Past.Ahead, in bytes
	maxVars    = 32       // the number of lines in Past.Vars; the oldest are forgotten
	maxVarLine = 1000     // the length of a line in Past.Vars, in bytes; longer lines are not remembered
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

// A Line is the line that is being typed, as predicted from its keys, or read from the screen.
//
//	state     Open  Known entered by                          next state
//	new       no    yes   Enter, ctrl+c                       known or unknown, by the first key
//	known     yes   yes   keys with a known effect            new, by Enter, which submits Text, or ctrl+c
//	                                                          unknown, by a recall key, a restart, or another
//	                                                          foreground program
//	unknown   yes   no    a recall key, a restart, or         known, when the program has handled the keys (Readable)
//	                      another foreground program          and Editing.Begin reads the screen (FromScreen)
//	                                                          new, by ctrl+c
//	searched  no    no    Enter after a recall key (Recalls), unknown, if the cursor is still in the line
//	                      which may only end a search         new, if it is not
//
// A recall key recalls or completes a line, or searches for one. A tool call's Enter is not typed while the
// line is unknown. Enter may submit another line than Text: see Clipped, NotOnScreen and RecallUnseen.
type Line struct {
	Text         Text
	AfterLine    Text              // text that the screen shows after the line, and showed before the line began: probably not part of it
	Cursor       int               // the index in Text at which the next character is inserted
	Known        bool              // Text was predicted from the keys or read from the screen; else it must be read from the screen
	Readable     bool              // the screen is up to date: the line can be read from it
	Clipped      bool              // the screen does not show all of the line
	FromScreen   bool              // Text was read from the screen
	Drawn        *state.EditedLine `json:"-"` // the line on the screen when the program had handled the last key; nil if not known
	Echoed       bool              // the screen has shown a key that was typed to the line
	NotOnScreen  bool              // the line cannot be read from the screen, which does not show it, or shows other text in it
	RecallUnseen bool              // a key that may have recalled a line has printed nothing: that line may be invisible
	Consumed     int               // number of characters at the start of Text that the program has already read, so that no key can edit them; -1 if not known
	Discarded    bool              // the terminal has discarded a part of the line that the screen still shows
	Open         bool              // a key has been typed to the line
	Ended        bool              // the previous line was submitted or abandoned, and the screen may still show it
	Recalls      bool              // a key had an effect that was not predicted; Enter may end a search and only show the line found
	ViKey        rune              `json:"Escaped"` // the last key that may be a vi command after an esc, or escapeKey directly after the esc; else 0
	Stashed      []string          // lines perhaps put aside (zsh's push-line); Enter or ctrl+c may bring one back
	Unstashed    string            // the stashed line that the last Enter or ctrl+c may have brought back, before Text
	PromptTail   string            // the text after the prompt when the line began: the beginning of the line, or the output of a background job
}

// A Past holds the effects of earlier lines on the next one.
type Past struct {
	Script        string   // submitted lines that need further lines, as after an open quote; "" if there are none
	RepeatOnEmpty string   // in gdb, the line that an empty line repeats; else ""
	Vars          []string // lines that set shell variables
	Ahead         string   // submitted lines that the shell may not have run yet
}

// An Effect is the effect of a key on the line.
type Effect int

// The effects.
const (
	Inserts Effect = iota
	Submits
	GoesLeft
	GoesRight
	GoesHome
	GoesEnd
	Erases     // the character before the cursor
	Deletes    // the character under the cursor
	KillsEnd   // from the cursor on
	KillsStart // up to the cursor
	KillsWord
	Abandons      // the whole line: ctrl+c
	Escapes       // esc: in vi mode, the next keys are commands
	GoesDown      // to the next line of the history; where a new line is typed, there is no next line
	Unpredictable // an effect that cannot be predicted: history, completion, search
	Discards      // the terminal discards what the program has not read of the line: ctrl+u, ctrl+z and ctrl+\ in line mode
	HandsOver     // the terminal gives the line to the program: ctrl+d in line mode
	Passes        // no effect on the line: ctrl+s and ctrl+q
	MaySubmit     // a key that is not known to edit, complete, recall or search, and so may submit the line
)

// A Keystroke is one key, or one character, of an input.
type Keystroke struct {
	Effect Effect
	Rune   rune // the character, or that of the key; 0 for other keys, mouse events and Enter
	Item   int  // the index of the key; -1 for a character of the input's text; the number of keys for mouse or Enter
	At     int  // for a character of the input's text or of a key's text, the offset of the byte after it
}

// Clone returns a copy whose Text can be changed. The rest is shared, and never changed in place.
func (l Line) Clone() Line {
	l.Text = slices.Clone(l.Text)
	return l
}

// Clear empties the line, as Enter and ctrl+c do. These keys may also bring back the last stashed line (Unstashed).
func (l *Line) Clear() {
	stashed := l.Stashed
	*l = Line{Known: true, Ended: true}
	if n := len(stashed); n > 0 {
		l.Unstashed, l.Stashed = stashed[n-1], stashed[:n-1:n-1]
	}
}

// escapeKey is the value of Line.ViKey directly after an esc.
const escapeKey = '\x1b'

// commentKey, with alt or in vi's command mode, makes the line a comment and submits it. If the line
// is a comment, the key may remove the sign (readline's insert-comment, zsh's pound-insert).
const commentKey = '#'

// isCommand reports whether alt with a character, or esc and then the character, is a command that
// submits nothing in readline, zle, fish and their vi modes, or begins a control sequence. The list
// contains the characters of the editors' default key bindings.
func isCommand(char rune) bool {
	return char == '[' || strings.ContainsRune("bcdefghijklnoprstuwxy0123456789 .,;:_<>\\-?*/!$@~{}&^%|=+'\"()", unicode.ToLower(char))
}

// maySubmit reports whether s, a key other than Enter, may submit the line to p.
func (l *Line) maySubmit(s Keystroke, p *Program) bool {
	switch {
	case s.Effect == HandsOver:
		return len(p.Langs) > 0 && (!l.Known || len(l.Text) > l.Consumed)
	case !slices.Contains(p.Langs, danger.Shell):
		return false
	case s.Effect == Inserts:
		return l.ViKey == escapeKey && !isCommand(s.Rune) || l.ViKey != 0 && (s.Rune == 'v' || s.Rune == commentKey)
	}
	return s.Effect == MaySubmit
}

// unreadable reports whether p may have brought back an earlier line, and the screen may not show that
// line, or not all of it.
func (l *Line) unreadable(p *Program) bool { return (l.Clipped || l.RecallUnseen) && p.Recalls }

// stash records that the line may have been put aside.
func (l *Line) stash() {
	if text := l.Unstashed + l.PromptTail + string(l.Text); text != "" && len(l.Stashed) < maxStashed {
		l.Stashed = append(l.Stashed[:len(l.Stashed):len(l.Stashed)], text)
	}
}

// followVi updates l.ViKey for a character that may be a vi command.
func (l *Line) followVi(char rune) {
	switch {
	case l.ViKey == 0:
		return
	case l.ViKey == escapeKey && !isCommand(char):
		l.stash()
	case strings.ContainsRune("fFtTr", l.ViKey): // char is the argument of that command
		char = ' '
	}
	if l.ViKey = char; strings.ContainsRune("aAiIsScCR", char) {
		l.ViKey = 0 // the next characters are text
	}
}

// Apply changes the line as a key does.
func (l *Line) Apply(s Keystroke) {
	n := len(l.Text)
	if s.Effect == Submits || s.Effect == Abandons {
		recalls, viKey := s.Effect == Submits && l.Recalls, l.ViKey
		if l.Clear(); recalls {
			l.Known, l.ViKey = false, viKey // Enter may only have ended a search for a line, see Editing.Begin
		}
		return
	}
	if n > maxLine {
		l.Known = false
		return
	}
	if s.Effect == Passes {
		return
	}
	l.Open, l.Readable, l.Drawn = true, false, nil
	switch s.Effect {
	case Inserts:
		l.Known = l.Known && l.ViKey == 0
		l.followVi(s.Rune)
		l.Text = slices.Insert(l.Text, l.Cursor, s.Rune)
		l.Cursor++
	case GoesLeft:
		l.Cursor = max(l.Cursor-1, 0)
	case GoesRight:
		// At the end, fish accepts its suggestion.
		l.Known = l.Known && l.Cursor < n
		l.Cursor = min(l.Cursor+1, n)
	case GoesHome:
		l.Cursor = 0
	case GoesEnd:
		l.Known = l.Known && l.Cursor < n
		l.Cursor = n
	case Erases:
		l.Known = l.Known && l.Consumed >= 0
		if l.Cursor > max(l.Consumed, 0) {
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
		l.Known = l.Known && l.Cursor == n
		l.Text, l.Cursor = l.Text[l.Cursor:], 0
	case KillsWord:
		l.killWord()
	case Discards:
		// The terminal deletes the part that the program has not read yet.
		l.Discarded, l.Known = true, l.Consumed >= 0
		l.Text = l.Text[:min(max(l.Consumed, 0), n)]
		l.Cursor = len(l.Text)
	case HandsOver:
		if l.Consumed >= 0 && l.Known {
			l.Consumed = n
		} else {
			l.Consumed = -1
		}
	case Escapes:
		l.Known, l.Recalls, l.ViKey = false, true, escapeKey
	case MaySubmit:
		l.Known, l.Recalls = false, true
		l.stash()
	case GoesDown:
		l.Known, l.Recalls = false, l.Recalls || n+len(l.PromptTail)+len(l.Unstashed) > 0
	case Unpredictable:
		l.Known, l.Recalls = false, true
	}
}

// killWord deletes the word before the cursor, and the blanks after it.
func (l *Line) killWord() {
	before := strings.TrimRight(string(l.Text[:l.Cursor]), " ")
	start := utf8.RuneCountInString(before[:strings.LastIndexByte(before, ' ')+1])
	l.Text, l.Cursor = slices.Delete(l.Text, start, l.Cursor), start
}

// After returns the line after an input.
func (l Line) After(keys Keystrokes) Line {
	l = l.Clone()
	for s := range keys {
		l.Apply(s)
	}
	return l
}

// Clears reports whether an input surely empties the line before it inserts or submits anything. It is
// false for keys whose effect differs between line editors.
func (l Line) Clears(keys Keystrokes) bool {
	l = l.Clone()
	for s := range keys {
		switch s.Effect {
		case Abandons:
			return true
		case Inserts, Submits, Escapes, GoesDown, Unpredictable, MaySubmit, HandsOver:
			return false
		}
		if l.Apply(s); len(l.Text) == 0 {
			return true
		}
	}
	return false
}
