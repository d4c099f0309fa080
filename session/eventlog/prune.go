package eventlog

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"time"
)

// Limits bounds the logs that Prune keeps. A field that is 0 or negative means the default.
type Limits struct {
	MaxAge   time.Duration // since the last write; default DefaultKeepAge
	MaxBytes int64         // of all logs together; default DefaultKeepBytes
}

// The defaults of Limits.
const (
	DefaultKeepAge   = 7 * 24 * time.Hour
	DefaultKeepBytes = 1 << 30
)

// A pastLog is a log that Prune may remove.
type pastLog struct {
	dir  *Dir
	id   string
	size int64
	last time.Time // of the last write
}

// Prune removes logs from dirs, which the caller has open. It removes the logs older than l.MaxAge,
// and those that do not fit into l.MaxBytes in addition to the newer logs that it keeps. Older logs
// that are smaller may still fit. Prune removes and closes the directories in which it has kept no
// logs, except those with KeepSessions, and returns the others.
func Prune(dirs []*Dir, l Limits, now time.Time) (kept []*Dir, err error) {
	l.MaxAge = cmp.Or(max(l.MaxAge, 0), DefaultKeepAge)
	l.MaxBytes = cmp.Or(max(l.MaxBytes, 0), DefaultKeepBytes)
	var pastLogs []pastLog
	for _, d := range dirs {
		logs, derr := d.logs()
		pastLogs, err = append(pastLogs, logs...), errors.Join(err, derr)
	}
	sort.Slice(pastLogs, func(i, j int) bool { return pastLogs[i].last.After(pastLogs[j].last) }) // newest first
	keptLogs := map[*Dir]int{}
	var total int64
	for _, p := range pastLogs {
		if now.Sub(p.last) <= l.MaxAge && total+p.size <= l.MaxBytes {
			keptLogs[p.dir]++
			total += p.size
			continue
		}
		err = errors.Join(err, p.dir.RemoveSession(p.id))
	}
	for _, d := range dirs {
		if keptLogs[d] > 0 || d.keepIDs != nil {
			kept = append(kept, d)
			continue
		}
		// Close comes last, because it releases the lock that keeps other servers out.
		err = errors.Join(err, os.RemoveAll(d.path), d.Close())
	}
	return kept, err
}

// logs returns the directory's logs that KeepSessions does not protect, with their sizes.
func (d *Dir) logs() ([]pastLog, error) {
	sessions, err := d.Sessions()
	var out []pastLog
	for id := range sessions {
		if d.keepIDs[id] {
			continue
		}
		p := pastLog{dir: d, id: id}
		werr := filepath.WalkDir(d.SessionPath(id), func(_ string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil || !info.Mode().IsRegular() {
				return err
			}
			p.size += info.Size()
			if info.ModTime().After(p.last) {
				p.last = info.ModTime()
			}
			return nil
		})
		out, err = append(out, p), errors.Join(err, werr)
	}
	return out, err
}
