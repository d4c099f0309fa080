package archive

import (
	"bytes"
	"context"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/session/eventlog"
)

// A Store is where pieces are kept.
type Store interface {
	// Ship keeps a piece. The piece in its place must have the number last, 0 for none;
	// otherwise the error is fleet.ErrNumber, and number is what it has.
	Ship(ctx context.Context, p fleet.Piece, last uint64) (number uint64, err error)
	// Shipped returns where the last pieces of recordings begin, by recording and file.
	Shipped() (map[string]map[string]int64, error)
	// Unship forgets a recording.
	Unship(name string) error
	// OpenRecordings returns an error while nothing can be kept.
	OpenRecordings() error
	// MaxPiece returns how many bytes a piece may have.
	MaxPiece() int
}

// The names of files in the archive.
const (
	metaFile    = "meta"
	endFile     = "end"
	stateSuffix = "-state"
)

const (
	// fullPiece is how large a piece is that does not grow any more.
	fullPiece = 32 << 10
	// settle is how long what happens together is gathered.
	settle = 300 * time.Millisecond
	// lookAgain is when a log is looked at again after a change: it may have come late.
	lookAgain = 2 * time.Second
	// retryAfter is the time between two tries to ship what was not kept.
	retryAfter = 2 * time.Second
	// maxShipping bounds the pieces that are made and shipped at once.
	maxShipping = 16
	// lastLimit is how long a Shipper that ends goes on shipping.
	lastLimit = 2 * time.Second
)

// A Shipper ships logs to a Store. It is safe for concurrent use.
type Shipper struct {
	store Store
	log   *slog.Logger
	dir   string // of files that name what is to be forgotten
	slots chan struct{}

	ctx  context.Context // of everything that it does
	stop context.CancelFunc
	work sync.WaitGroup

	opening sync.Mutex // held while the Store is opened

	mu      sync.Mutex // guards what follows
	shipped map[string]map[string]int64
	read    bool                 // shipped is known
	failing bool                 // nothing is kept, which was logged
	follows map[string]*follower // by directory
}

// NewShipper returns a Shipper. What is to be forgotten and could not be yet is noted in
// files in dir.
func NewShipper(store Store, dir string, log *slog.Logger) *Shipper {
	sh := &Shipper{store: store, log: log, dir: dir, slots: make(chan struct{}, maxShipping), follows: map[string]*follower{}}
	sh.ctx, sh.stop = context.WithCancel(context.Background())
	sh.work.Go(sh.forgetAll)
	return sh
}

// Close ships what it can within a moment, and ends.
func (sh *Shipper) Close() {
	sh.stop()
	sh.work.Wait()
}

// pause waits, and reports whether the Shipper goes on.
func (sh *Shipper) pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// last returns where the last pieces of a recording begin, by file.
func (sh *Shipper) last(name string) (map[string]int64, error) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if !sh.read {
		if err := sh.store.OpenRecordings(); err != nil {
			return nil, err
		}
		all, err := sh.store.Shipped()
		if err != nil {
			return nil, err
		}
		sh.shipped, sh.read = all, true
	}
	return sh.shipped[name], nil
}

// reopen sees to it that there is a Store again. It does nothing while another does.
func (sh *Shipper) reopen() {
	if !sh.opening.TryLock() {
		return
	}
	defer sh.opening.Unlock()
	if err := sh.store.OpenRecordings(); err != nil {
		sh.log.Debug("fleet: recordings", "err", err)
	}
}

// tell logs when nothing can be shipped any more, and when it can again.
func (sh *Shipper) tell(err error) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	switch {
	case err != nil && !sh.failing:
		sh.log.Warn("fleet: recordings are not shipped; they are on disk, and shipped when this is mended", "err", err)
	case err == nil && sh.failing:
		sh.log.Info("fleet: recordings are shipped again")
	}
	sh.failing = err != nil
}

// retry returns how long a log waits whose pieces are not kept: with many logs longer.
func (sh *Shipper) retry() time.Duration {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return retryAfter + time.Duration(len(sh.follows))*retryAfter/64
}

// Follow ships the log in a directory until it has ended or is forgotten. Changed waits
// until the log may have changed since seen, and fails when its session is no longer there.
func (sh *Shipper) Follow(dir string, changed func(ctx context.Context, seen uint64) (uint64, error)) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.follows[dir] != nil || sh.ctx.Err() != nil {
		return
	}
	f := &follower{sh: sh, store: eventlog.DirStore(dir), segment: -1, states: map[int64]bool{}, done: make(chan struct{})}
	f.ctx, f.stop = context.WithCancel(sh.ctx)
	sh.follows[dir] = f
	sh.work.Go(func() {
		defer close(f.done)
		f.run(changed)
	})
}

// Forget ends the following of a log, which is about to be removed, and has the Store
// forget it where it was deleted; else what is not shipped yet is shipped first.
func (sh *Shipper) Forget(dir string, deleted bool) error {
	sh.mu.Lock()
	f := sh.follows[dir]
	delete(sh.follows, dir)
	sh.mu.Unlock()
	if f == nil {
		return nil
	}
	f.deleted.Store(deleted)
	f.stop()
	<-f.done
	if !deleted {
		return nil
	}
	if err := f.identify(); err != nil {
		return nil // it has no log, and was not shipped
	}
	if err := os.MkdirAll(sh.dir, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(sh.dir, f.name), nil, 0o600); err != nil {
		return err
	}
	sh.work.Go(sh.forgetAll)
	return nil
}

// forgetAll forgets what is noted, until all is forgotten.
func (sh *Shipper) forgetAll() {
	for {
		names, err := os.ReadDir(sh.dir)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		for _, e := range names {
			if err != nil {
				break
			}
			if err = sh.store.Unship(e.Name()); err == nil {
				err = os.Remove(filepath.Join(sh.dir, e.Name()))
			}
			if errors.Is(err, fs.ErrNotExist) {
				err = nil // forgotten by another
			}
		}
		if err == nil || !sh.pause(sh.ctx, retryAfter) {
			return
		}
		sh.tell(err)
	}
}

// A follower ships one log. Its own goroutine alone uses it, and later Forget.
type follower struct {
	sh      *Shipper
	store   eventlog.DirStore
	ctx     context.Context
	stop    context.CancelFunc
	done    chan struct{} // closed when run has returned
	deleted atomic.Bool   // the log is not wanted any more

	name    string           // of the recording, "" until the log has begun
	kept    map[string]int64 // what was shipped before, nil until it is known
	meta    []byte           // that were shipped
	about   uint64           // number of the piece with the metadata
	newest  uint64           // number of the piece that was shipped last
	states  map[int64]bool   // that were shipped
	end     int64            // where the log has ended, as the Store was told; 0 for nowhere
	segment int64            // log offset of the segment that is shipped, -1 before the first
	piece   eventlog.Position
	before  []byte // that stands before the piece, as much as is compared
	size    int    // of the piece, of which nothing was shipped while it is 0
	sum     uint32 // of what was shipped of it
	number  uint64 // of the piece
	cut     bool   // the segment is not what was shipped: the rest of it is not
}

// run ships what comes.
func (f *follower) run(changed func(context.Context, uint64) (uint64, error)) {
	for seen, gone := uint64(0), false; !gone; {
		before := f.newest
		err := f.pass(f.ctx)
		f.sh.tell(err)
		if err != nil {
			f.sh.reopen()
			gone = !f.sh.pause(f.ctx, f.sh.retry())
			continue
		}
		ctx, cancel := f.ctx, context.CancelFunc(func() {})
		if f.newest != before { // what is written late is found by looking once more
			ctx, cancel = context.WithTimeout(f.ctx, lookAgain)
		}
		now, err := changed(ctx, seen)
		late := ctx.Err() != nil && f.ctx.Err() == nil
		cancel()
		if err != nil && !late {
			break // the session has gone, or the server ends
		}
		seen = now
		gone = !f.sh.pause(f.ctx, settle)
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(f.ctx), lastLimit)
	defer cancel()
	if f.deleted.Load() {
		return
	}
	if err := f.pass(last); err != nil {
		f.sh.log.Debug("fleet: the end of a recording was not shipped", "log", string(f.store), "err", err)
	}
}

// identify finds the recording's name: the session's id, and when its log began.
func (f *follower) identify() error {
	if f.name != "" {
		return nil
	}
	l, err := eventlog.Open(f.store)
	if err == nil {
		f.name = filepath.Base(string(f.store)) + "-" + strconv.FormatInt(l.Segments[0].Start.UnixMicro(), 10)
	}
	return err
}

// pass ships what is new.
func (f *follower) pass(ctx context.Context) error {
	if err := f.identify(); err != nil {
		if errors.Is(err, eventlog.ErrNoLog) {
			err = nil // it has not begun
		}
		return gone(err)
	}
	if f.kept == nil {
		kept, err := f.sh.last(f.name)
		if err != nil {
			return err
		}
		f.resume(kept)
	}
	segments, states, err := eventlog.Offsets(f.store)
	if err != nil || len(segments) == 0 {
		return gone(err)
	}
	last := segments[len(segments)-1]
	info, err := os.Stat(filepath.Join(string(f.store), eventlog.SegmentName(last)))
	if err != nil || last+info.Size() == f.end {
		return gone(err)
	}
	meta, over, err := f.readMeta()
	if err != nil {
		return err
	}
	if !bytes.Equal(meta, f.meta) {
		if err := f.shipMeta(ctx, meta); err != nil {
			return err
		}
	}
	for i, offset := range segments {
		if states[offset] && !f.states[offset] {
			if err := f.shipState(ctx, offset); err != nil {
				return err
			}
		}
		if offset < f.segment {
			continue
		}
		if offset > f.segment {
			f.begin(offset)
		}
		if err := f.shipSegment(ctx, over || i+1 < len(segments)); err != nil {
			return err
		}
	}
	if f.newest != f.about { // a stream that is full discards what is oldest, and without this nobody finds the rest
		if err := f.shipMeta(ctx, meta); err != nil {
			return err
		}
	}
	end := f.segment + f.piece.Offset + int64(f.size)
	if !over || f.cut || end == f.end {
		return nil
	}
	if _, err = f.ship(ctx, fleet.Piece{File: endFile, Offset: end, Data: []byte(endFile)}, 0); err == nil {
		f.end = end
	}
	return err
}

// gone returns no error for a file that is no longer there.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// resume goes on where a server before has ended: with the last piece that it has shipped,
// which may have grown.
func (f *follower) resume(kept map[string]int64) {
	f.kept = kept
	if kept == nil {
		f.kept = map[string]int64{}
	}
	for file := range kept {
		digits, state := strings.CutSuffix(file, stateSuffix)
		offset, err := strconv.ParseInt(digits, 10, 64)
		switch {
		case file == endFile:
			f.end = kept[file]
		case err != nil:
		case state:
			f.states[offset] = true
		case offset > f.segment:
			f.begin(offset)
		}
	}
}

// segmentFile returns the name of a segment in the archive.
func segmentFile(offset int64) string { return strconv.FormatInt(offset, 10) }

// begin goes on with a segment.
func (f *follower) begin(offset int64) {
	f.segment, f.piece, f.before, f.size, f.sum, f.number, f.cut = offset, eventlog.Position{}, nil, 0, 0, 0, false
}

// ship ships a piece.
func (f *follower) ship(ctx context.Context, p fleet.Piece, last uint64) (uint64, error) {
	p.Name = f.name
	number, err := f.sh.store.Ship(ctx, p, last)
	if errors.Is(err, fleet.ErrNumber) {
		// The answer for a piece was lost, or a server before has shipped it: what is
		// there is the beginning of this one. Or the archive was purged.
		number, err = f.sh.store.Ship(ctx, p, number)
	}
	if err == nil {
		f.newest = number
	}
	return number, err
}

// readMeta returns the log's metadata, and reports whether they say that the session has
// ended.
func (f *follower) readMeta() (meta []byte, over bool, err error) {
	meta, err = os.ReadFile(filepath.Join(string(f.store), eventlog.MetaName))
	return meta, readMeta(meta).EndedAt != nil, gone(err)
}

// shipMeta ships the metadata.
func (f *follower) shipMeta(ctx context.Context, meta []byte) (err error) {
	f.about, err = f.shipWhole(ctx, metaFile, meta, f.about)
	if err == nil {
		f.meta = meta
	}
	return err
}

// shipState ships the state of a segment.
func (f *follower) shipState(ctx context.Context, offset int64) error {
	state, err := os.ReadFile(filepath.Join(string(f.store), eventlog.StateName(offset)))
	if err != nil {
		return gone(err)
	}
	_, err = f.shipWhole(ctx, segmentFile(offset)+stateSuffix, state, 0)
	f.states[offset] = err == nil
	return err
}

// shipWhole ships a file that does not grow, in the place of one whose last piece has the
// number last, and returns that of its own. Its pieces say how large it is.
func (f *follower) shipWhole(ctx context.Context, file string, data []byte, last uint64) (number uint64, err error) {
	size := f.sh.store.MaxPiece()
	for at := 0; at < len(data); at += size {
		p := fleet.Piece{File: file, Offset: int64(at), About: strconv.Itoa(len(data)), Data: data[at:min(at+size, len(data))]}
		if number, err = f.ship(ctx, p, last); err != nil {
			return number, err
		}
		last = 0
	}
	return number, nil
}

// shipSegment ships what is new of the segment; final says that nothing more comes.
func (f *follower) shipSegment(ctx context.Context, final bool) error {
	if f.cut {
		return nil
	}
	file, err := os.Open(filepath.Join(string(f.store), eventlog.SegmentName(f.segment)))
	if err != nil {
		return gone(err)
	}
	defer file.Close()
	if err := f.reach(file); err != nil {
		return f.damaged(err)
	}
	for {
		more, err := f.shipPiece(ctx, file, final)
		if err != nil || !more {
			return err
		}
	}
}

// reach goes to the last piece that a server before has shipped of the segment.
func (f *follower) reach(file *os.File) error {
	to, known := f.kept[segmentFile(f.segment)]
	if !known || f.piece.Offset >= to {
		return nil
	}
	lines, err := io.ReadAll(io.NewSectionReader(file, 0, to))
	if err == nil && int64(len(lines)) < to {
		err = errCut
	}
	if err != nil {
		return err
	}
	return f.advance(lines)
}

// compared is how much of what stands before a piece is compared with what stood there.
const compared = 256

// advance goes on behind lines.
func (f *follower) advance(lines []byte) error {
	f.before = bytes.Clone(lines[max(0, len(lines)-compared):])
	return f.piece.Pass(lines)
}

// errCut says that a segment is not what it was.
var errCut = errors.New("the log was cut, or changed by another program")

// damaged leaves the rest of a segment out, which its readers are told.
func (f *follower) damaged(err error) error {
	f.cut = true
	f.sh.log.Warn("fleet: a recording has a gap", "log", string(f.store), "segment", f.segment, "err", err)
	return nil
}

// shipPiece ships the piece that begins at f's position as far as it goes now. More says
// that another one may follow.
func (f *follower) shipPiece(ctx context.Context, file *os.File, final bool) (more bool, err error) {
	select {
	case f.sh.slots <- struct{}{}:
		defer func() { <-f.sh.slots }()
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	data, err := f.read(file, final)
	n := len(data)
	switch {
	case errors.Is(err, errCut):
		return false, f.damaged(err)
	case err != nil:
		return false, err
	case n > f.size:
		p := fleet.Piece{File: segmentFile(f.segment), Offset: f.piece.Offset, Data: data}
		if p.Offset > 0 {
			p.About = f.piece.Header()
		}
		if f.number, err = f.ship(ctx, p, f.number); err != nil {
			return false, err
		}
		f.size, f.sum = n, crc32.ChecksumIEEE(data)
	}
	if f.size < fullPiece {
		return false, nil
	}
	if err := f.advance(data); err != nil {
		return false, f.damaged(err)
	}
	f.size, f.sum, f.number = 0, 0, 0
	return true, nil
}

// read reads the piece at f's position: whole lines, as the rest may be cut off yet, but for
// a line that is too long and what is final. The error is errCut where the log is not what
// it was.
func (f *follower) read(file *os.File, final bool) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	left := info.Size() - f.piece.Offset
	if left < int64(f.size) {
		return nil, errCut
	}
	size := min(left, int64(f.sh.store.MaxPiece()))
	data := make([]byte, int64(len(f.before))+size)
	n, err := file.ReadAt(data, f.piece.Offset-int64(len(f.before)))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	before, data := data[:min(n, len(f.before))], data[min(n, len(f.before)):n]
	if !bytes.Equal(before, f.before) || len(data) < f.size || crc32.ChecksumIEEE(data[:f.size]) != f.sum {
		return nil, errCut
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	if whole := int64(len(data)) >= left; whole && final || !whole && end == 0 {
		end = len(data)
	}
	return data[:max(end, f.size)], nil
}
