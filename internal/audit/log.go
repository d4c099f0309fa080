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

// warnEvery is how often a log that cannot be written is complained of.
const warnEvery = time.Minute

// Options configure a Log. Path is required.
type Options struct {
	Path     string
	Key      []byte // for HMAC; nil: plain hashes
	Node     string // name of this server in its fleet, which is in each line
	Inputs   bool   // write what was typed, not only its hash
	Required bool   // what cannot be logged must not be done
	Logger   *slog.Logger
	Now      func() time.Time // default time.Now
}

// A Log is an audit log that this process appends to. It is safe for concurrent
// use. A nil Log logs nothing.
type Log struct {
	opt    Options
	path   string
	server string

	written chan struct{} // gets a value when a line was written

	mu   sync.Mutex // guards what follows
	file *file
	head *file
	end  link  // as we left it
	size int64 // of the file as we left it

	hide   func(string) string
	lost   int64 // lines that could not be written
	warned time.Time
}

// Open opens a log, making the file (mode 0600) when it is missing, but not its
// directory: a mistyped path is an error. The error is ErrKey when its lines have another key.
func Open(o Options) (*Log, error) {
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
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

// open opens the file.
func (l *Log) open() (err error) {
	l.file, err = openPrivate(l.path, os.O_RDWR|os.O_APPEND|os.O_CREATE)
	return err
}

// checkKey refuses a file whose last line was made with another key.
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
		return fmt.Errorf("%s is not an audit log: its last line is none of one", l.path)
	}
	return nil
}

// Write appends a line and returns its number. What ctx says of who does it
// (As) is put in where r says nothing. An error, which wraps ErrWrite, is
// returned only when the log is required; otherwise a failure is complained of,
// and a later line tells how many are missing.
func (l *Log) Write(ctx context.Context, r Record) (int64, error) {
	if l == nil {
		return 0, nil
	}
	if r.Actor == (Actor{}) {
		r.Actor = ActorOf(ctx)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	r.settle(l.opt.Inputs, l.hide)
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

// Hide has what hide takes out of texts, such as secrets, not be written from now
// on.
func (l *Log) Hide(hide func(string) string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hide = hide
}

// appendLocked appends a line, after one that tells of lines that are missing.
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

// putLocked writes one line.
func (l *Log) putLocked(r Record) error {
	r.Node = l.opt.Node
	data, end, err := encode(r, l.end, l.server, l.opt.Now(), l.opt.Key)
	if err != nil {
		return err
	}
	n, err := l.file.Write(data)
	l.size += int64(n)
	if err != nil {
		l.size = -1 // whatever has been written of it is looked at before the next
		return err
	}
	l.end = end
	return writeHead(l.head.File, end)
}

// syncLocked finds the end of the chain, which another server may have moved, in
// the file that is at the path now. It returns what is to be told of it first.
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
	l.end, notes = t.follow(head, l.size)
	return append(gap, notes...), nil
}

// currentLocked opens the file that is at the path now, when it is another, and
// returns its size.
func (l *Log) currentLocked() (int64, error) {
	if l.file != nil {
		if size, same := l.file.look(); same {
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

// follow returns where the chain goes on after a file of a size that ends with t,
// and what is to be told of it.
func (t tail) follow(head link, size int64) (end link, notes []Record) {
	end = head
	if t.torn > 0 {
		notes = append(notes, Record{Event: eventTorn, Bytes: int(t.torn), Sum: t.tornSum, Why: "a line was begun and not ended, by a crash or a full disk"})
	}
	switch {
	case size == t.torn, t.end == head:
		// A new file, or one whose end is known.
	case !t.bad && t.end.seq == head.seq+1 && t.last.Prev == head.hash:
		end = t.end // a crash came between the line and the head
	case !t.bad && head.seq == 0:
		end = t.end
		notes = append(notes, Record{Event: eventHeadless, Why: "the head of the log was not there; lines may be missing before this one"})
	default:
		notes = append(notes, Record{Event: eventBroken, Why: fmt.Sprintf("the file ends with line %d, and the last that was written is %d", t.end.seq, head.seq)})
	}
	return end, notes
}

// Reopen goes on in a new file when the old one has been renamed, and says so in
// it.
func (l *Log) Reopen(ctx context.Context) error {
	_, err := l.Write(ctx, Record{Event: eventReopened})
	return err
}

// End returns the number and the hash of the last line that this Log has written
// or found.
func (l *Log) End() (seq int64, hash string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.end.seq, l.end.hash
}

// Path returns the log's path, "" for a nil Log.
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
