package session

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// TestOverlappingCalls checks several calls of one reader that type and wait at the same time: each
// text is in exactly one of their replies.
func TestOverlappingCalls(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "dash", "python3"} {
		t.Run(program, func(t *testing.T) {
			s, _ := launch(t, newManager(t), program)
			const calls = 6
			replies := make([]string, calls)
			var all sync.WaitGroup
			for i := range calls {
				all.Go(func() {
					line := fmt.Sprintf("echo te''xt%d", i)
					if program == "python3" {
						line = fmt.Sprintf("print('te' 'xt%d')", i)
					}
					r, err := s.Exchange(t.Context(), Input{Text: line, Enter: true}, Wait{Timeout: patience}, nil)
					if err != nil {
						t.Error(err)
						return
					}
					replies[i] = r.Output
				})
			}
			all.Wait()
			for i := range calls {
				if n := strings.Count(strings.Join(replies, "\n"), fmt.Sprintf("text%d", i)); n != 1 {
					t.Errorf("text%d is in the replies %d times, want once: %q", i, n, replies)
				}
			}
		})
	}
}
