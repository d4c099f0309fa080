package localsock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// How long Listen waits for another server that is just starting, and how often
// it looks: flock(2) itself cannot be given up.
const (
	lockLimit = 5 * time.Second
	lockPause = 20 * time.Millisecond
)

// lockDir locks a directory against other servers that start in it. The lock
// leaves no file behind.
func lockDir(ctx context.Context, dir string) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("socket directory: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, lockLimit)
	defer cancel()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", dir, err), f.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("directory %s stays locked by another process; choose another for the socket", dir), f.Close())
		case <-time.After(lockPause):
		}
	}
}
