package eventlog

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Offsets returns the log offsets of the segments, oldest first, and which of them have a
// state.
func Offsets(st Store) (segments []int64, states map[int64]bool, err error) {
	names, err := st.Names()
	states = map[int64]bool{}
	for _, name := range names {
		if offset, ok := segmentOffset(name); ok {
			segments = append(segments, offset)
			states[offset] = slices.Contains(names, StateName(offset))
		}
	}
	slices.Sort(segments)
	return segments, states, err
}

// A Position is a place in a segment, with a summary of the lines before it. The zero
// value is a segment's beginning. It is not safe for concurrent use.
type Position struct {
	Offset int64 // in the segment's file, where a line begins

	head   header
	output int64
	dec    Decoder
}

// Pass moves the position behind lines, which follow it. The first line of a segment is
// its header.
func (p *Position) Pass(lines []byte) error {
	for line := range bytes.Lines(lines) {
		first := p.Offset == 0
		p.Offset += int64(len(line))
		line = bytes.TrimSuffix(line, []byte{'\n'})
		if first {
			if _, err := parseHeader(line); err != nil {
				return err
			}
			if err := json.Unmarshal(line, &p.head); err != nil {
				return err
			}
			continue
		}
		e, ok, _ := p.dec.Event(line)
		switch {
		case ok && e.Kind == Resize:
			p.head.Term.Rows, p.head.Term.Cols = e.Rows, e.Cols
		case ok && e.Kind == Output:
			p.output += int64(len(e.Data))
		}
	}
	return nil
}

// Header returns a header for the rest of the segment, for a copy without the lines before
// the position. The copy's log offset is that of the segment plus the position's, less the
// length of the new header.
func (p *Position) Header() string {
	h := p.head
	h.Command = "" // it may be long
	h.Own.Time += p.dec.at.Seconds()
	h.Own.Output += p.output
	h.Own.Offset += p.Offset
	h.Own.Cause, h.Own.Lost = CauseRetry, 0
	line := h.line()
	return string(line[:len(line)-1])
}
