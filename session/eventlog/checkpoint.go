package eventlog

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"time"
)

// checkpointFormat is the version of a checkpoint's format, not of its parts.
const checkpointFormat = 1

// A Checkpoint is the state of a session at an offset in its log.
type Checkpoint struct {
	Offset int64         // log offset of the next event
	At     time.Duration // time of the last event before it, since the session began
	Parts  [][]byte      // the state, encoded by the session
}

// checkpointHeader is a checkpoint's first line. After it come the parts, and then a CRC-32
// (Castagnoli) of all preceding bytes.
type checkpointHeader struct {
	Format int           `json:"format"`
	Began  int64         `json:"began"` // start of the session, Unix microseconds
	Offset int64         `json:"offset"`
	At     time.Duration `json:"at"` // nanoseconds
	Sizes  []int         `json:"sizes"`
}

// SaveCheckpoint replaces the checkpoint of a log. Call Flush first, so that the events
// before c.Offset are on disk.
func SaveCheckpoint(st Store, c Checkpoint) error {
	l, err := Open(st)
	if err != nil {
		return err
	}
	h := checkpointHeader{Format: checkpointFormat, Began: l.Segments[0].Start.UnixMicro(), Offset: c.Offset, At: c.At}
	size := 0
	for _, p := range c.Parts {
		h.Sizes = append(h.Sizes, len(p))
		size += len(p)
	}
	line, err := json.Marshal(h)
	if err != nil {
		return err
	}
	b := make([]byte, 0, len(line)+1+size+crc32.Size)
	b = append(append(b, line...), '\n')
	for _, p := range c.Parts {
		b = append(b, p...)
	}
	return st.Put(checkpointName, binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli())))
}

// castagnoli returns the table of the CRC for which processors have an instruction.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// Checkpoint returns the checkpoint of the log. The error wraps ErrNoLog if there is no
// usable one.
func (l *Log) Checkpoint() (*Checkpoint, error) {
	b, err := load(l.st, checkpointName, MaxState)
	if err != nil {
		return nil, err
	}
	n := len(b) - crc32.Size
	if n < 0 || binary.BigEndian.Uint32(b[n:]) != crc32.Checksum(b[:n], castagnoli()) {
		return nil, fmt.Errorf("%w: %s: %d bytes that are damaged", ErrNoLog, checkpointName, len(b))
	}
	line, rest, _ := bytes.Cut(b[:n], []byte{'\n'})
	var h checkpointHeader
	if err := json.Unmarshal(line, &h); err != nil || h.Format != checkpointFormat {
		return nil, fmt.Errorf("%w: %s: format %d", ErrNoLog, checkpointName, h.Format)
	}
	if began := l.Segments[0].Start.UnixMicro(); h.Began != began || h.Offset < l.First() {
		return nil, fmt.Errorf("%w: %s: offset %d of a session that began at %d; this one did at %d, and is kept from %d on", ErrNoLog, checkpointName, h.Offset, h.Began, began, l.First())
	}
	if err := l.reaches(h.Offset); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrNoLog, checkpointName, err)
	}
	c := &Checkpoint{Offset: h.Offset, At: h.At}
	for _, size := range h.Sizes {
		if size < 0 || size > len(rest) {
			return nil, fmt.Errorf("%w: %s: its parts do not fit together", ErrNoLog, checkpointName)
		}
		c.Parts = append(c.Parts, rest[:size:size])
		rest = rest[size:]
	}
	return c, nil
}
