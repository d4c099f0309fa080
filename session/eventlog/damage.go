package eventlog

import "fmt"

// Damage counts the unreadable parts of a log.
type Damage struct {
	Records int   // lines that cannot be read
	Bytes   int64 // bytes missing between segments, or in segments whose header cannot be read
}

// String describes the damage. It returns "" if there is none.
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

// countUnreadable counts the unreadable line at a log offset. The log may be read several times, so
// it does not count a line again if that line or a later one was counted.
func (l *Log) countUnreadable(at int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at >= l.counted {
		l.damage.Records++
		l.counted = at + 1
	}
}

// Damage counts the unreadable lines that were read before the call, and the missing bytes. It
// counts an incomplete last line of the newest segment only if Ended is true.
func (l *Log) Damage() Damage {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.damage
}
