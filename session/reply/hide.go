package reply

import (
	"regexp"
	"strings"
	"sync"

	"github.com/glasstty/glasstty/session/mask"
	"github.com/glasstty/glasstty/session/state"
)

// Hide hides secrets in a reply, except in its output and its screen: their secrets are hidden when
// they are read.
func (s *Source) Hide(r *Reply) {
	if s.Mask == nil {
		return
	}
	if r.Prompt != "" {
		r.Prompt = s.Mask.Lines([]string{r.Prompt}, !s.State.Ended)[0]
	}
	r.Hint = s.Mask.Text(r.Hint)
	for _, p := range []**string{&r.Title, &r.Cwd, &r.Foreground} {
		if *p != nil {
			hidden := s.Mask.Text(**p)
			*p = &hidden
		}
	}
	for i := range r.Events {
		r.Events[i].Text = s.Mask.Text(r.Events[i].Text)
	}
	for i := range r.Notes {
		r.Notes[i] = s.Mask.Text(r.Notes[i])
	}
	if r.Explain != nil {
		evidence := make([]string, len(r.Explain.Evidence))
		for i, e := range r.Explain.Evidence {
			evidence[i] = s.hideQuotes(e)
		}
		r.Explain.Evidence = evidence
	}
	HideCommand(s.Mask, r.Last)
}

// quotes matches text in double quotes, in a line of evidence.
var quotes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:[^"\\]|\\.)*"`) })

// hideQuotes hides secrets in a line of evidence. Quoted text, such as the text at the cursor, may
// end in the middle of a secret, so hideQuotes also hides what may be the beginning of one.
func (s *Source) hideQuotes(evidence string) string {
	return quotes().ReplaceAllStringFunc(s.Mask.Text(evidence), func(q string) string {
		text, cut := strings.CutSuffix(q[1:len(q)-1], "…")
		hidden := s.Mask.Lines([]string{text}, true)[0]
		if cut {
			hidden += "…"
		}
		return `"` + hidden + `"`
	})
}

// HideCommand hides secrets in the last command.
func HideCommand(m *mask.Mask, c *state.LastCommand) {
	if c != nil {
		c.Text, c.Cwd = m.Text(c.Text), m.Text(c.Cwd)
	}
}
