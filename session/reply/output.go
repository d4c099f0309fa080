package reply

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/state"
	"github.com/glasstty/glasstty/session/text"
	"github.com/glasstty/glasstty/session/wait"
)

// DefaultMaxOutputChars is the limit on a reply's output, in characters, if neither its Wait nor
// its Source sets one.
const DefaultMaxOutputChars = 6_000

// Limit returns the limit on the output of a reply to w, in characters.
func (s *Source) Limit(w wait.Wait) int {
	return cmp.Or(w.MaxOutputChars, s.MaxChars, DefaultMaxOutputChars)
}

// output adds the output that r has not seen to the reply, and marks as seen what the reply
// contains or leaves out for good. typed is the input of the call, or nil.
func (s *Source) output(r *state.Reader, w wait.Wait, typed *state.Input, reply *Reply) {
	reply.HasOutput = true
	if w.Raw {
		s.raw(r, w, reply)
		return
	}
	if first := s.State.Term.FirstLine(); r.Seen.Line < first {
		reply.DroppedBytes = max(s.State.Term.BytesBefore(first)-r.Before, 0)
		reply.Notes = append(reply.Notes, "the oldest lines are no longer kept ("+s.KeptLines+")")
	}
	lines, all := s.State.Unseen(r, reply.Reason)
	if len(lines) == 0 && typed != nil && typed.Submitted && (reply.Reason == detect.Prompt || reply.Reason == detect.Exited) {
		cursor, _ := s.State.Term.CursorPosition()
		lines = all.Redrawn(max(typed.Revision, r.Output), cursor.Line)
	}
	if len(lines) == 0 {
		lines = r.Seen.Restyled(all.Lines, all.Screen)
	}
	if over := len(lines) - w.MaxLines; w.MaxLines > 0 && (w.Newest || w.Until == wait.UntilExit) && over > 0 {
		s.State.MarkAllSeen(r, all)
		head := text.Elision(lines, int(lines[over].Number-lines[0].Number), s.Limit(wait.Wait{})) + "\n"
		reply.HasMore = true
		s.lines(head, lines[over:], "", w, reply)
		return
	}
	if n := s.page(w, lines); n < len(lines) {
		s.State.MarkSeen(r, all, lines[n].Number)
		lines, reply.HasMore = lines[:n], true
	} else {
		s.State.MarkAllSeen(r, all)
	}
	s.AddLines(lines, w, reply)
}

// page returns how many of the lines are in the reply: all if w.MaxLines is 0. Otherwise w.MaxLines
// and, unless w.Compact is set, the limit on the output apply, but the reply has at least one line.
func (s *Source) page(w wait.Wait, lines []text.OutputLine) int {
	if w.MaxLines == 0 {
		return len(lines)
	}
	n := min(len(lines), w.MaxLines)
	if w.Compact {
		return n
	}
	return min(n, max(text.CountFitting(lines, s.Limit(w)), 1))
}

// rawContext is the number of bytes before the unread ones that are searched again: a secret may
// begin in them.
const rawContext = 16 << 10

// raw adds the child's unread bytes to the reply, with secrets hidden. If the last bytes may be the
// beginning of a secret, raw leaves them for the next reply.
func (s *Source) raw(r *state.Reader, w wait.Wait, reply *Reply) {
	first := s.State.Raw.First()
	from := max(r.Raw, first)
	base := from
	if s.Mask != nil {
		base = max(first, from-rawContext)
	}
	p, withheld := s.Mask.Bytes(s.State.RawSince(base), int(min(from, s.State.Raw.Total)-base), !s.State.Ended)
	p = p[:len(p)-withheld]
	reply.DroppedBytes = max(first-r.Raw, 0)
	n := rawLines(p, w.MaxLines)
	line, whole := max(r.Seen.Line, s.State.Term.FirstLine()), p[:n]
	reply.Output, reply.HasMore = joinRaw(whole, s.Limit(w), line)
	reply.cut = func(limit int) (string, int) {
		out, _ := joinRaw(whole, limit, line)
		return out, 0
	}
	if n < len(p) {
		reply.HasMore = true
		r.Raw = from + int64(n)
		return
	}
	s.State.MoveToEnd(r)
	r.Raw -= int64(withheld)
}

// rawLines returns the length in bytes of the first lines of p. If lines is 0, it returns the length of p.
func rawLines(p []byte, lines int) (n int) {
	if all := bytes.SplitAfterN(p, []byte("\n"), lines+1); lines > 0 && len(all) > lines {
		return len(p) - len(all[lines])
	}
	return len(p)
}

// joinRaw returns raw output as text of about limit characters at most. If p is longer, it returns the
// beginning and the end of p around a note that says how to read the output as text, from line on.
func joinRaw(p []byte, limit int, line int64) (out string, cut bool) {
	head, tail, omitted := text.CutMiddle(strings.ToValidUTF8(string(p), "\uFFFD"), limit)
	if omitted == 0 {
		return head, false
	}
	return fmt.Sprintf("%s\n… %d characters left out; read_output from_line=%d gets what is kept of them, without escapes …\n%s", head, omitted, line, tail), true
}
