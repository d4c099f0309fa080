package archive

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/session/eventlog"
)

// A Copy gathers the pieces of one recording, and makes a log of them. The zero value has
// none. It is not safe for concurrent use.
type Copy struct {
	files map[string][]fleet.Piece
	size  int
	end   int64 // of the log, 0 where that has not ended
}

// maxCopy bounds what a Copy takes: more than a log of the usual size has.
const maxCopy = 512 << 20

// Add takes a piece.
func (c *Copy) Add(p fleet.Piece) error {
	if c.files == nil {
		c.files = map[string][]fleet.Piece{}
	}
	if p.File == endFile {
		c.end = max(c.end, p.Offset)
		return nil
	}
	if c.size += len(p.Data); c.size > maxCopy {
		return fmt.Errorf("the recording %s of node %s has more than %d MB", p.Name, p.Node, maxCopy>>20)
	}
	c.files[p.File] = append(c.files[p.File], p)
	return nil
}

// whole returns a file that does not grow, nil where a part of it is missing.
func (c *Copy) whole(file string) []byte {
	var data []byte
	pieces := sorted(c.files[file])
	for _, p := range pieces {
		if p.About != pieces[0].About || p.Offset != int64(len(data)) {
			return nil
		}
		data = append(data, p.Data...)
	}
	if len(pieces) == 0 || pieces[0].About != strconv.Itoa(len(data)) {
		return nil
	}
	return data
}

// sorted returns pieces by their places; of two in one place the larger is first.
func sorted(pieces []fleet.Piece) []fleet.Piece {
	return slices.SortedFunc(slices.Values(pieces), func(a, b fleet.Piece) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(len(b.Data), len(a.Data)))
	})
}

// Meta returns the log's metadata, as far as they are known.
func (c *Copy) Meta() eventlog.Meta { return readMeta(c.whole(metaFile)) }

// readMeta reads metadata.
func readMeta(data []byte) (m eventlog.Meta) {
	if json.Unmarshal(data, &m) != nil {
		return eventlog.Meta{}
	}
	return m
}

// Write writes the log to st, which must be empty, with metadata that say what m does. The
// error is eventlog.ErrNoLog where nothing of it is there.
func (c *Copy) Write(st eventlog.Store, m eventlog.Meta) error {
	var offsets []int64
	for file := range c.files {
		if offset, err := strconv.ParseInt(file, 10, 64); err == nil && offset >= 0 {
			offsets = append(offsets, offset)
		}
	}
	slices.Sort(offsets)
	if len(offsets) == 0 {
		return eventlog.ErrNoLog
	}
	for i, offset := range offsets {
		limit := int64(-1)
		if i+1 < len(offsets) {
			limit = offsets[i+1] - offset
		}
		if err := c.writeSegment(st, offset, limit); err != nil {
			return err
		}
	}
	return eventlog.SaveMeta(st, m)
}

// writeSegment writes a segment, of which no more than limit bytes count, unless that is
// negative. Behind what is missing another one begins.
func (c *Copy) writeSegment(st eventlog.Store, offset, limit int64) error {
	var at int64 // in the segment
	var name int64
	var data []byte
	flush := func() error {
		if len(data) == 0 {
			return nil
		}
		state := c.whole(segmentFile(offset) + stateSuffix)
		if name == offset && state != nil {
			if err := st.Put(eventlog.StateName(name), state); err != nil {
				return err
			}
		}
		return st.Put(eventlog.SegmentName(name), data)
	}
	for _, p := range sorted(c.files[segmentFile(offset)]) {
		end := p.Offset + int64(len(p.Data))
		switch {
		case limit >= 0 && p.Offset >= limit, end <= at && at > 0:
			continue
		case p.Offset > at || p.Offset == 0:
			// Offsets in the log stay what they were.
			head := p.About
			if head != "" {
				head += "\n"
			}
			if (head == "") != (p.Offset == 0) || int64(len(head)) > p.Offset-at {
				continue // it is not one of ours
			}
			if err := flush(); err != nil {
				return err
			}
			name, data = offset+p.Offset-int64(len(head)), append([]byte(head), p.Data...)
		default:
			data = append(data, p.Data[at-p.Offset:]...)
		}
		at = end
	}
	return flush()
}

// gaps says what is missing in the copy, "" for nothing that is known.
func (c *Copy) gaps(l *eventlog.Log) string {
	var parts []string
	if first := l.Segments[0].Offset; first > 0 {
		parts = append(parts, fmt.Sprintf("its first %d bytes", first))
	}
	if d := l.Damage(); d.Bytes > 0 {
		parts = append(parts, fmt.Sprintf("%d bytes in the middle", d.Bytes))
	}
	last := l.Segments[len(l.Segments)-1]
	if short := c.end - last.Offset - last.Size; c.end > 0 && short > 0 {
		parts = append(parts, fmt.Sprintf("its last %d bytes", short))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + " are missing"
}
