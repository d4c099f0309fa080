package archive

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/session/eventlog"
)

// A Copy collects the pieces of one recording and writes them as a log. The zero value has no
// pieces. A Copy is not safe for concurrent use.
type Copy struct {
	files map[string][]fleet.Piece // the pieces of each file
	limit int                      // maximum of size; 0 means maxCopy
	size  int                      // size of all pieces, in bytes
	end   int64                    // log offset of the log's end; 0 if the log has not ended
}

// maxCopy is the default maximum size of a Copy, in bytes. It is well above
// eventlog.DefaultMaxBytes.
const maxCopy = 512 << 20

// Add adds a piece. If the Copy becomes too large, it drops its oldest segments. Add returns an
// error if a Copy of a single segment is too large.
func (c *Copy) Add(p fleet.Piece) error {
	if c.files == nil {
		c.files = map[string][]fleet.Piece{}
	}
	if p.File == endFile {
		c.end = max(c.end, p.Offset)
		return nil
	}
	c.files[p.File] = append(c.files[p.File], p)
	for c.size += len(p.Data); c.size > cmp.Or(c.limit, maxCopy); {
		segments := c.segments()
		if len(segments) < 2 {
			return fmt.Errorf("a segment of the recording %s of node %s has more than %d MB", p.Name, p.Node, maxCopy>>20)
		}
		oldest := segmentFile(segments[0])
		for _, file := range []string{oldest, oldest + stateSuffix} {
			for _, p := range c.files[file] {
				c.size -= len(p.Data)
			}
			delete(c.files, file)
		}
	}
	return nil
}

// segments returns the log offsets of the segments that have pieces, sorted.
func (c *Copy) segments() (offsets []int64) {
	for file := range c.files {
		if offset, err := strconv.ParseInt(file, 10, 64); err == nil && offset >= 0 {
			offsets = append(offsets, offset)
		}
	}
	slices.Sort(offsets)
	return offsets
}

// whole returns the content of a file that does not grow, or nil if a part is missing or versions are mixed.
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

// sorted returns pieces sorted by offset. Of two pieces at the same offset, the larger comes first.
func sorted(pieces []fleet.Piece) []fleet.Piece {
	out := slices.Clone(pieces)
	sort.Slice(out, func(i, j int) bool {
		a, b := &out[i], &out[j]
		return a.Offset < b.Offset || a.Offset == b.Offset && len(a.Data) > len(b.Data)
	})
	return out
}

// Meta returns the log's metadata. It is empty if the metadata is incomplete or invalid.
func (c *Copy) Meta() eventlog.Meta { return readMeta(c.whole(metaFile)) }

// readMeta decodes metadata. The result is empty if data is invalid.
func readMeta(data []byte) (m eventlog.Meta) {
	if json.Unmarshal(data, &m) != nil {
		return eventlog.Meta{}
	}
	return m
}

// Write writes the log, with the metadata m, to st, which must be empty. If there are no segments,
// Write returns eventlog.ErrNoLog.
func (c *Copy) Write(st eventlog.Store, m eventlog.Meta) error {
	offsets := c.segments()
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

// writeSegment writes the segment at a log offset. If limit is not negative, it skips pieces whose
// offset in the segment is at least limit. Where pieces are missing, it begins another segment.
func (c *Copy) writeSegment(st eventlog.Store, offset, limit int64) error {
	var at int64    // end of the last piece, as an offset in the segment
	var begin int64 // log offset of data
	var data []byte // content of the segment that is being written
	flush := func() error {
		if len(data) == 0 {
			return nil
		}
		state := c.whole(segmentFile(offset) + stateSuffix)
		if begin == offset && state != nil {
			if err := st.Put(eventlog.StateName(begin), state); err != nil {
				return err
			}
		}
		return st.Put(eventlog.SegmentName(begin), data)
	}
	for _, p := range sorted(c.files[segmentFile(offset)]) {
		end := p.Offset + int64(len(p.Data))
		switch {
		case limit >= 0 && p.Offset >= limit, end <= at && at > 0:
			continue
		case p.Offset > at || p.Offset == 0:
			// Offsets in the log must not change, so the new segment begins before p, by the length of head.
			head := p.About
			if head != "" {
				head += "\n"
			}
			if (head == "") != (p.Offset == 0) || int64(len(head)) > p.Offset-at {
				continue // no Shipper ships such a piece
			}
			if err := flush(); err != nil {
				return err
			}
			begin, data = offset+p.Offset-int64(len(head)), append([]byte(head), p.Data...)
		default:
			data = append(data, p.Data[at-p.Offset:]...)
		}
		at = end
	}
	return flush()
}

// gaps describes the parts of the recording that are known to be missing from l, the log that was
// written. If there are none, it returns "".
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
