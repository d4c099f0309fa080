package eventlog

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"hash/crc32"
	"time"
)

// checkpointFormat is the version of a checkpoint's format, not of its parts.
const checkpointFormat = 2

// A Checkpoint is the state of a session at an offset in its log.
type Checkpoint struct {
	Offset int64         // log offset of the next event
	At     time.Duration // time of the last event before it, since the session began
	Parts  [][]byte      // the state, encoded by the session
}

// checkpointFile is the content of a checkpoint's file, as gob. After it comes a CRC-32
// (Castagnoli) of all preceding bytes.
type checkpointFile struct {
	Format int
	Began  int64 // start of the session, Unix microseconds
	Checkpoint
}

// SaveCheckpoint replaces the checkpoint of a log. Call Flush first, so that the events
// before c.Offset are on disk.
func SaveCheckpoint(st Store, c Checkpoint) error {
	l, err := Open(st)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(checkpointFile{checkpointFormat, l.Segments[0].Start.UnixMicro(), c}); err != nil {
		return err
	}
	return st.Put(checkpointName, binary.BigEndian.AppendUint32(b.Bytes(), crc32.Checksum(b.Bytes(), castagnoli())))
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
	var c checkpointFile
	if err := gob.NewDecoder(bytes.NewReader(b[:n])).Decode(&c); err != nil || c.Format != checkpointFormat {
		return nil, fmt.Errorf("%w: %s: format %d", ErrNoLog, checkpointName, c.Format)
	}
	if began := l.Segments[0].Start.UnixMicro(); c.Began != began || c.Offset < l.First() {
		return nil, fmt.Errorf("%w: %s: offset %d of a session that began at %d; this one did at %d, and is kept from %d on", ErrNoLog, checkpointName, c.Offset, c.Began, began, l.First())
	}
	if err := l.reaches(c.Offset); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrNoLog, checkpointName, err)
	}
	return &c.Checkpoint, nil
}
