package page

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/glasstty/glasstty/session"
)

// wheelBy turns the wheel over the large screen.
func wheelBy(pixels float64) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		return input.DispatchMouseEvent(input.MouseWheel, 600, 300).WithDeltaX(0).WithDeltaY(pixels).Do(ctx)
	})
}

// TestScrolledBack says that the person has scrolled back, and that there is new output, and
// goes to the end by a button and by typing.
func TestScrolledBack(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	if _, err := agentTypes(t, s, "clear; seq 1 100"); err != nil {
		t.Fatal(err)
	}
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("100"), chromedp.WaitNotVisible("#to-end"), wheelBy(-100), text("#above", "50"), wheelBy(-600),
		chromedp.WaitVisible("#to-end"), text("#to-end", "Scrolled back"))
	if _, err := agentTypes(t, s, "echo below"); err != nil {
		t.Fatal(err)
	}
	do(t, tab, text("#to-end", "New output below"))
	shoot(t, tab, "scrolled-back")
	do(t, tab, chromedp.Click("#to-end"), chromedp.WaitNotVisible("#to-end"), chromedp.WaitNotVisible("#above"), shows("below"),
		chromedp.Click("#take"), chromedp.WaitVisible("#typing"), wheelBy(-100), text("#above", "50"), wheelBy(-600), chromedp.WaitVisible("#to-end"),
		chromedp.KeyEvent("echo typed"), chromedp.WaitNotVisible("#to-end"), shows("$ echo typed"), becomes(inView))
}

// TestSelectionStays keeps what is selected as it is while the program prints, and goes on
// when nothing is selected.
func TestSelectionStays(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	if _, err := agentTypes(t, s, "clear; echo chosen words"); err != nil {
		t.Fatal(err)
	}
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("chosen words"), chromedp.Evaluate(`getSelection().selectAllChildren(document.querySelector('#screen .row')), 1`, nil))
	if _, err := agentTypes(t, s, "clear; seq 1 60"); err != nil {
		t.Fatal(err)
	}
	do(t, tab, text("#to-end", "Still while text is selected"), becomes(`getSelection().toString().includes('chosen words')`), shows("chosen words"),
		chromedp.Click("#to-end"), shows("60"), chromedp.WaitNotVisible("#to-end"))
}

// TestNeedsOnPhone shows on a phone what another session needs while one is open, also
// beside the keyboard on glass, and nothing moves when it comes.
func TestNeedsOnPhone(t *testing.T) {
	r := newRig(t)
	r.start(t, "bash", "--norc")
	other := r.start(t, "bash", "--norc")
	size := func(width, height int64) chromedp.Action {
		return chromedp.ActionFunc(func(ctx context.Context) error {
			return emulation.SetDeviceMetricsOverride(width, height, 2, true).Do(ctx)
		})
	}
	seen := becomes(`(b => { const r = b.getBoundingClientRect(), at = document.elementFromPoint(r.left + 20, r.top + r.height / 2); return r.left >= 0 && r.left + 40 < innerWidth && r.bottom < innerHeight && b.contains(at); })(document.querySelector('#needs button'))`)
	tab := browser(t)
	var before, after float64
	top := `document.getElementById('stage').getBoundingClientRect().top`
	do(t, tab, phone(), size(390, 844), chromedp.Navigate(r.url+"/ann/#s1"), shows("$"), chromedp.Evaluate(top, &before))
	if _, err := agentTypes(t, other, "echo forbidden"); err == nil {
		t.Fatal("not held")
	}
	do(t, tab, text("#needs", "wants to run a command"), seen, chromedp.Evaluate(top, &after), size(390, 460), seen,
		chromedp.Click("#take"), chromedp.WaitVisible("#touch"), seen, becomes(inView))
	shoot(t, tab, "phone-needs")
	do(t, tab, becomes(`document.getElementById('needs').getBoundingClientRect().right <= document.getElementById('give').getBoundingClientRect().left`))
	if before != after {
		t.Errorf("the screen has moved by %v pixels", after-before)
	}
	do(t, tab, chromedp.Click("#needs button"), chromedp.WaitVisible("#ask-held"))
}

// TestTimeLineStill has the marks of how commands have ended while a session is live, keeps
// the time line where it is when one goes into the past, and shows no facts of now there.
func TestTimeLineStill(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	for _, line := range []string{"seq 1 30", "false", "true"} {
		if _, err := agentTypes(t, s, line); err != nil {
			t.Fatal(err)
		}
	}
	tab := browser(t)
	var live, past, back string
	at := `(({ x, y, width }) => [x, y, width].join(' '))(document.getElementById('moment').getBoundingClientRect())`
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("30"), becomes(`document.querySelectorAll('#marks .failed').length === 1`), chromedp.Evaluate(at, &live),
		slide(500), chromedp.WaitVisible("#live"), becomes(`getComputedStyle(document.querySelector('.facts')).visibility === 'hidden'`),
		chromedp.Evaluate(`document.getElementById('when').textContent = '10:00:00 PM'`, nil), chromedp.Evaluate(at, &past),
		chromedp.Click("#live"), chromedp.WaitNotVisible("#live"), chromedp.Evaluate(at, &back))
	if live != past || live != back {
		t.Errorf("the time line is at %s, in the past at %s, and then at %s", live, past, back)
	}
}

// TestLosesKeyboard tells a person over the screen that another one has taken the keyboard,
// and after giving it back who has typed last.
func TestLosesKeyboard(t *testing.T) {
	r := newRig(t)
	r.start(t, "bash", "--norc")
	ann, bob := browser(t), browser(t)
	do(t, ann, chromedp.Navigate(r.url+"/ann/"), shows("$"), chromedp.Click("#take"), chromedp.WaitVisible("#typing"), chromedp.KeyEvent("echo ha"), shows("$ echo ha"))
	do(t, bob, chromedp.Navigate(r.url+"/bob/"), shows("$ echo ha"), chromedp.Click("#take"), chromedp.WaitVisible("#typing"))
	do(t, ann, text("#trouble", "bob has taken the keyboard"), chromedp.Click("#trouble-read"), chromedp.WaitNotVisible("#trouble"))
	do(t, bob, chromedp.KeyEvent("lf\r"), shows("\nhalf"), chromedp.Click("#give"), chromedp.WaitVisible("#note"), chromedp.Click("#ask-note button.main"),
		text("#holder", "The agent has the keyboard"), text("#typed", "you typed last"))
	do(t, ann, text("#typed", "bob typed last"))
}

// TestAwayDims makes what needs the server dim while it is away, and the tab's title says so.
func TestAwayDims(t *testing.T) {
	r := newRig(t)
	r.start(t, "bash", "--norc")
	tab := browser(t)
	dim := func(is bool) chromedp.Action {
		return becomes(fmt.Sprintf(`['take', 'pause', 'end', 'fit', 'play', 'moment'].every(id => document.getElementById(id).disabled === %t)`, is))
	}
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("$"), dim(false))
	r.conns.frozen.Lock()
	do(t, tab, text("#state", "no answer since"), dim(true), becomes(`document.title.includes('no answer') && document.getElementById('time').title.includes('no answer')`))
	r.conns.frozen.Unlock()
	do(t, tab, text("#state", "live"), dim(false), becomes(`document.title === 'bash – glasstty' && document.getElementById('time').title === ''`))
}

// TestListUnderHand moves no row of the list while the mouse is over it.
func TestListUnderHand(t *testing.T) {
	r := newRig(t)
	named := func(name string) *session.Session {
		s, err := r.mgr.Start(t.Context(), session.StartOptions{Command: "bash", Args: []string{"--norc"}, Name: name, Dir: r.dir, Env: map[string]string{"PS1": "$ "}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	named("one")
	two := named("two")
	tab := browser(t)
	mouse := func(x, y float64) chromedp.Action {
		return chromedp.ActionFunc(func(ctx context.Context) error { return input.DispatchMouseEvent(input.MouseMoved, x, y).Do(ctx) })
	}
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("$"), order("#list", "one two"), mouse(100, 150), becomes(`document.getElementById('list').matches(':hover')`))
	if _, err := agentTypes(t, two, "echo forbidden"); err == nil {
		t.Fatal("not held")
	}
	do(t, tab, text("#list", "waits for you"), order("#list", "one two"), mouse(700, 300), order("#list", "two one"))
}

// TestOpensInPlace opens a session without moving what is below its screen.
func TestOpensInPlace(t *testing.T) {
	r := newRig(t)
	r.start(t, "bash", "--norc")
	tab := browser(t)
	var moved []string
	do(t, tab, chromedp.EmulateViewport(1280, 713), chromedp.Navigate(r.url+"/ann/"), shows("$"), chromedp.Evaluate(`new Promise(done => {
		const moved = [];
		new PerformanceObserver(l => moved.push(...l.getEntries().flatMap(e => e.sources).filter(s => s.node?.closest?.('#time, .under, .fold') && Math.abs(s.previousRect.y - s.currentRect.y) > 4).map(s => (s.node.id || s.node.className) + ' ' + (s.currentRect.y - s.previousRect.y)))).observe({ type: 'layout-shift', buffered: true });
		setTimeout(() => done(moved), 300);
	})`, &moved, awaited))
	if len(moved) > 0 {
		t.Errorf("moved %q", moved)
	}
}
