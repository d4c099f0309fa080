package reply

import (
	"fmt"
	"unicode/utf8"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/kernel"
	"github.com/glasstty/glasstty/session/selected"
	"github.com/glasstty/glasstty/session/state"
	"github.com/glasstty/glasstty/session/text"
	"github.com/glasstty/glasstty/session/wait"
)

// Selected returns the text that is highlighted as chosen in a full-screen program, or in a menu of
// a program that reads key by key. A program that seems to be at a prompt may still show a menu, as
// fzf does. For such a program, Selected finds only rows with a marker such as ">" in front, and
// only until a line is submitted to the program. The line that started the program does not count.
func (s *Source) Selected(v detect.Verdict, tty kernel.TTY) []selected.Choice {
	switch startedByInput := s.State.Marks.Running && !s.State.Last.Running; {
	case s.State.Ended:
		return nil
	case s.State.Term.FullScreen():
		return selected.Find(s.State.Snapshot(0))
	case !tty.Known || tty.Canonical || v.Reason == detect.Password || s.State.Marks.Prompted && !s.State.Marks.Running:
		return nil
	case v.Reason != detect.Prompt && !s.Ready.Prompted(tty.Group):
		return selected.Find(s.State.Snapshot(0))
	case startedByInput || !s.State.Last.Submitted:
		return selected.FindMarked(s.State.Snapshot(0))
	}
	return nil
}

// AddView adds the output, the screen, both, or the changes of the screen to the reply, depending on w.View.
func (s *Source) AddView(r *state.Reader, w wait.Wait, typed *state.Input, reply *Reply) {
	view := w.View
	if view == wait.ViewAuto || view == "" {
		view = wait.ViewOutput
		if reply.FullScreen && !w.Raw {
			view = wait.ViewScreen
		}
	}
	if view == wait.ViewOutput || view == wait.ViewBoth {
		s.output(r, w, typed, reply)
	}
	switch view {
	case wait.ViewScreen, wait.ViewBoth:
		complete := s.showScreen(s.State.Snapshot(0), w, reply)
		r.Screen = reply.Revision
		if complete {
			s.State.MarkScreenSeen(r, reply.Reason)
		}
	case wait.ViewDiff:
		s.diff(r, w, reply)
		if !reply.HasMore {
			s.State.MarkScreenSeen(r, reply.Reason)
		}
	}
}

// showScreen adds a screen and its text to the reply. It folds equal rows of the text, and leaves
// out rows and characters beyond w's limits. complete reports whether nothing was left out.
func (s *Source) showScreen(shot *emulator.Snapshot, w wait.Wait, reply *Reply) (complete bool) {
	reply.Screen = shot
	rows := text.ScreenRows(shot)
	head := ""
	if n := w.MaxLines; n > 0 && n < len(rows) {
		at, around := shot.Cursor.Row, "cursor"
		if len(reply.Selected) > 0 {
			at, around = reply.Selected[0].Row, "selection"
		}
		from := min(max(at-n/2, 0), len(rows)-n)
		rows = rows[from : from+n]
		head = fmt.Sprintf("… rows %d to %d of %d, around the %s …\n", from, from+n-1, shot.Size.Rows, around)
		reply.HasMore = true
	}
	shown, omitted := text.JoinRows(text.FoldRows(rows), s.Limit(w))
	reply.Shown = head + shown
	reply.HasMore = reply.HasMore || omitted > 0
	return head == "" && omitted == 0
}

// diff adds to the reply the rows that have changed since the reader last got the screen, up to w's limits but at
// least one run of rows. If the text of the whole screen is shorter and within w's limits, diff adds it instead.
func (s *Source) diff(r *state.Reader, w wait.Wait, reply *Reply) {
	shot := s.State.Snapshot(0)
	since := r.Screen
	r.Screen = reply.Revision
	runs := text.ChangedRuns(shot, since)
	if rows := text.ScreenRows(shot); len(runs) > 0 && (w.MaxLines == 0 || len(rows) <= w.MaxLines) {
		if all := text.JoinAll(text.FoldRows(rows)); len(all) <= min(s.Limit(w), len(text.Diff(runs))) {
			s.showScreen(shot, w, reply)
			return
		}
	}
	left, added, omitted := s.Limit(w), 0, 0
	for _, run := range runs {
		left -= utf8.RuneCountInString(run.Text) + 1
		if added++; len(reply.Diff) > 0 && (left < 0 || w.MaxLines > 0 && added > w.MaxLines) {
			omitted += run.To - run.From + 1
			continue
		}
		reply.Diff = append(reply.Diff, run)
	}
	if omitted > 0 {
		reply.HasMore = true
		reply.Notes = append(reply.Notes, fmt.Sprintf("%d more rows have changed; snapshot since=%d shows all", omitted, since))
	}
}

// AddChanges adds new events to the reply. It adds the title, the directory and the foreground
// program if they have changed since the last reply to the same reader.
func (s *Source) AddChanges(r *state.Reader, tty kernel.TTY, reply *Reply) {
	reply.Events, r.Event = s.State.Events.Since(r.Event)
	cwd, foreground := s.Ready.Where(tty, s.Dir)()
	for _, c := range []struct {
		now  string
		last *string
		to   **string
	}{
		{s.State.Term.Title(), &r.Title, &reply.Title},
		{cwd, &r.Cwd, &reply.Cwd},
		{foreground, &r.Foreground, &reply.Foreground},
	} {
		if c.now != *c.last {
			*c.last = c.now
			*c.to = &c.now
		}
	}
}

// AddLines adds lines to the reply, folded if w.Compact is set, and cut to w's limit.
func (s *Source) AddLines(lines []text.OutputLine, w wait.Wait, reply *Reply) {
	s.lines("", lines, "", w, reply)
}

// lines is AddLines with a head before the lines and a tail after them. The head and the tail are never cut.
func (s *Source) lines(head string, lines []text.OutputLine, tail string, w wait.Wait, reply *Reply) {
	all := len(lines)
	unfolded := text.MarkElisions(lines)
	if lines = unfolded; w.Compact {
		lines = text.Fold(lines)
	}
	reply.cut = func(limit int) (string, int) {
		out, elided := text.Join(lines, unfolded, limit, s.Limit(wait.Wait{}))
		return head + out + tail, all - elided
	}
	reply.Output, reply.LinesReturned = reply.cut(s.Limit(w))
	if reply.LinesReturned < all {
		reply.HasMore = true
		if w.MaxOutputChars == 0 && s.CutNote != "" {
			reply.Notes = append(reply.Notes, s.CutNote)
		}
	}
}

// AddPage adds the first lines that fit into w's limit to the reply, and a note that says where to continue. If
// the first line is longer than the limit, or w.Compact is set, AddPage cuts the lines as AddLines does.
func (s *Source) AddPage(lines []text.OutputLine, w wait.Wait, reply *Reply) {
	tail := ""
	if n := text.CountFitting(lines, s.Limit(w)); n > 0 && n < len(lines) && !w.Compact {
		rest := lines[n:]
		tail = "\n" + text.Elision(rest, int(rest[len(rest)-1].Number-rest[0].Number)+1, s.Limit(wait.Wait{}))
		lines, reply.HasMore = lines[:n], true
	}
	s.lines("", lines, tail, w, reply)
}
