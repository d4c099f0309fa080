package eventlog

import (
	"fmt"
	"sync"
)

// Damage counts the parts of a log that could not be read.
type Damage struct {
	Records int   // lines that are not events
	Bytes   int64 // of segments that are missing or were cut
}

// String describes the damage, "" for none.
func (d Damage) String() string {
	records, bytes := "", ""
	switch {
	case d.Records == 1:
		records = "1 record of the log cannot be read"
	case d.Records > 1:
		records = fmt.Sprintf("%d records of the log cannot be read", d.Records)
	}
	if d.Bytes > 0 {
		bytes = fmt.Sprintf("%d bytes of the log are missing", d.Bytes)
	}
	if records != "" && bytes != "" {
		records += ", and "
	}
	return records + bytes
}

// damages counts damage while a log is read, each record once. It is safe for concurrent
// use.
type damages struct {
	mu    sync.Mutex // guards what follows
	found Damage
	seen  int64 // records before this log offset were counted
}

// record counts the unreadable line at a log offset.
func (d *damages) record(at int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at >= d.seen {
		d.found.Records++
		d.seen = at + 1
	}
}

// Damage returns the damage in the part that was read so far, and the missing segments. A
// last line without its end counts if the log has Ended.
func (l *Log) Damage() Damage {
	l.damage.mu.Lock()
	defer l.damage.mu.Unlock()
	return l.damage.found
}
