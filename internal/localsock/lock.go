package localsock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/glasstty/glasstty/internal/filelock"
)

// How long Listen waits for another server that is just starting, and how often
// it looks.
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
	err = filelock.Lock(ctx, f, lockPause)
	switch {
	case err == nil:
		return func() { f.Close() }, nil
	case errors.Is(err, ctx.Err()):
		err = fmt.Errorf("directory %s stays locked by another process; choose another for the socket", dir)
	default:
		err = fmt.Errorf("lock %s: %w", dir, err)
	}
	return nil, errors.Join(err, f.Close())
}
