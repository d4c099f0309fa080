package audit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// lockLimit is the time for which lockHead waits for the lock.
	lockLimit = 2 * time.Second
	// lockPause is the time between two attempts to take the lock. lockHead polls, because a
	// blocking flock(2) cannot be cancelled.
	lockPause = 2 * time.Millisecond
)

// HeadName returns the name of the file that contains the end of a log's chain.
func HeadName(path string) string { return path + ".head" }

// lockHead locks FILE.head, and opens it if necessary.
func (l *Log) lockHead() error {
	for limit := time.Now().Add(lockLimit); time.Now().Before(limit); <-time.After(lockPause) {
		if l.head == nil {
			var err error
			if l.head, err = openPrivate(HeadName(l.path), os.O_RDWR|os.O_CREATE); err != nil {
				return err
			}
		}
		switch err := unix.Flock(int(l.head.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
		case err == nil:
			if _, same := l.head.stat(); same {
				return nil
			}
			l.dropHead() // the file was replaced while we waited for the lock
		case !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR):
			return fmt.Errorf("lock %s: %w", HeadName(l.path), err)
		}
	}
	return fmt.Errorf("another process has held the lock of %s for %v", HeadName(l.path), lockLimit)
}

// dropHead closes the head, which also releases the lock.
func (l *Log) dropHead() {
	_ = l.head.Close() // lockHead opens it again
	l.head = nil
}

// unlockHead releases the lock.
func (l *Log) unlockHead() {
	if l.head == nil {
		return
	}
	if err := unix.Flock(int(l.head.Fd()), unix.LOCK_UN); err != nil {
		l.dropHead()
	}
}

// headLen is the length of the head: a number, a space, a hash and a line feed.
const headLen = 20 + 1 + 64 + 1

// readHead returns the link in the head: that of the last line, or after a crash of the one before it.
// For an empty head, it returns the link to which the first line of a log is chained.
func readHead(f *os.File) (link, error) {
	var b [headLen]byte
	n, err := f.ReadAt(b[:], 0)
	if n == 0 && errors.Is(err, io.EOF) {
		return link{hash: noHash}, nil
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return link{}, err
	}
	var end link
	if _, err := fmt.Sscanf(string(b[:n]), "%d %s\n", &end.seq, &end.hash); n != headLen || err != nil || len(end.hash) != len(noHash) {
		return link{}, fmt.Errorf("%s does not hold the end of a log: %q", f.Name(), b[:n])
	}
	return end, nil
}

// writeHead replaces the head.
func writeHead(f *os.File, end link) error {
	_, err := f.WriteAt(fmt.Appendf(nil, "%020d %s\n", end.seq, end.hash), 0)
	return err
}
