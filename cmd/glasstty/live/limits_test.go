package live

import (
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session"
)

// TestEndedByLimit checks that the page is told which limit ended a session. Until then
// the page keeps an otherwise unused session alive beyond the idle timeout.
func TestEndedByLimit(t *testing.T) {
	need.Long(t)
	mgr := session.NewManager(session.Options{Limits: session.Limits{Lifetime: 7 * time.Second, Idle: 2 * time.Second}})
	r := rigWith(t, Options{Manager: mgr})
	c := dial(t, r, "ann")
	s := r.start(t, "cat")
	facts := c.until(func(m map[string]any) bool { return m["t"] == "session" && m["id"] == s.ID() && m["ended"] != nil })
	if why := facts["ended"].(string); !strings.Contains(why, "lifetime=7") || facts["status"] == "lost" {
		t.Errorf("%v", facts)
	}
}
