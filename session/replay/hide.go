package replay

import (
	"bytes"
	"iter"

	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/mask"
)

// Hide returns a copy of the recording with its secrets hidden. If m is nil, it returns t itself.
func (t *Recording) Hide(m *mask.Mask) *Recording {
	if m == nil {
		return t
	}
	out := *t
	out.Title, out.head.Command, out.head.Title = m.Text(t.Title), m.Text(t.head.Command), m.Text(t.head.Title)
	out.Events, out.cast = hideEvents(m, t.Events), hideEvents(m, t.cast)
	return &out
}

// hideEvents returns events with their secrets hidden.
func hideEvents(m *mask.Mask, events iter.Seq2[eventlog.Event, error]) iter.Seq2[eventlog.Event, error] {
	return func(yield func(eventlog.Event, error) bool) {
		h := &hider{mask: m, yield: yield, yielded: map[eventlog.Kind][]byte{}}
		for e, err := range events {
			if err != nil {
				yield(e, err)
				return
			}
			if !h.add(e) {
				return
			}
		}
		h.emit(false)
	}
}

const (
	// hideBytes is the number of bytes of output that are collected and then searched together.
	hideBytes = 1 << 20
	// hideContext is the minimum number of bytes of earlier output or input that are searched again
	// together with the next ones, because a secret may lie across both.
	hideContext = 16 << 10
)

// A hider yields events with their secrets hidden. It delays events: it searches the output of many
// events as one text, and their input as another.
type hider struct {
	mask    *mask.Mask
	yield   func(eventlog.Event, error) bool
	events  []eventlog.Event         // not yielded yet
	size    int                      // bytes of output in events
	yielded map[eventlog.Kind][]byte // by kind, the end of what was yielded, before its secrets were hidden
}

// add adds an event, and reports whether the consumer wants more.
func (h *hider) add(e eventlog.Event) bool {
	e.Data = bytes.Clone(e.Data)
	switch e.Kind {
	case eventlog.Output:
		h.size += len(e.Data)
	case eventlog.Marker:
		e.Data = []byte(h.mask.Text(string(e.Data)))
	}
	h.events = append(h.events, e)
	if h.size < hideBytes && len(h.events) < hideBytes/16 {
		return true
	}
	return h.emit(true)
}

// emit yields events, and reports whether the consumer wants more. If more is true, other events will follow, and
// emit retains output that may be the beginning of a secret. If more is false, emit hides such output.
func (h *hider) emit(more bool) bool {
	hidden := map[eventlog.Kind][]byte{}
	hidden[eventlog.Input], _ = h.hidden(eventlog.Input)
	out, begun := h.hidden(eventlog.Output)
	if more && begun < len(out) {
		out = out[:len(out)-begun]
	}
	hidden[eventlog.Output] = out
	h.size -= len(out)
	events := h.events
	h.events = nil
	for i, e := range events {
		if e.Kind != eventlog.Output && e.Kind != eventlog.Input {
			if !h.yield(e, nil) {
				return false
			}
			continue
		}
		n := min(len(hidden[e.Kind]), len(e.Data))
		data, rest := e.Data[:n], e.Data[n:]
		e.Data, hidden[e.Kind] = hidden[e.Kind][:n], hidden[e.Kind][n:]
		h.remember(e.Kind, data)
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

// hidden returns the data of all events of kind k in h.events, with secrets hidden. begun is the
// number of bytes at the end of data that may be the beginning of a secret. At the end of a running
// session's log, they may be one too: the rest of the secret may not have been logged yet.
func (h *hider) hidden(k eventlog.Kind) (data []byte, begun int) {
	p := bytes.Clone(h.yielded[k])
	for _, e := range h.events {
		if e.Kind == k {
			p = append(p, e.Data...)
		}
	}
	return h.mask.Bytes(p, len(h.yielded[k]), true)
}

// remember records data that was yielded, so that it can be searched again together with what follows.
func (h *hider) remember(k eventlog.Kind, data []byte) {
	joined := append(h.yielded[k], data...)
	if len(joined) > 2*hideContext {
		joined = bytes.Clone(joined[len(joined)-hideContext:])
	}
	h.yielded[k] = joined
}
