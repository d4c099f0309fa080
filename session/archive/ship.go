package archive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/session/eventlog"
)

// A Store stores the pieces of recordings. A piece is a part of a file; its place is the file and the offset.
type Store interface {
	// Ship stores a piece. last must be the number of the piece now at this place, or 0 if there is
	// none. Otherwise Ship returns fleet.ErrNumber and that number.
	Ship(ctx context.Context, p fleet.Piece, last uint64) (number uint64, err error)
	// Has reports whether there is a piece at the place of p.
	Has(p fleet.Piece) (bool, error)
	// DeletePiece deletes the piece at the place of p, if there is one.
	DeletePiece(p fleet.Piece) error
	// MaxPiece returns the maximum size of a piece, in bytes.
	MaxPiece() int
}

// The names of files in the archive. The file of a segment is named by the segment's log offset.
const (
	metaFile    = "meta"
	endFile     = "end"
	stateSuffix = "-state"
)

const (
	// fullPiece is the size in bytes from which a piece no longer grows: new data begins another piece.
	fullPiece = 32 << 10
	// settle is the time for which changes are collected before they are shipped.
	settle = 300 * time.Millisecond
	// rereadAfter is the time after which a follower that has just shipped something reads the log
	// again: a change may have reached the disk late.
	rereadAfter = 2 * time.Second
	// retryAfter is the time between two attempts to ship.
	retryAfter = 2 * time.Second
	// maxShipping is the maximum number of pieces that a Shipper ships at the same time.
	maxShipping = 16
	// finalLimit is the time that a follower has to ship the rest of its log when it ends.
	finalLimit = 2 * time.Second
)

// A Shipper ships logs to a Store. It is safe for concurrent use.
type Shipper struct {
	store  Store
	log    *slog.Logger
	outage *fleet.Outage
	dir    string        // contains the manifests of recordings to delete, by the names of recordings
	slots  chan struct{} // holds a value for each piece that is being shipped

	ctx  context.Context // ended by Close
	stop context.CancelFunc
	work sync.WaitGroup

	mu        sync.Mutex           // guards followers
	followers map[string]*follower // by log directory
}

// NewShipper returns a Shipper. In the directory dir, it keeps the manifests of the recordings that
// are still to be deleted, and it begins to delete them.
func NewShipper(store Store, dir string, log *slog.Logger) *Shipper {
	sh := &Shipper{store: store, log: log, outage: fleet.NewOutage("recordings", log), dir: dir, slots: make(chan struct{}, maxShipping), followers: map[string]*follower{}}
	sh.ctx, sh.stop = context.WithCancel(context.Background())
	sh.work.Go(sh.deleteForgotten)
	return sh
}

// Close ships the rest of each log, for at most finalLimit, and waits until the Shipper has ended.
func (sh *Shipper) Close() {
	sh.stop()
	sh.work.Wait()
}

// pause waits for d. It returns false at once if ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	timer, stop := context.WithTimeout(ctx, d)
	defer stop()
	<-timer.Done()
	return ctx.Err() == nil
}

// retryPause returns the pause after a failed attempt. The pause grows with the number of logs.
func (sh *Shipper) retryPause() time.Duration {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return retryAfter + time.Duration(len(sh.followers))*retryAfter/64
}

// Follow ships the log in a directory until Forget or Close is called. If the log is followed already or
// the Shipper was closed, Follow does nothing. changed waits until the log's version may be greater than
// seen, and returns the new version, or an error if the session no longer exists or ctx ends.
func (sh *Shipper) Follow(dir string, changed func(ctx context.Context, seen uint64) (uint64, error)) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.followers[dir] != nil || sh.ctx.Err() != nil {
		return
	}
	f := &follower{sh: sh, store: eventlog.DirStore(dir), segment: -1, states: map[int64]bool{}, done: make(chan struct{})}
	f.ctx, f.stop = context.WithCancel(sh.ctx)
	sh.followers[dir] = f
	sh.work.Go(func() {
		defer close(f.done)
		f.run(changed)
	})
}

// Forget stops following a log that is about to be removed, if it was followed. Forget ships the rest of the log
// or, if a user has deleted the log, starts deleting the recording from the Store in the background.
func (sh *Shipper) Forget(dir string, deleted bool) error {
	sh.mu.Lock()
	f := sh.followers[dir]
	delete(sh.followers, dir)
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
	if f.identify() != nil {
		return nil // there is no log, so nothing was shipped
	}
	if err := os.MkdirAll(sh.dir, 0o700); err != nil {
		return err
	}
	if err := os.Rename(f.manifestPath(), filepath.Join(sh.dir, f.name)); err != nil {
		return ignoreNotExist(err) // nothing was shipped
	}
	sh.work.Go(sh.deleteForgotten)
	return nil
}

// deleteForgotten deletes the recordings whose manifests are in sh.dir. If a deletion fails, it
// tries again, until none is left or the Shipper ends.
func (sh *Shipper) deleteForgotten() {
	for failed := false; ; failed = true {
		err := sh.deleteListed()
		if err != nil && !pause(sh.ctx, retryAfter) {
			return
		}
		if err != nil || failed { // only a success after a failure here may end the outage that all share
			sh.outage.Record(err)
		}
		if err == nil {
			return
		}
	}
}

// deleteListed deletes the recordings whose manifests are in sh.dir.
func (sh *Shipper) deleteListed() error {
	manifests, err := os.ReadDir(sh.dir)
	for _, m := range manifests {
		// Another goroutine may have deleted the recording.
		if err := ignoreNotExist(sh.deleteRecording(m.Name())); err != nil {
			return err
		}
	}
	return ignoreNotExist(err)
}

// deleteRecording deletes the pieces of the recording name, and then its manifest in sh.dir.
func (sh *Shipper) deleteRecording(name string) error {
	path := filepath.Join(sh.dir, name)
	pieces, err := readManifest(path)
	if err != nil {
		return err
	}
	for _, p := range pieces {
		p.Name = name
		if err := sh.store.DeletePiece(p); err != nil {
			return err
		}
	}
	return os.Remove(path)
}

// A follower ships one log. Only its goroutine uses it and, after that goroutine has ended, Forget.
type follower struct {
	sh      *Shipper
	store   eventlog.DirStore
	ctx     context.Context
	stop    context.CancelFunc
	done    chan struct{} // closed when run has returned
	deleted atomic.Bool   // a user has deleted the log: do not ship the rest

	name       string            // name of the recording; "" until the log has begun
	manifest   map[string]int64  // by file, the offset in the manifest's last line of that file; nil until resume
	meta       []byte            // the metadata as last shipped
	metaNumber uint64            // number of the last piece of the metadata
	lastNumber uint64            // number of the piece last shipped
	states     map[int64]bool    // offsets of the segments whose state was shipped
	end        int64             // log offset of the end mark in the Store; 0 if there is none
	segment    int64             // log offset of the current segment; -1 before the first
	piece      eventlog.Position // where the current piece begins in the segment
	size       int               // bytes of the current piece that were shipped
	number     uint64            // number of the current piece; 0 if nothing of it was shipped
	damaged    bool              // the segment is damaged: its rest is not shipped
}

// run ships the log's changes until f.ctx ends. Then it ships the rest, unless a user has deleted the log.
func (f *follower) run(changed func(context.Context, uint64) (uint64, error)) {
	failed := false
	for seen, stopped := uint64(0), false; !stopped; {
		before := f.lastNumber
		err := f.shipNew(f.ctx)
		if err != nil || failed { // only a success after a failure here may end the outage that all share
			f.sh.outage.Record(err)
		}
		if failed = err != nil; failed {
			stopped = !pause(f.ctx, f.sh.retryPause())
			continue
		}
		ctx, cancel := f.ctx, context.CancelFunc(func() {})
		if f.lastNumber != before { // data may reach the disk late, so read the log again soon
			ctx, cancel = context.WithTimeout(f.ctx, rereadAfter)
		}
		newSeen, err := changed(ctx, seen)
		late := ctx.Err() != nil && f.ctx.Err() == nil
		cancel()
		if err != nil && !late { // the session no longer exists, but its end may not be in the log yet
			<-f.ctx.Done()
			break
		}
		seen = newSeen
		stopped = !pause(f.ctx, settle)
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(f.ctx), finalLimit)
	defer cancel()
	if f.deleted.Load() {
		return
	}
	if err := f.shipNew(last); err != nil {
		f.sh.log.Debug("fleet: the end of a recording was not shipped", "log", string(f.store), "err", err)
	}
}

// identify sets the recording's name, which consists of the session's ID and the time when its log began.
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

// shipNew ships everything new in the log.
func (f *follower) shipNew(ctx context.Context) error {
	if err := f.identify(); err != nil {
		if errors.Is(err, eventlog.ErrNoLog) {
			err = nil // the log has not begun
		}
		return ignoreNotExist(err)
	}
	if f.manifest == nil {
		if err := f.resume(); err != nil {
			return err
		}
	}
	segments, states, err := eventlog.Offsets(f.store)
	if err != nil || len(segments) == 0 {
		return ignoreNotExist(err)
	}
	last := segments[len(segments)-1]
	info, err := os.Stat(filepath.Join(string(f.store), eventlog.SegmentName(last)))
	if err != nil || last+info.Size() == f.end {
		return ignoreNotExist(err)
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
			if f.segment >= 0 && !f.damaged && offset != f.shippedEnd() {
				f.warnGap(errDropped)
			}
			f.beginSegment(offset)
		}
		if err := f.shipSegment(ctx, over || i+1 < len(segments)); err != nil {
			return err
		}
	}
	if f.lastNumber != f.metaNumber { // a full stream discards its oldest piece, and the metadata must survive
		if err := f.shipMeta(ctx, meta); err != nil {
			return err
		}
	}
	end := f.shippedEnd()
	if !over || f.damaged || end == f.end {
		return nil
	}
	if _, err = f.ship(ctx, fleet.Piece{File: endFile, Offset: end, Data: []byte(endFile)}, 0); err == nil {
		f.end = end
	}
	return err
}

// shippedEnd returns the log offset after the last byte shipped.
func (f *follower) shippedEnd() int64 { return f.segment + f.piece.Offset + int64(f.size) }

// ignoreNotExist returns nil for the error that a file does not exist, and other errors
// unchanged.
func ignoreNotExist(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// resume continues where an earlier server stopped: with the last piece in the manifest, which may have
// grown since. That server shipped the end mark last or, if there is none, the metadata. If the Store lacks
// this piece, the Store has lost pieces, and resume makes the follower ship everything again.
func (f *follower) resume() error {
	pieces, err := readManifest(f.manifestPath())
	if err != nil {
		return err
	}
	places := map[string]int64{}
	for _, p := range pieces {
		places[p.File] = p.Offset
	}
	last := fleet.Piece{Recording: fleet.Recording{Name: f.name}, File: metaFile}
	if end, ended := places[endFile]; ended {
		last.File, last.Offset = endFile, end
	}
	has, err := f.sh.store.Has(last)
	if err != nil {
		return err
	}
	if f.manifest = places; !has {
		clear(places)
	}
	f.end = places[endFile]
	for file := range places {
		if offset, err := strconv.ParseInt(file, 10, 64); err == nil && offset > f.segment {
			f.beginSegment(offset)
		}
	}
	return nil
}

// segmentFile returns the name of a segment in the archive.
func segmentFile(offset int64) string { return strconv.FormatInt(offset, 10) }

// beginSegment starts shipping a segment.
func (f *follower) beginSegment(offset int64) {
	f.segment, f.piece, f.size, f.number, f.damaged = offset, eventlog.Position{}, 0, 0, false
}

// ship ships a piece and returns its number. last is the number of the piece that it replaces, or 0
// for none.
func (f *follower) ship(ctx context.Context, p fleet.Piece, last uint64) (uint64, error) {
	p.Name = f.name
	if err := f.addToManifest(p); err != nil {
		return last, err
	}
	number, err := f.sh.store.Ship(ctx, p, last)
	if errors.Is(err, fleet.ErrNumber) {
		// The reply to an earlier Ship was lost, or an earlier server shipped the piece: then the
		// Store has the beginning of this piece. Or the Store's pieces were purged.
		number, err = f.sh.store.Ship(ctx, p, number)
	}
	if err == nil {
		f.lastNumber = number
	}
	return number, err
}

// readMeta returns the log's metadata, or nil if it does not exist. over reports whether the session has ended.
func (f *follower) readMeta() (meta []byte, over bool, err error) {
	meta, err = os.ReadFile(filepath.Join(string(f.store), eventlog.MetaName))
	return meta, readMeta(meta).EndedAt != nil, ignoreNotExist(err)
}

// shipMeta ships the metadata.
func (f *follower) shipMeta(ctx context.Context, meta []byte) (err error) {
	f.metaNumber, err = f.shipWhole(ctx, metaFile, meta, f.metaNumber)
	if err == nil {
		f.meta = meta
	}
	return err
}

// shipState ships the saved state of a segment, if it exists.
func (f *follower) shipState(ctx context.Context, offset int64) error {
	state, err := os.ReadFile(filepath.Join(string(f.store), eventlog.StateName(offset)))
	if err != nil {
		return ignoreNotExist(err)
	}
	_, err = f.shipWhole(ctx, segmentFile(offset)+stateSuffix, state, 0)
	f.states[offset] = err == nil
	return err
}

// shipWhole ships a file that does not grow, and returns the number of its last piece. It replaces
// an earlier version of the file, whose last piece has the number last, or 0 for none. The field
// About of each piece is the file's size: it shows whether pieces belong to one version.
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

// shipSegment ships the new part of the segment. final says that the segment will not grow.
func (f *follower) shipSegment(ctx context.Context, final bool) error {
	if f.damaged {
		return nil
	}
	file, err := os.Open(filepath.Join(string(f.store), eventlog.SegmentName(f.segment)))
	if err != nil {
		return ignoreNotExist(err)
	}
	defer file.Close()
	if err := f.seek(file); err != nil {
		return f.skipRest(err)
	}
	for more := true; more && err == nil; {
		more, err = f.shipPiece(ctx, file, final)
	}
	return err
}

// seek advances to the beginning of the last piece of the segment that an earlier server shipped, if there is one.
func (f *follower) seek(file *os.File) error {
	to := f.manifest[segmentFile(f.segment)]
	if f.piece.Offset >= to {
		return nil
	}
	lines, err := io.ReadAll(io.NewSectionReader(file, 0, to))
	if err == nil && int64(len(lines)) < to {
		err = errCut
	}
	if err != nil {
		return err
	}
	return f.piece.Advance(lines)
}

// The reasons for a gap in a recording.
var (
	errCut     = errors.New("the log was cut by another program")
	errDropped = errors.New("a file of the log was removed, or dropped by its limits, before all of it was shipped")
)

// warnGap logs that the rest of the segment will be missing from the recording.
func (f *follower) warnGap(err error) {
	f.sh.log.Warn("fleet: a recording has a gap", "log", string(f.store), "segment", f.segment, "err", err)
}

// skipRest marks the segment as damaged, so that its rest is not shipped, and logs the gap. It returns nil.
func (f *follower) skipRest(err error) error {
	f.damaged = true
	f.warnGap(err)
	return nil
}

// shipPiece ships the piece at f.piece as far as it is in the file. more reports that the piece is
// full and another may follow.
func (f *follower) shipPiece(ctx context.Context, file *os.File, final bool) (more bool, err error) {
	select {
	case f.sh.slots <- struct{}{}:
		defer func() { <-f.sh.slots }()
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	data, err := f.read(file, final)
	switch n := len(data); {
	case err != nil:
		return false, err
	case n < f.size:
		return false, f.skipRest(errCut)
	case n > f.size:
		p := fleet.Piece{File: segmentFile(f.segment), Offset: f.piece.Offset, Data: data}
		if p.Offset > 0 {
			p.About = f.piece.Header()
		}
		if f.number, err = f.ship(ctx, p, f.number); err != nil {
			return false, err
		}
		f.size = n
	}
	if f.size < fullPiece {
		return false, nil
	}
	if err := f.piece.Advance(data); err != nil {
		return false, f.skipRest(err)
	}
	f.size, f.number = 0, 0
	return true, nil
}

// read reads the piece at f.piece, in whole lines. It returns a part of a line only if the line is longer
// than a piece, if the line is the end of a final segment, or if that part was shipped already.
func (f *follower) read(file *os.File, final bool) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	remaining := max(info.Size()-f.piece.Offset, 0)
	data := make([]byte, min(remaining, int64(f.sh.store.MaxPiece())))
	n, err := file.ReadAt(data, f.piece.Offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	end := bytes.LastIndexByte(data[:n], '\n') + 1
	if whole := int64(n) >= remaining; whole && final || !whole && end == 0 {
		end = n
	}
	return data[:max(end, min(f.size, n))], nil
}
