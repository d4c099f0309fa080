package replay

import (
	"bytes"
	"errors"
	"iter"

	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/mask"
)

// Hide has the recordings that r writes hide secrets; nil hides nothing. It is
// called before r is used.
func (r *Replay) Hide(m *mask.Mask) { r.mask = m }

// Hide returns the tape with its secrets hidden; nil hides nothing.
func (t *Tape) Hide(m *mask.Mask) *Tape {
	if m == nil {
		return t
	}
	out := *t
	out.Title, out.events, out.mask = m.Text(t.Title), hideEvents(m, t.events), m
	return &out
}

// hideEvents returns events with their secrets hidden; with a nil m as they are.
func hideEvents(m *mask.Mask, events iter.Seq2[eventlog.Event, error]) iter.Seq2[eventlog.Event, error] {
	if m == nil {
		return events
	}
	return func(yield func(eventlog.Event, error) bool) {
		stop := errors.New("no more events are wanted")
		h := &hider{mask: m, next: func(e *eventlog.Event) error {
			if !yield(*e, nil) {
				return stop
			}
			return nil
		}}
		for e, err := range events {
			if err != nil {
				yield(e, err)
				return
			}
			if h.event(&e) != nil {
				return
			}
		}
		// The caller wants no more events, so it does not matter that some are left.
		_ = h.end()
	}
}

const (
	// hideBytes is how much output is looked at together.
	hideBytes = 1 << 20
	// hideContext is how much of the output before is looked at with it.
	hideContext = 16 << 10
)

// A hider passes events on with the secrets in them hidden, some of them late: the
// output of many events is read as one text.
type hider struct {
	mask   *mask.Mask
	next   func(*eventlog.Event) error
	events []eventlog.Event
	size   int    // bytes of output in events
	before []byte // output that was passed on
}

// event takes one event.
func (h *hider) event(e *eventlog.Event) error {
	if h.mask == nil {
		return h.next(e)
	}
	own := *e
	own.Data = bytes.Clone(e.Data)
	switch e.Kind {
	case eventlog.Output:
		h.size += len(own.Data)
	case eventlog.Input:
		own.Data, _ = h.mask.Bytes(own.Data, 0, false)
	case eventlog.Marker:
		own.Data = []byte(h.mask.Text(string(own.Data)))
	}
	h.events = append(h.events, own)
	if h.size < hideBytes && len(h.events) < hideBytes/16 {
		return nil
	}
	return h.pass(true)
}

// end passes on what is left.
func (h *hider) end() error {
	if h.mask == nil {
		return nil
	}
	return h.pass(false)
}

// pass passes events on. With more, those stay whose output may become a secret, and
// which otherwise are hidden.
func (h *hider) pass(more bool) error {
	given := len(h.before)
	p := bytes.Clone(h.before)
	for _, e := range h.events {
		if e.Kind == eventlog.Output {
			p = append(p, e.Data...)
		}
	}
	// At the end it may go on too: of a session that runs, more is to come.
	out, held := h.mask.Bytes(p, given, true)
	if more && held < len(out) {
		out = out[:len(out)-held]
	}
	p = p[:given+len(out)]
	h.before = bytes.Clone(p[max(0, len(p)-hideContext):])
	for i := range h.events {
		e := &h.events[i]
		if e.Kind != eventlog.Output {
			if err := h.next(e); err != nil {
				return err
			}
			continue
		}
		rest := e.Data[min(len(out), len(e.Data)):]
		e.Data, out = out[:len(e.Data)-len(rest)], out[len(e.Data)-len(rest):]
		if len(e.Data) > 0 {
			if err := h.next(e); err != nil {
				return err
			}
		}
		if len(rest) > 0 {
			h.events = h.events[i:]
			h.events[0].Data = rest
			h.size = 0
			for _, left := range h.events {
				if left.Kind == eventlog.Output {
					h.size += len(left.Data)
				}
			}
			return nil
		}
	}
	h.events, h.size = nil, 0
	return nil
}
