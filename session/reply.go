package session

import (
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/child"
)

// replyLocked returns the reply at this moment for a wait that v has ended.
func (s *Session) replyLocked(g *goal, v detect.Verdict) *Reply {
	s.learnLocked(v)
	r, w := g.reader, g.wait
	r.begin(g.id)
	defer s.keepLocked()
	tty := s.lookTTY()
	reply := &Reply{
		SessionID: s.id,
		Status:    s.status,
		Reason:    v.Reason,
		Last:      s.marks.lastCommandOf(g.call),
		Cursor:    s.term.Cursor(),
		Revision:  s.term.Revision(),
		Elapsed:   time.Since(g.start),
	}
	if s.status == StatusExited {
		code := s.exitCode
		reply.ExitCode = &code
	}
	r.guess(v.Reason == detect.Settled, reply.Revision)
	reply.FullScreen = s.fullScreenLocked()
	if !reply.FullScreen {
		switch v.Reason {
		case detect.Prompt, detect.AwaitingInput, detect.Password:
			reply.Prompt = s.promptLocked()
		}
	}
	reply.PromptTold = reply.Prompt == r.prompt
	r.prompt = reply.Prompt
	s.fillViewLocked(r, w, reply)
	s.fillChangesLocked(r, tty, reply)
	reply.Hint = s.hintLocked(g, v, tty)
	if w.Explain {
		reply.Explain = &Explanation{Layer: v.Layer, Evidence: v.Why}
	}
	told, next := s.notices.since(r.notice)
	reply.Notes, r.notice = slices.Concat(reply.Notes, s.notes, told), next
	if !g.peek {
		s.notes = nil
	}
	if note := s.logNoteLocked(); note != "" {
		reply.Notes = append(reply.Notes, note)
	}
	if s.status != StatusRunning && s.life.ended != "" {
		reply.Notes = append(reply.Notes, s.life.ended)
	}
	if s.undrain {
		reply.Notes = append(reply.Notes, fmt.Sprintf("the process has ended, and %s later something it started still held its terminal open: more output may follow", child.DrainLimit))
	}
	s.hideReply(reply)
	return reply
}

// fillViewLocked puts into the reply what the view asks for.
func (s *Session) fillViewLocked(r *reader, w Wait, reply *Reply) {
	view := w.View
	if view == ViewAuto || view == "" {
		view = ViewOutput
		if _, onText := s.term.CursorPosition(); (reply.FullScreen || !onText) && !w.Raw {
			// Of what is painted, nothing is output: the screen has it.
			view = ViewScreen
		}
	}
	if view == ViewOutput || view == ViewBoth {
		s.fillOutputLocked(r, w, reply)
	}
	switch view {
	case ViewScreen, ViewBoth:
		reply.Screen = s.shotLocked(0)
		r.screen = reply.Revision
	case ViewDiff:
		s.fillDiffLocked(r, w, reply)
	}
}

// fillDiffLocked puts the rows into the reply that have changed since r's last
// screen, as many as w's limit allows.
func (s *Session) fillDiffLocked(r *reader, w Wait, reply *Reply) {
	left, out := w.limit(), 0
	for i, row := range s.shotLocked(0).Screen {
		if row.Revision <= r.screen {
			continue
		}
		text := row.Text()
		if left -= utf8.RuneCountInString(text) + 1; left < 0 && len(reply.Diff) > 0 {
			out++
			continue
		}
		reply.Diff = append(reply.Diff, RowDiff{Row: i, Text: text})
	}
	if out > 0 {
		reply.HasMore = true
		reply.Notes = append(reply.Notes, fmt.Sprintf("%d more rows have changed; snapshot since=%d shows all", out, r.screen))
	}
	r.screen = reply.Revision
}

// fillChangesLocked puts into the reply what has changed since the reader's
// last one.
func (s *Session) fillChangesLocked(r *reader, tty ttyState, reply *Reply) {
	reply.Events, r.event = s.events.since(r.event)
	cwd, foreground := s.whereLocked(tty)
	for _, c := range []struct {
		now  string
		last *string
		to   **string
	}{
		{s.term.Title(), &r.title, &reply.Title},
		{cwd, &r.cwd, &reply.Cwd},
		{foreground, &r.foreground, &reply.Foreground},
	} {
		if c.now != *c.last {
			*c.last = c.now
			*c.to = &c.now
		}
	}
}
