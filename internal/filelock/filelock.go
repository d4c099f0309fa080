// Package filelock waits for the lock of a file that other processes take too.
package filelock

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Lock takes the exclusive lock of an open file, which its closing gives back. It
// tries at once, and again every pause until ctx ends, as flock(2) itself cannot be
// given up; the error is that of ctx then.
func Lock(ctx context.Context, f *os.File, pause time.Duration) error {
	for {
		if locked, err := Try(f); locked || err != nil {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Try takes the exclusive lock of an open file and reports whether it could: another
// may have it.
func Try(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return err == nil, err
}
