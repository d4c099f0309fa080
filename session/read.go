package session

import (
	"context"
	"fmt"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/text"
)

// Read waits as w says, and returns the output. If w has neither Until nor Pattern, Read returns unread
// output at once, and waits only if there is none. If o has Tail, FromLine or Search, Read returns lines
// of the kept history instead and does not wait. See docs/tools.md, read_output.
func (s *Session) Read(ctx context.Context, o ReadOptions, w Wait, progress func(elapsed time.Duration, note string)) (*Reply, []SearchHit, error) {
	if o.FromLine != nil && (o.Tail != 0 || o.Search != nil) {
		return nil, nil, fmt.Errorf("%w: from_line excludes tail and search; give one", ErrArgument)
	}
	explicit := w.Until != "" || w.Pattern != nil
	g, err := s.newGoal(ctx, w)
	if err != nil {
		return nil, nil, err
	}
	if o.Search != nil {
		return g.search(ctx, o)
	}
	if o.Tail > 0 || o.FromLine != nil {
		return g.history(o)
	}
	if !explicit {
		if reply := g.readNow(); reply != nil {
			return reply, nil, nil
		}
		g.UnreadOnly = true
	}
	reply, err := await(ctx, []*goal{g}, progress)
	return reply, nil, err
}

// readNow returns the reply if there is unread output or the child has ended. Otherwise it
// returns nil.
func (g *goal) readNow() *Reply {
	s := g.s
	s.mu.Lock()
	defer s.mu.Unlock()
	v := g.returnedLocked("there was unread output")
	if s.end.status == StatusRunning && !g.Unread(v.Reason) {
		return nil
	}
	return g.replyLocked(v)
}

// history returns lines of the kept history.
func (g *goal) history(o ReadOptions) (*Reply, []SearchHit, error) {
	s := g.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if end := s.state.Term.EndLine(); o.FromLine != nil && *o.FromLine > end {
		return nil, nil, fmt.Errorf("%w: from_line is %d, but session %s has lines %d to %d", ErrArgument, *o.FromLine, s.id, s.state.Term.FirstLine(), end-1)
	}
	reply := g.historyReplyLocked()
	reply.HasOutput = true
	from := s.sourceLocked()
	if o.FromLine != nil {
		first := s.state.Term.FirstLine()
		if *o.FromLine < first {
			reply.Notes = append(reply.Notes, fmt.Sprintf("lines before %d are no longer kept (%s)", first, from.KeptLines))
		}
		lines := s.state.Output(max(*o.FromLine, first), reply.Reason)
		if n := g.MaxLines; n > 0 && len(lines) > n {
			lines = lines[:n]
			reply.HasMore = true
		}
		from.AddPage(lines, g.Wait, reply)
		return reply, nil, nil
	}
	lines := s.state.Output(s.state.Term.FirstLine(), reply.Reason)
	if len(lines) > o.Tail {
		lines = lines[len(lines)-o.Tail:]
	}
	s.state.MoveToEnd(g.Reader)
	from.AddLines(lines, g.Wait, reply)
	return reply, nil, nil
}

// returnedLocked returns the verdict on a call that does not wait.
func (g *goal) returnedLocked(why ...string) detect.Verdict {
	if v := g.verdictLocked(time.Now()); v.Done {
		return v
	}
	return detect.Requested(detect.Returned, why...)
}

// viewNone is the View of a reply without output and screen.
const viewNone View = "none"

// historyReplyLocked returns a reply without output. It does not move the reader past any output, but
// records that the reader has seen the title, directory, foreground program and events.
func (g *goal) historyReplyLocked() *Reply {
	reader := *g.Reader
	h := *g
	h.Reader = &reader
	h.View = viewNone
	reply := h.replyLocked(g.returnedLocked())
	g.Reader.Title, g.Reader.Cwd, g.Reader.Foreground, g.Reader.Event = reader.Title, reader.Cwd, reader.Foreground, reader.Event
	return reply
}

// search returns the lines of the history that match o.Search, with their context. It copies the lines under the lock
// and searches them without the lock, because a search may take minutes. If the search takes longer than
// the call's timeout, search returns an error.
func (g *goal) search(ctx context.Context, o ReadOptions) (*Reply, []SearchHit, error) {
	s := g.s
	s.mu.Lock()
	reply := g.historyReplyLocked()
	lines := s.state.Lines(s.state.Term.FirstLine(), s.state.Term.EndLine()).Shown
	limit := s.sourceLocked().Limit(g.Wait)
	s.mu.Unlock()
	within, cancel := context.WithDeadline(ctx, g.Start.Add(g.Timeout))
	defer cancel()
	hits, searched := text.Search(within, o.Search, lines)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case searched < len(lines):
		return nil, nil, fmt.Errorf("%w: the search took longer than timeout=%gs and had reached line %d (of lines %d to %d); search for something simpler, or give it more time",
			ErrArgument, g.Timeout.Seconds(), lines[searched].Number, lines[0].Number, lines[len(lines)-1].Number)
	}
	var found []SearchHit
	found, reply.HasMore = text.Around(lines, hits, o.Tail, o.Context, limit)
	return reply, found, nil
}
