package replay

import (
	"bytes"
	"iter"

	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/mask"
)

// Hide returns the tape with its secrets hidden. If m is nil, it returns t.
func (t *Tape) Hide(m *mask.Mask) *Tape {
	if m == nil {
		return t
	}
	out := *t
	out.Title, out.Events, out.mask = m.Text(t.Title), hideEvents(m, t.Events), m
	return &out
}

// hideEvents returns events with their secrets hidden, or unchanged if m is nil.
func hideEvents(m *mask.Mask, events iter.Seq2[eventlog.Event, error]) iter.Seq2[eventlog.Event, error] {
	if m == nil {
		return events
	}
	return func(yield func(eventlog.Event, error) bool) {
		h := &hider{mask: m, yield: yield}
		for e, err := range events {
			if err != nil {
				yield(e, err)
				return
			}
			if !h.event(e) {
				return
			}
		}
		h.pass(false)
	}
}

const (
	// hideBytes is the amount of output that is searched at a time.
	hideBytes = 1 << 20
	// hideContext is the amount of previous output that is searched together with it.
	hideContext = 16 << 10
)

// A hider passes on events with their secrets hidden. It may delay events, because it
// searches the output of many events as one text.
type hider struct {
	mask   *mask.Mask
	yield  func(eventlog.Event, error) bool
	events []eventlog.Event // not yet passed on
	size   int              // bytes of output in events
	before []byte           // the end of the output passed on, with its secrets
}

// event takes one event, and reports whether the consumer wants more.
func (h *hider) event(e eventlog.Event) bool {
	e.Data = bytes.Clone(e.Data)
	switch e.Kind {
	case eventlog.Output:
		h.size += len(e.Data)
	case eventlog.Input:
		e.Data, _ = h.mask.Bytes(e.Data, 0, false)
	case eventlog.Marker:
		e.Data = []byte(h.mask.Text(string(e.Data)))
	}
	h.events = append(h.events, e)
	if h.size < hideBytes && len(h.events) < hideBytes/16 {
		return true
	}
	return h.pass(true)
}

// pass passes on events, and reports whether the consumer wants more. If more events
// follow, it retains output that may be the beginning of a secret; at the end it hides such output.
func (h *hider) pass(more bool) bool {
	given := len(h.before)
	p := bytes.Clone(h.before)
	for _, e := range h.events {
		if e.Kind == eventlog.Output {
			p = append(p, e.Data...)
		}
	}
	// Even at the end more output may follow, if the session is running.
	out, held := h.mask.Bytes(p, given, true)
	if more && held < len(out) {
		out = out[:len(out)-held]
	}
	h.size -= len(out)
	p = p[:given+len(out)]
	h.before = bytes.Clone(p[max(0, len(p)-hideContext):])
	events := h.events
	h.events = nil
	for i, e := range events {
		if e.Kind != eventlog.Output {
			if !h.yield(e, nil) {
				return false
			}
			continue
		}
		n := min(len(out), len(e.Data))
		rest := e.Data[n:]
		e.Data, out = out[:n], out[n:]
		if n > 0 && !h.yield(e, nil) {
			return false
		}
		if len(rest) > 0 {
			h.events = events[i:]
			h.events[0].Data = rest
			return true
		}
	}
	return true
}
