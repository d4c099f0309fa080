package session

import (
	"regexp"
	"strings"
)

// secretMatches is how many matches of an expectation are looked at.
const secretMatches = 100

// AsksUnexpectedSecret reports whether the program asks for a secret, by the terminal's
// modes, the last wait, or the words at the cursor, and expected, nil for nothing, does
// not match the question.
func (s *Session) AsksUnexpectedSecret(expected *regexp.Regexp) bool {
	asks := s.AsksSecret()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !asks && !s.state.WordsAskSecret() {
		return false
	}
	if expected == nil {
		return true
	}
	question, at := s.state.Question()
	for _, m := range expected.FindAllStringIndex(question, secretMatches) {
		if m[1] > at && strings.TrimSpace(question[m[0]:m[1]]) != "" {
			return false
		}
	}
	return true
}
