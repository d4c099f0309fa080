package eventlog

import (
	"bytes"
	"slices"
)

// Offsets returns the log offsets of the segments, oldest first, and which of them have a
// saved state.
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

// A Position is an offset in a segment, with a summary of the lines before the offset. The zero
// value is the beginning of a segment. A Position is not safe for concurrent use.
type Position struct {
	Offset int64 // offset in the segment's file; a line begins there

	head   header  // the segment's header, with the terminal's size at Offset
	output int64   // bytes of output in the lines before Offset
	dec    Decoder // decodes the next line; its time is that of the last event
}

// Advance moves the position past lines, which must be complete and follow the position in the
// segment. It returns an error only if the first line of the segment is not a header.
func (p *Position) Advance(lines []byte) error {
	for line := range bytes.Lines(lines) {
		first := p.Offset == 0
		p.Offset += int64(len(line))
		line = bytes.TrimSuffix(line, []byte{'\n'})
		if first {
			var err error
			if p.head, err = parseHeader(line); err != nil {
				return err
			}
			continue
		}
		e, ok, _ := p.dec.Decode(line)
		switch {
		case ok && e.Kind == Resize:
			p.head.Term.Rows, p.head.Term.Cols = e.Rows, e.Cols
		case ok && e.Kind == Output:
			p.output += int64(len(e.Data))
		}
	}
	return nil
}

// Header returns a header, without its line feed, for a copy of the segment that lacks the lines
// before the position. The copy's log offset is the segment's plus p.Offset, minus the length of
// the new first line.
func (p *Position) Header() string {
	h := p.head
	h.Command = "" // it may be long
	h.Extension.Time += p.dec.at.Seconds()
	h.Extension.Output += p.output
	h.Extension.Offset += p.Offset
	h.Extension.Lost = 0
	line := h.line()
	return string(line[:len(line)-1])
}
