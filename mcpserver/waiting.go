package mcpserver

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"time"

	"github.com/glasstty/glasstty/session"

	"github.com/glasstty/glasstty/session/text"
)

// waitArgs contains the arguments shared by the tools that wait. Each tool's own struct has the
// timeout and the regular expression, which differ by tool.
type waitArgs struct {
	Until string `json:"until" enum:"ready,exit,quiet,change,released,none" doc:"default ready"`
	View  string `json:"view" enum:"auto,output,screen,both,diff" schema:"bare" doc:"what the reply shows; auto is the screen while a program owns it" default:"auto"`
	// All waiting tools accept these; only the schema of read_output shows them.
	outputArgs `schema:"hidden"`
}

// outputArgs contains the arguments for the form of the output.
type outputArgs struct {
	ReaderID       int   `json:"reader_id" min:"0" doc:"whose cursor moves"`
	StripANSI      *bool `json:"strip_ansi" doc:"false for raw bytes"`
	MaxLines       int   `json:"max_lines" min:"0" doc:"lines a page; 0 for all"`
	MaxOutputChars int   `json:"max_output_chars" min:"1" doc:"cut beyond it" default:"6000"`
	Compact        bool  `json:"compact" doc:"fold repeated lines"`
	Explain        bool  `json:"explain" schema:"hidden" doc:"add the evidence for reason"`
}

// sinceArg is the argument since: the last revision that the client has seen.
type sinceArg struct {
	Since *uint64 `json:"since" doc:"for until change"`
}

// The default timeouts: of most tools that wait, of start_process and of wait_for.
const (
	sendTimeout  = 5 * time.Second
	startTimeout = 10 * time.Second
	waitTimeout  = 50 * time.Second
)

// maxPattern is the maximum length of a regular expression, in bytes.
const maxPattern = 10_000

// A limit is the time that a call may wait.
type limit struct {
	timeout time.Duration
	capped  bool // Options.MaxBlock has shortened timeout
}

// minRepeatWait is the minimum time that a repeated call may wait, so that its reply has what the
// program shows after a restart of the server. A call with a shorter timeout waits for that timeout.
const minRepeatWait = time.Second

// limit returns the time that the call may wait: asked, Options.Timeout or def, the first that is
// set. Without a progress token it is at most Options.MaxBlock. A repeated call waits only for the
// remaining time, but at least for minRepeatWait.
func (c *call) limit(asked *float64, def time.Duration) limit {
	l := limit{timeout: cmp.Or(c.srv.opt.Timeout, def)}
	if asked != nil {
		l.timeout = duration(*asked)
	}
	if c.req.Params.GetProgressToken() == nil && l.timeout > c.srv.opt.MaxBlock {
		l.timeout = c.srv.opt.MaxBlock
		l.capped = true
	}
	l.timeout = max(l.timeout-c.waited(), min(l.timeout, minRepeatWait))
	return l
}

// wait converts the arguments to a session.Wait. pattern may be nil; an error about it contains name.
func (w *waitArgs) wait(l limit, name string, pattern *string) (session.Wait, error) {
	out := w.replyForm()
	out.Until, out.Timeout = session.Until(w.Until), l.timeout
	if pattern != nil {
		re, err := compile(name, *pattern)
		if err != nil {
			return out, err
		}
		out.Pattern = re
	}
	return out, nil
}

// replyForm returns a session.Wait with the form of the reply, and without a condition.
func (w *waitArgs) replyForm() session.Wait {
	return session.Wait{
		Reader:         w.ReaderID,
		View:           session.View(w.View),
		Raw:            w.StripANSI != nil && !*w.StripANSI,
		MaxLines:       w.MaxLines,
		MaxOutputChars: w.MaxOutputChars,
		Compact:        w.Compact,
		Explain:        w.Explain,
	}
}

// compile compiles the regular expression in the argument name. ^ and $ match at the start and the
// end of each line.
func compile(name, pattern string) (*regexp.Regexp, error) {
	switch {
	case pattern == "":
		return nil, refuse("argument %q must not be empty: it would match anything", name)
	case len(pattern) > maxPattern:
		return nil, refuse("argument %q has %d bytes; at most %d: look for a shorter text", name, len(pattern), maxPattern)
	}
	re, err := regexp.Compile("(?m)" + pattern)
	if err == nil {
		if work := text.PatternWork(re); work > text.MaxPatternWork {
			return nil, refuse("argument %q: %q becomes %d instructions; at most %d: repeat less", name, clip(pattern), work, text.MaxPatternWork)
		}
		return re, nil
	}
	why := err.Error()
	var bad *syntax.Error
	if errors.As(err, &bad) {
		why = bad.Code.String()
		if bad.Expr != "" && bad.Expr != "(?m)"+pattern {
			why += fmt.Sprintf(" at %q", clip(bad.Expr))
		}
	}
	return nil, refuse("argument %q: %q is not an RE2 regular expression: %s; put \\ before characters meant literally", name, clip(pattern), why)
}

// setSince sets w.Since to the argument, if it is given. It returns an error for a revision that s has
// not reached, because the client must have taken such a revision from another session.
func (a sinceArg) setSince(w *session.Wait, s *session.Session) error {
	if a.Since == nil {
		return nil
	}
	if now := s.Snapshot(0).Revision; *a.Since > now {
		return futureRevision(s.ID(), *a.Since, now)
	}
	w.Since = a.Since
	return nil
}

func futureRevision(id string, since, now uint64) error {
	return refuse("argument \"since\" is revision %d, but session %s is at %d; use the revision of this session's last reply", since, id, now)
}
