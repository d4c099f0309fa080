package guard

import (
	"slices"
	"strings"

	"github.com/glasstty/glasstty/internal/danger"
)

// cutBeforeExit returns the index of the key before which an input must be cut, or -1. When that key
// arrives, the foreground program may have ended. In that case, the session's shell reads the line that
// begins at the key, and for the shell, the line would be held. Index 0 means that an earlier input may
// have ended the program. After typing the keys before the cut, the caller waits until the program has
// reacted, and judges the rest for the program that is in the foreground by then.
func (l *View) cutBeforeExit(c *danger.Checker, keys Keystrokes) int {
	all := slices.Collect(keys)
	var lines []string     // for each key at which a line may begin for the shell, the text from there to Enter
	var starts []int       // the indexes of these keys
	lineStarts := []int{0} // the indexes in the current line, at most maxLineStarts+1
	overflow := -1         // the index before which to cut if a line has more than maxLineStarts starts; else -1
	for i, s := range all {
		if s.Effect != Submits {
			if mayEndProgram(s) && len(lineStarts) <= maxLineStarts && i+1 < len(all) && all[i+1].Effect != Submits {
				lineStarts = append(lineStarts, i+1)
			}
			continue
		}
		for _, from := range lineStarts {
			line := Line{Known: true}.After(slices.Values(all[from:i]))
			lines, starts = append(lines, string(line.Text)), append(starts, from)
		}
		if len(lineStarts) > maxLineStarts {
			overflow = lineStarts[maxLineStarts] // after a cut there, the caller has the other starts checked
			break
		}
		lineStarts = []int{i + 1}
	}
	view, set := *l, -1 // set is where the first line begins that sets a variable for a later line, or -1
	for i, from := range starts {
		if from == 0 && l.Settled {
			continue
		}
		text, next := lines[i], i+1
		for ; next < len(lines) && len(text) < maxScript && danger.Incomplete(danger.Shell, text); next++ {
			if starts[next] > from {
				text += "\n" + lines[next]
			}
		}
		d := view.judge(c, *l.SessionShell, strings.Split(text, "\n"))
		switch {
		case d.Held() && set >= 0:
			return set // so that the shell's variables are remembered
		case d.Held():
			return from
		case set < 0 && !slices.Equal(d.Past.Vars, view.Past.Vars):
			set = from
		}
		view.Past.Vars = d.Past.Vars
	}
	return overflow
}

// maxLineStarts limits the keys in one line that cutBeforeExit checks as possible starts of a line.
const maxLineStarts = 32

// mayEndProgram reports whether a key other than Enter may end a program: q, Q, the Z of vim's ZZ, or
// any key that does not insert a character, move the cursor within the line or erase the
// character before it.
func mayEndProgram(s Keystroke) bool {
	switch s.Effect {
	case Inserts:
		return strings.ContainsRune("qQZ", s.Rune)
	case GoesLeft, GoesRight, GoesHome, GoesEnd, Erases:
		return false
	}
	return true
}
