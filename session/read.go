package session

import (
	"context"
	"fmt"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
)

const (
	// DefaultContext is how many lines around a hit are given when the caller
	// asks for a search and does not say; the caller applies it.
	DefaultContext = 2
	// MaxContext is the most lines around a hit.
	MaxContext = 20
	// maxHits bounds the hits of one search.
	maxHits = 200
)

// Read returns unread output at once, and waits for some as w says where there
// is none. Tail, FromLine and Search read the kept history instead and do not
// wait. See read_output in the tool contract.
func (s *Session) Read(ctx context.Context, o ReadOptions, w Wait, progress func(elapsed time.Duration, note string)) (*Reply, []SearchHit, error) {
	if err := checkRead(o); err != nil {
		return nil, nil, err
	}
	explicit := w.Until != "" || w.Pattern != nil
	g, err := s.newGoal(ctx, w)
	if err != nil {
		return nil, nil, err
	}
	if o.Tail > 0 || o.FromLine != nil || o.Search != nil {
		return s.history(g, o)
	}
	if !explicit {
		if reply := s.readNow(g); reply != nil {
			return reply, nil, nil
		}
		g.fresh = true
	}
	reply, err := s.await(ctx, g, progress)
	return reply, nil, err
}

// checkRead reports options that contradict each other or their range.
func checkRead(o ReadOptions) error {
	n := 0
	for _, given := range []bool{o.Tail != 0, o.FromLine != nil, o.Search != nil} {
		if given {
			n++
		}
	}
	switch {
	case n > 1:
		return fmt.Errorf("%w: tail, from_line and search exclude each other; give one", ErrArgument)
	case o.Tail < 0:
		return fmt.Errorf("%w: tail is %d; it cannot be negative", ErrArgument, o.Tail)
	case o.FromLine != nil && *o.FromLine < 0:
		return fmt.Errorf("%w: from_line is %d; lines count from 0", ErrArgument, *o.FromLine)
	case o.Context < 0 || o.Context > MaxContext:
		return fmt.Errorf("%w: context is %d; allowed are 0 to %d", ErrArgument, o.Context, MaxContext)
	}
	return nil
}

// readNow returns the reply when there is something unread, or the child has
// ended; nil otherwise.
func (s *Session) readNow(g *goal) *Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.verdictLocked(g, time.Now())
	if !v.Done {
		v = detect.Verdict{Done: true, Reason: detect.Returned, Layer: detect.LayerRequest, Why: []string{"there was unread output"}}
	}
	if s.status == StatusRunning && !s.unreadLocked(g.reader, v.Reason) {
		return nil
	}
	return s.replyLocked(g, v)
}

// history answers from the kept history.
func (s *Session) history(g *goal, o ReadOptions) (*Reply, []SearchHit, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if end := s.term.EndLine(); o.FromLine != nil && *o.FromLine > end {
		return nil, nil, fmt.Errorf("%w: from_line is %d, but session %s has lines %d to %d", ErrArgument, *o.FromLine, s.id, s.term.FirstLine(), end-1)
	}
	v := s.verdictLocked(g, time.Now())
	if !v.Done {
		v = detect.Verdict{Done: true, Reason: detect.Returned, Layer: detect.LayerRequest}
	}
	if o.Search != nil {
		reply := s.historyReplyLocked(g, v)
		var hits []SearchHit
		hits, reply.HasMore = s.searchLocked(o.Search, o.Context, g.wait.limit())
		return reply, hits, nil
	}
	reply := s.historyReplyLocked(g, v)
	reply.HasOutput = true
	if o.FromLine != nil {
		first := s.term.FirstLine()
		if *o.FromLine < first {
			reply.Notes = append(reply.Notes, fmt.Sprintf("lines before %d are no longer kept (%s)", first, s.scrollbackLimit()))
		}
		lines := s.outputLocked(max(*o.FromLine, first), "", 0, v.Reason)
		if n := g.wait.MaxLines; n > 0 && len(lines) > n {
			lines = lines[:n]
			reply.HasMore = true
		}
		s.renderLines(lines, g.wait, reply)
		return reply, nil, nil
	}
	lines := s.outputLocked(s.term.FirstLine(), "", 0, v.Reason)
	if len(lines) > o.Tail {
		lines = lines[len(lines)-o.Tail:]
	}
	s.moveToEndLocked(g.reader)
	s.renderLines(lines, g.wait, reply)
	return reply, nil, nil
}

// historyReplyLocked returns a reply without output that moves no cursor.
func (s *Session) historyReplyLocked(g *goal, v detect.Verdict) *Reply {
	elsewhere := *g.reader
	h := *g
	h.reader = &elsewhere
	h.wait.View = ViewScreen
	reply := s.replyLocked(&h, v)
	reply.Screen = nil
	g.reader.title, g.reader.cwd, g.reader.foreground, g.reader.event = elsewhere.title, elsewhere.cwd, elsewhere.foreground, elsewhere.event
	return reply
}

// searchLocked returns the lines of the whole history that match, with those
// around them; hits whose surroundings touch are given together. more says that
// there are further ones: beyond maxHits, or beyond limit characters.
func (s *Session) searchLocked(pattern *regexp.Regexp, around, limit int) (found []SearchHit, more bool) {
	lines := s.linesLocked(s.term.FirstLine(), s.term.EndLine()).shown
	end := 0 // lines before it have been given
	hits := 0
	for i, l := range lines {
		if !pattern.MatchString(l.Text) {
			continue
		}
		from, to := max(i-around, 0), min(i+around+1, len(lines))
		joins := len(found) > 0 && from <= end
		if joins {
			from = end
		}
		text, size := texts(lines[from:max(from, to)], limit)
		hits++
		limit -= size
		if hits > maxHits || limit < 0 && hits > 1 {
			return found, true
		}
		if joins {
			last := &found[len(found)-1]
			last.Text = append(last.Text, text...)
			last.Hits = append(last.Hits, l.Number)
		} else {
			found = append(found, SearchHit{Line: lines[from].Number, Hits: []int64{l.Number}, Text: text})
		}
		end = max(end, to)
	}
	return found, false
}

// texts returns the text of each line, cut where it has more than limit
// characters, and how many these are together.
func texts(lines []emulator.Line, limit int) (out []string, size int) {
	limit = max(limit, 0)
	for _, l := range lines {
		text := l.Text
		if n := utf8.RuneCountInString(text); n > limit {
			text = string([]rune(text)[:limit]) + "…"
		}
		size += utf8.RuneCountInString(text) + 1
		out = append(out, text)
	}
	return out, size
}
