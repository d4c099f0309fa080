package session

import (
	"context"
	"time"
)

// WaitAny waits on several sessions and returns the reply of the first that is
// done; the others' readers stay where they are.
func WaitAny(ctx context.Context, all []*Session, w Wait, progress func(elapsed time.Duration, note string)) (*Reply, error) {
	panic("not yet")
}
