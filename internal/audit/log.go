package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// warnEvery is the minimum time between two errors that Write logs.
const warnEvery = time.Minute

// Options configure a Log. Path is required.
type Options struct {
	Path     string
	Key      []byte       // for HMAC; nil for plain hashes
	Node     string       // name of this server in its fleet, written in each line; "" without a fleet
	Inputs   bool         // write typed text, not only its hash
	Required bool         // Write returns an error if the line cannot be written
	Logger   *slog.Logger // for errors of Write; nil discards them
}

// A Log is an audit log that this process appends to. It is safe for concurrent
// use. A nil Log logs nothing.
type Log struct {
	opt    Options
	path   string
	server string

	written chan struct{} // receives a value when a line was written

	mu   sync.Mutex // guards the fields below
	file *file      // the log; nil if it could not be opened
	head *file      // FILE.head; nil if it must be opened again
	end  link       // the last line of the chain, when this Log last wrote or read the end of the file
	size int64      // size of the file when end was set; -1 if not known

	hide   func(string) string // removes secrets; may be nil
	lost   int64               // number of lines that could not be written, since the last eventLost
	warned time.Time           // when Write last logged an error
}

// Open opens a log. It creates a missing file with mode 0600, but not its directory, so that a
// mistyped path is an error. The error is ErrKey if the hash of the last line is wrong for the key.
func Open(o Options) (*Log, error) {
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	l := &Log{opt: o, path: path, server: fmt.Sprintf("%s/%d", host, os.Getpid()), written: make(chan struct{}, 1)}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("%w; make the directory first, for this user alone", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.lockHead(); err != nil {
		return nil, err
	}
	defer l.unlockHead()
	if err := l.open(); err != nil {
		return nil, errors.Join(err, l.closeLocked())
	}
	if err := l.checkKey(); err != nil {
		return nil, errors.Join(err, l.closeLocked())
	}
	return l, nil
}

// open opens or creates the file.
func (l *Log) open() (err error) {
	l.file, err = openPrivate(l.path, os.O_RDWR|os.O_APPEND|os.O_CREATE)
	return err
}

// checkKey returns an error if the hash of the last complete line is wrong for the key, or if this
// line does not have the form of a log's line.
func (l *Log) checkKey() error {
	info, err := l.file.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	t, err := readTail(l.file.File, info.Size(), l.opt.Key)
	if err != nil {
		return err
	}
	if t.end.hash != "" && t.bad {
		return fmt.Errorf("%w: %s line %d", ErrKey, l.path, t.end.seq)
	}
	if t.end.hash == "" && t.bad && t.end.seq == 0 {
		return fmt.Errorf("%s is not an audit log: its last line does not have the form of one", l.path)
	}
	return nil
}

// Write appends a line and returns its number. If r has no Actor, Write uses the Actor of ctx
// (WithActor). If the line cannot be written, Write logs an error, at most one in warnEvery, and a
// later line contains the number of missing lines. If the log is required, Write also returns an
// error that wraps ErrWrite.
func (l *Log) Write(ctx context.Context, r Record) (int64, error) {
	if l == nil {
		return 0, nil
	}
	if r.Actor == (Actor{}) {
		r.Actor = ActorOf(ctx)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	r.prepare(l.opt.Inputs, l.hide)
	seq, err := l.appendLocked(r)
	if err == nil {
		select {
		case l.written <- struct{}{}:
		default:
		}
		return seq, nil
	}
	l.lost++
	if now := time.Now(); now.Sub(l.warned) >= warnEvery {
		l.warned = now
		l.opt.Logger.Error("the audit log cannot be written", "file", l.path, "err", err, "lost", l.lost)
	}
	if !l.opt.Required {
		return 0, nil
	}
	return 0, fmt.Errorf("%w: %w", ErrWrite, err)
}

// Hide makes the log apply hide, which removes secrets, to the texts of later lines that may contain
// secrets.
func (l *Log) Hide(hide func(string) string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hide = hide
}

// appendLocked appends a line. If the end of the file is damaged, or earlier lines could not be
// written, it first appends records about that.
func (l *Log) appendLocked(r Record) (int64, error) {
	if err := l.lockHead(); err != nil {
		return 0, err
	}
	defer l.unlockHead()
	gap, err := l.syncLocked()
	if err != nil {
		return 0, err
	}
	for _, note := range gap {
		if err := l.putLocked(note); err != nil {
			return 0, err
		}
	}
	if l.lost > 0 {
		if err := l.putLocked(Record{Event: eventLost, Bytes: int(l.lost), Why: "lines could not be written"}); err != nil {
			return 0, err
		}
		l.lost, l.warned = 0, time.Time{}
	}
	if err := l.putLocked(r); err != nil {
		return 0, err
	}
	return l.end.seq, nil
}

// putLocked writes one line, and then the head.
func (l *Log) putLocked(r Record) error {
	r.Node = l.opt.Node
	data, end, err := encode(r, l.end, l.server, time.Now(), l.opt.Key)
	if err != nil {
		return err
	}
	n, err := l.file.Write(data)
	l.size += int64(n)
	if err != nil {
		l.size = -1 // makes syncLocked examine what was written
		return err
	}
	l.end = end
	return writeHead(l.head.File, end)
}

// syncLocked sets end and size for the file that is now at the path: another server may have appended
// lines or rotated the file. gap contains records about damage, which must be written before any other.
func (l *Log) syncLocked() (gap []Record, err error) {
	head, err := readHead(l.head.File)
	if err != nil {
		gap = append(gap, Record{Event: eventBroken, Why: err.Error()})
		head = link{l.end.seq, cmp.Or(l.end.hash, noHash)}
	}
	size, err := l.currentLocked()
	if err != nil {
		return nil, err
	}
	if head == l.end && size == l.size {
		return gap, nil
	}
	t, err := readTail(l.file.File, size, l.opt.Key)
	if err != nil {
		return nil, err
	}
	l.size = size
	var notes []Record
	l.end, notes = t.resume(head, l.size)
	return append(gap, notes...), nil
}

// currentLocked returns the size of the file that is now at the path. If l.file is another file,
// currentLocked closes l.file and opens or creates the file at the path.
func (l *Log) currentLocked() (int64, error) {
	if l.file != nil {
		if size, same := l.file.stat(); same {
			return size, nil
		}
		err := l.file.Close()
		l.file, l.size = nil, -1
		if err != nil {
			return 0, err
		}
	}
	if err := l.open(); err != nil {
		return 0, err
	}
	info, err := l.file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// resume returns the link after which the chain continues in a file with this head, size and tail.
// notes are records about a damaged end of the file, which must be written before any other.
func (t tail) resume(head link, size int64) (end link, notes []Record) {
	end = head
	if t.torn > 0 {
		notes = append(notes, Record{Event: eventTorn, Bytes: int(t.torn), Sum: t.tornSum, Why: "a line was begun and not ended, by a crash or a full disk"})
	}
	switch {
	case size == t.torn, t.end == head:
		// The file has no complete line, or ends as the head says.
	case !t.bad && t.end.seq == head.seq+1 && t.last.Prev == head.hash:
		end = t.end // a crash after the line was written and before the head was
	case !t.bad && head.seq == 0:
		end = t.end
		notes = append(notes, Record{Event: eventHeadless, Why: "the head of the log was missing; lines may be missing before this one"})
	default:
		notes = append(notes, Record{Event: eventBroken, Why: fmt.Sprintf("the file ends with line %d, and the last line that was written is %d", t.end.seq, head.seq)})
	}
	return end, notes
}

// Reopen writes a record to the log. If the file was renamed, this creates a new file.
func (l *Log) Reopen(ctx context.Context) error {
	_, err := l.Write(ctx, Record{Event: eventReopened})
	return err
}

// End returns the number and the hash of the last line that this Log has written or read.
func (l *Log) End() (seq int64, hash string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.end.seq, l.end.hash
}

// Path returns the log's path, or "" if l is nil.
func (l *Log) Path() string {
	if l == nil {
		return ""
	}
	return l.path
}

// Close closes the files.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closeLocked()
}

func (l *Log) closeLocked() error {
	var err error
	for _, f := range []**file{&l.file, &l.head} {
		if *f != nil {
			err = errors.Join(err, (*f).Close())
			*f = nil
		}
	}
	return err
}
