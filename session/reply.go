package session

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/kernel"
	"github.com/glasstty/glasstty/session/limit"
	"github.com/glasstty/glasstty/session/queue"
	"github.com/glasstty/glasstty/session/reply"
)

// replyLocked returns the reply to a wait that v has ended.
func (g *goal) replyLocked(v detect.Verdict) *Reply {
	s := g.s
	s.ready.Learn(v)
	s.guard.Draft.MarkSeen(g.client)
	r, w := g.Reader, g.Wait
	r.BeginCall(g.name)
	defer s.keepLocked()
	tty := s.ready.LookTTY()
	reply := &Reply{
		SessionID:  s.id,
		Status:     s.end.status,
		Reason:     v.Reason,
		ExitCode:   s.end.exitCode(),
		Last:       s.state.Marks.LastCommandOf(g.Input),
		Cursor:     s.state.Term.Cursor(),
		FullScreen: s.state.Term.FullScreen(),
		Revision:   s.state.Term.Revision(),
		Elapsed:    time.Since(g.Start),
	}
	r.Guessed = 0
	if v.Reason == detect.Settled {
		r.Guessed = reply.Revision
	}
	asks := false
	switch v.Reason {
	case detect.Prompt, detect.AwaitingInput, detect.Password:
		asks = true
	case detect.Exited:
	default:
		typed := g.Input == nil || g.Input.Started
		asks = typed && s.state.AtUntouchedPrompt() && s.state.PromptIsNew() || g.AtPrompt()
	}
	if asks && !reply.FullScreen {
		reply.Prompt = s.state.Prompt()
	}
	reply.PromptRepeated = reply.Prompt == r.Prompt
	r.Prompt = reply.Prompt
	from := s.sourceLocked()
	reply.Selected = from.Selected(v, tty)
	from.AddView(r, w, g.Input, reply)
	from.AddChanges(r, tty, reply)
	reply.Hint = g.hintLocked(from, v, tty)
	if w.Explain {
		reply.Explain = &Explanation{Layer: v.Layer, Evidence: v.Why}
	}
	notices, next := s.readers.Notices.Since(r.Notice)
	reply.Notes, r.Notice = append(reply.Notes, notices...), next
	if note := untypedNote(g.call); note != "" {
		reply.Notes = append(reply.Notes, note)
	}
	if note := s.log.note(s.child.LogStatus(), s.created); note != "" {
		reply.Notes = append(reply.Notes, note)
	}
	if s.end.status != StatusRunning && s.end.why != "" {
		reply.Notes = append(reply.Notes, s.end.why)
	}
	if s.end.outputStillOpen {
		reply.Notes = append(reply.Notes, fmt.Sprintf("the process has ended, but %s later its output had not ended: something it started holds its terminal open, or there was much to read; more output may follow", child.DrainLimit))
	}
	from.Hide(reply)
	return reply
}

// sourceLocked returns the facts about the session from which package reply makes a reply.
func (s *Session) sourceLocked() *reply.Source {
	from := &reply.Source{
		State: s.state, Ready: &s.ready, Mask: s.m.mask(),
		Command: append([]string{s.opt.Command}, s.opt.Args...), Dir: s.opt.Dir,
		MaxChars:  s.m.opt.Limits.Output,
		KeptLines: limit.HowToRaise(limit.Scrollback, strconv.Itoa(s.m.opt.Limits.Scrollback)),
	}
	if from.MaxChars != DefaultMaxOutputChars {
		from.CutNote = fmt.Sprintf("cut at %s=%d: max_output_chars gives more", limit.Output, from.MaxChars)
	}
	return from
}

// hintLocked returns a hint if the next step is not obvious, or "".
func (g *goal) hintLocked(from *reply.Source, v detect.Verdict, tty kernel.TTY) string {
	s := g.s
	if s.end.status == StatusLost {
		return cmp.Or(s.m.opt.LostHint, lostWhen+"; its output and screen are kept, and start_process starts another")
	}
	unsent := g.call != nil && !g.call.Input.Submitted && !g.call.HasKeys && !g.call.Input.NoEcho
	person := ""
	if s.m.opt.PersonHint != nil {
		person = s.m.opt.PersonHint(s.id)
	}
	return from.Hint(&g.Goal, v, tty, unsent, person)
}

// untypedNote returns a note if the end of an input did not reach the program as intended, or "". c may be nil.
func untypedNote(c *queue.Call) string {
	switch {
	case c == nil:
	case c.NotTyped > 0:
		return fmt.Sprintf("the program ended while it was typed to: the last %d bytes were not typed", c.NotTyped)
	case c.TypedAhead > 0:
		return fmt.Sprintf("the program read nothing for %s: the last %d bytes were queued behind unread input, and the program may take all of it for one paste", reply.Seconds(c.UnreadFor), c.TypedAhead)
	}
	return ""
}
