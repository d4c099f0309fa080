package session

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/child"
)

// TestReadThatFindsNothing checks a wait that begins while the child's owner is in the middle of a
// read that will return nothing: no event follows, and the reply comes in time even so.
func TestReadThatFindsNothing(t *testing.T) {
	underFakeClock(t, Options{}, func(t *testing.T, m *Manager, owner *fakeOwner) {
		s := fakeSession(t, m)
		const settle = 500 * time.Millisecond
		owner.all[0].reads(2)
		r, err := s.Exchange(t.Context(), Input{}, Wait{Timeout: time.Minute}, nil)
		if err != nil || r.Reason != detect.Prompt || r.Elapsed > settle {
			t.Errorf("%v after %s, %v; want the prompt within %s", r.Reason, r.Elapsed, err, settle)
		}
	})
}

// TestEndDuringRead checks that the end of a child whose terminal something else keeps open is
// noticed in time, although its owner is in the middle of a read that will return nothing.
func TestEndDuringRead(t *testing.T) {
	underFakeClock(t, Options{}, func(t *testing.T, m *Manager, owner *fakeOwner) {
		s := fakeSession(t, m)
		owner.all[0].reads(2)
		began := time.Now()
		s.awaitOutput(child.Exit{Stuck: true})
		synctest.Wait()
		if waited := time.Since(began); waited > time.Second {
			t.Errorf("the end was noticed after %s", waited)
		}
	})
}
