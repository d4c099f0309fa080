package session

import (
	"fmt"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/child"
)

// replyLocked returns the reply at this moment for a wait that v has ended.
func (s *Session) replyLocked(g *goal, v detect.Verdict) *Reply {
	s.learnLocked(v)
	r, w := g.reader, g.wait
	tty := s.lookTTY()
	reply := &Reply{
		SessionID: s.id,
		Status:    s.status,
		Reason:    v.Reason,
		Last:      s.marks.lastCommand(),
		Cursor:    s.term.Cursor(),
		Revision:  s.term.Revision(),
		Elapsed:   time.Since(g.start),
	}
	if s.status != StatusRunning {
		code := s.exitCode
		reply.ExitCode = &code
	}
	reply.FullScreen = s.fullScreenLocked()
	if !reply.FullScreen {
		switch v.Reason {
		case detect.Prompt, detect.AwaitingInput, detect.Password:
			reply.Prompt = s.promptLocked()
		}
	}
	s.fillViewLocked(r, w, reply)
	s.fillChangesLocked(r, tty, reply)
	reply.Hint = s.hintLocked(g, v, tty)
	if w.Explain {
		reply.Explain = &Explanation{Layer: v.Layer, Evidence: v.Why}
	}
	told, next := s.notices.since(r.notice)
	reply.Notes, s.notes, r.notice = append(s.notes, told...), nil, next
	if s.undrain {
		reply.Notes = append(reply.Notes, fmt.Sprintf("the process has ended, and %s later something it started still held its terminal open: more output may follow", child.DrainLimit))
	}
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
		reply.Screen = s.term.Snapshot(0)
		r.screen = reply.Revision
	case ViewDiff:
		for i, row := range s.term.Snapshot(0).Screen {
			if row.Revision > r.screen {
				reply.Diff = append(reply.Diff, RowDiff{Row: i, Text: row.Text()})
			}
		}
		r.screen = reply.Revision
	}
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

// hintLocked returns a sentence when the next step is not obvious.
func (s *Session) hintLocked(g *goal, v detect.Verdict, tty ttyState) string {
	if s.status != StatusRunning {
		return ""
	}
	_, name := s.whereLocked(tty)
	pending := g.call != nil && !g.call.submitted && !g.call.keyed && len(g.call.lines) > 0 && !s.fullScreenLocked()
	switch v.Reason {
	case detect.Password:
		return "a password is asked for; what is typed now is kept out of all output and logs"
	case detect.AwaitingInput:
		if pager(name) {
			return "a pager waits: space or q"
		}
	case detect.Timeout, detect.Settled:
		if g.fresh && !s.marks.running {
			return "nothing new to read"
		}
		if v.Reason == detect.Timeout && g.call != nil && g.call.running {
			return fmt.Sprintf("still running %s (%s); the text waits in its input; wait_for or send_keys ctrl+c, which drops it", name, seconds(time.Since(g.start)))
		}
		if g.call != nil && g.call.submitted || g.call == nil {
			if v.Reason == detect.Timeout || s.expectedLocked() {
				return fmt.Sprintf("still running %s (%s); wait_for goes on waiting, send_keys ctrl+c interrupts", name, seconds(time.Since(g.start)))
			}
		} else if v.Reason == detect.Timeout {
			return fmt.Sprintf("still running %s (%s); the text waits in its input; wait_for or send_keys ctrl+c", name, seconds(time.Since(g.start)))
		}
	}
	if pending && v.Reason != detect.Prompt && v.Reason != detect.Matched && v.Reason != detect.Changed {
		return "typed, not submitted: press_enter was false"
	}
	return ""
}

// seconds returns d as a hint shows it.
func seconds(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.2g s", d.Seconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

// pager reports whether a program of this name shows text page by page.
func pager(name string) bool {
	switch name {
	case "less", "more", "most", "man", "pager", "pg", "delta", "bat":
		return true
	}
	return false
}
