package live

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/glasstty/glasstty/session"
)

// TestEndedByLimit shows why the server has ended a session; before that the page
// has kept another one alive, which nobody else uses.
func TestEndedByLimit(t *testing.T) {
	mgr := session.NewManager(session.Options{Limits: session.Limits{Lifetime: 7 * time.Second, Idle: 2 * time.Second}})
	r := rigWith(t, Options{Manager: mgr})
	c := dial(t, r, "ann")
	s := r.start(t, "cat")
	facts := c.until(func(m map[string]any) bool { return m["t"] == "session" && m["id"] == s.ID() && m["ended"] != nil })
	if why := facts["ended"].(string); !strings.Contains(why, "lifetime=7") || facts["status"] == "lost" {
		t.Errorf("%v", facts)
	}
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), text("#holder", "ended by the server: its lifetime was over (lifetime=7"))
}
