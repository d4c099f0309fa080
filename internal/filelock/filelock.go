// Package filelock locks files against other processes.
package filelock

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Lock takes the exclusive lock of an open file; closing the file releases it. Lock tries at
// once and then after every pause, because flock(2) cannot be cancelled. If ctx ends, it
// returns the error of ctx.
func Lock(ctx context.Context, f *os.File, pause time.Duration) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
