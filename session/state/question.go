package state

import (
	"strings"

	"github.com/glasstty/glasstty/detect"
)

// secretLines is how many lines above the cursor's a question for a secret may begin.
const secretLines = 5

// Question returns the text up to the cursor, and where its line begins in that.
func (s *State) Question() (text string, at int) {
	var b strings.Builder
	if pos, ok := s.Term.CursorPosition(); ok {
		for _, l := range s.Term.Lines(pos.Line-secretLines, pos.Line) {
			b.WriteString(l.Text + "\n")
		}
	}
	at = b.Len()
	return b.String() + s.AtCursor(), at
}

// Asks reports whether the last verdict was that the program waits for input, and nobody has
// typed since then, and it has printed nothing, unless it uses the whole screen.
func (s *State) Asks() bool {
	v := &s.Verdict
	return s.Reason == detect.AwaitingInput && v.Inputs == s.Inputs && (v.Output == s.Raw.Total || s.FullScreen())
}

// WordsAskSecret reports whether the words at the cursor ask for a secret, and nobody
// has typed them: programs write the question before they switch echo off.
func (s *State) WordsAskSecret() bool {
	own := s.Last.Started && !s.Last.Submitted
	return !own && !s.Ended && !s.FullScreen() && s.Reason != detect.Prompt && detect.AsksSecret(strings.TrimSpace(s.AtCursor()))
}
