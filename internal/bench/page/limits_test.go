package page

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/glasstty/glasstty/session"
)

// TestEndedByLimit checks that the page says why the server ended a session.
func TestEndedByLimit(t *testing.T) {
	r := rigOf(t, session.NewManager(session.Options{Limits: session.Limits{Lifetime: time.Second}}))
	ended(t, r.start(t, "cat"))
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), text("#holder", "Ended by the server: its lifetime was over (lifetime=1"))
}
