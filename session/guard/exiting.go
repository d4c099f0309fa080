package guard

import (
	"slices"
	"strings"

	"github.com/glasstty/glasstty/internal/danger"
)

// cutBeforeExit returns the index of the key before which an input must be cut, or -1. By then
// the foreground program may have ended, and the session's shell would read a line that is
// held for a shell. Index 0 means that an earlier input may have ended the program. After
// the cut the caller waits until the program has reacted, and judges the rest for the
// program that is then in the foreground.
func (l *View) cutBeforeExit(c *danger.Checker, keys Keystrokes) int {
	all := slices.Collect(keys)
	var lines []string          // the submitted lines, from each key at which one may begin for the shell
	var starts []int            // the indexes of these keys
	parts, last := []int{0}, -1 // the start of the line, and the indexes within it, at most maxParts
	for i, s := range all {
		if s.Effect != Submits {
			if mayEndProgram(s) && len(parts) <= maxLineStarts && i+1 < len(all) && all[i+1].Effect != Submits {
				parts = append(parts, i+1)
			}
			continue
		}
		for _, from := range parts {
			line := Line{Known: true}.After(slices.Values(all[from:i]))
			lines, starts = append(lines, string(line.Text)), append(starts, from)
		}
		if len(parts) > maxLineStarts {
			last = parts[maxLineStarts] // the caller checks the others after this cut
			break
		}
		parts = []int{i + 1}
	}
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
		if l.holds(c, *l.SessionShell, strings.Split(text, "\n")) {
			return from
		}
	}
	return last
}

// maxLineStarts limits the places in one line that are checked at once.
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
