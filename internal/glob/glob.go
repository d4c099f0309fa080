// Package glob matches text against patterns in which * stands for any text, including
// slashes. Its functions may be called concurrently.
package glob

import "strings"

// Match reports whether all of text matches pattern.
func Match(pattern, text string) bool {
	if !strings.Contains(pattern, "*") {
		return pattern == text
	}
	return MatchParts(strings.Split(pattern, "*"), text)
}

// MatchParts is Match for a pattern split at each *. parts must not be empty.
func MatchParts(parts []string, text string) bool {
	last := len(parts) - 1
	text, begins := strings.CutPrefix(text, parts[0])
	if !begins || last == 0 || !strings.HasSuffix(text, parts[last]) {
		return begins && last == 0 && text == ""
	}
	text = text[:len(text)-len(parts[last])]
	for _, p := range parts[1:last] {
		if _, text, begins = strings.Cut(text, p); !begins {
			return false
		}
	}
	return true
}
