package page

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

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

// TestScrolledBack checks that the page says that the person has scrolled back and that there
// is new output, and that a button and typing lead to the end.
func TestScrolledBack(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	if _, err := agentTypes(t, s, "clear; seq 1 100"); err != nil {
		t.Fatal(err)
	}
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("100"), chromedp.WaitNotVisible("#to-end"), wheelBy(-100), text("#above", "50"),
		becomes(`document.getElementById('stage').scrollTop < document.getElementById('screen').parentNode.offsetTop - 60`), wheelBy(-600),
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

// TestSelectionStays checks that selected text stays unchanged while the program prints, and
// that the screen is updated when the selection is cleared.
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

// TestNeedsOnPhone checks on a phone that the page shows what another session needs while one
// is open, even above the on-screen keyboard. Nothing moves when the notice appears, a long
// command fails, the server is away, or the person takes the keyboard. All buttons are within
// the window.
func TestNeedsOnPhone(t *testing.T) {
	r := newRig(t)
	s, other := r.start(t, "bash", "--norc"), r.start(t, "bash", "--norc")
	size := func(width, height int64) chromedp.Action {
		return chromedp.ActionFunc(func(ctx context.Context) error {
			return emulation.SetDeviceMetricsOverride(width, height, 2, true).Do(ctx)
		})
	}
	seen := becomes(`(b => { const r = b.getBoundingClientRect(), at = document.elementFromPoint(r.left + 20, r.top + r.height / 2); return r.left >= 0 && r.left + 40 < innerWidth && r.bottom < innerHeight && b.contains(at); })(document.querySelector('#needs button'))`)
	whole := becomes(`[...document.querySelectorAll('.bar button')].filter(b => b.checkVisibility({ visibilityProperty: true })).map(b => b.getBoundingClientRect()).every(r => r.left >= 0 && r.right <= innerWidth)`)
	tab := browser(t)
	var before, after float64
	top := `document.getElementById('stage').getBoundingClientRect().top`
	var places [4]string // of the screen, the buttons and the time line
	at := `['stage', 'take', 'give', 'pause', 'time'].map(id => document.getElementById(id).getBoundingClientRect()).map(r => r.height && Math.round(r.top)).join(' ').replace(/ 0/, '')`
	do(t, tab, phone(), size(390, 844), chromedp.Navigate(r.url+"/ann/#s1"), shows("$"), chromedp.Evaluate(top, &before), chromedp.Evaluate(at, &places[0]))
	if _, err := agentTypes(t, s, "false "+strings.Repeat("a-long-argument ", 20)); err != nil {
		t.Fatal(err)
	}
	do(t, tab, text("#failed", "failed, code 1: false a-long"), chromedp.Evaluate(at, &places[1]))
	r.conns.frozen.Lock()
	do(t, tab, text("#state", "no answer since"), chromedp.Evaluate(at, &places[2]))
	r.conns.frozen.Unlock()
	do(t, tab, text("#state", "live"), chromedp.Click("#take"), chromedp.WaitVisible("#touch"), chromedp.Evaluate(at, &places[3]),
		chromedp.Click("#give"), chromedp.Click("#ask-note button.main"), chromedp.WaitNotVisible("#touch"))
	for i, p := range places {
		if p != places[0] {
			t.Errorf("the screen, the buttons and the time line were at %s and in step %d at %s", places[0], i, p)
		}
	}
	if _, err := agentTypes(t, other, "echo forbidden"); err == nil {
		t.Fatal("the command was not held")
	}
	do(t, tab, text("#needs", "wants to run a command"), seen, chromedp.Evaluate(top, &after), size(390, 460), seen, whole,
		chromedp.Click("#take"), chromedp.WaitVisible("#touch"), seen, whole, becomes(inView))
	shoot(t, tab, "phone-needs")
	do(t, tab, becomes(`document.getElementById('needs').getBoundingClientRect().right <= document.getElementById('give').getBoundingClientRect().left`))
	if before != after {
		t.Errorf("the screen moved by %v pixels", after-before)
	}
	r.conns.frozen.Lock()
	do(t, tab, text("#state", "no answer since"), becomes(`document.getElementById('state').checkVisibility()`))
	r.conns.frozen.Unlock()
	do(t, tab, text("#state", "live"), chromedp.Click("#needs button"), chromedp.WaitVisible("#ask-held"))
}

// TestHeldPress checks that a click on a held command counts only if the form has not just
// changed: neither a click at the moment when the form appears counts nor the second click of
// a double click, which would hit the next command. Held commands are shown in the order in
// which they were held.
func TestHeldPress(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	hold := func(line string) {
		t.Helper()
		if _, err := agentTypes(t, s, line); err == nil {
			t.Fatal("the command was not held")
		}
	}
	tab := browser(t)
	waits := func(n int) {
		t.Helper()
		if all := s.Held(); len(all) != n {
			t.Fatalf("held commands %+v, want %d", all, n)
		}
	}
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("$"), chromedp.Evaluate(`window.pressed = 0; new MutationObserver(() => {
		const b = document.querySelector('#ask-held .danger');
		if (b && !b.pressed) { b.pressed = true; pressed++; b.click(); }
	}).observe(document.getElementById('ask-held'), { childList: true })`, nil))
	hold("echo forbidden one")
	do(t, tab, text("#ask-held", "forbidden one"), becomes(`pressed === 1`), steady())
	waits(1)
	hold("echo forbidden two")
	do(t, tab, text("#ask-held small", "1 more to answer"), text("#ask-held code", "forbidden one"), steady(),
		chromedp.Click("#ask-held .danger"), shows("\nforbidden one"), text("#ask-held code", "forbidden two"), becomes(`pressed === 2`), steady())
	waits(1)
	do(t, tab, chromedp.Click("#take"), chromedp.WaitVisible("#ask-held .danger:disabled"), text("#ask-held small", "give the keyboard back first"), text("#status", "you type"))
}

// TestTimeLineStill checks that the time line marks how commands ended while a session is
// live, does not move when the person goes back in time, and then shows nothing about the
// present.
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
		t.Errorf("the time line is at %s when live, at %s in the past, and at %s when live again", live, past, back)
	}
}

// TestLosesKeyboard checks that a person whose keyboard is taken over is told so above the
// screen, with what was not typed since, and after it is given back, who typed last.
func TestLosesKeyboard(t *testing.T) {
	r := newRig(t)
	r.start(t, "bash", "--norc")
	ann, bob := browser(t), browser(t)
	do(t, ann, chromedp.Navigate(r.url+"/ann/"), shows("$"), chromedp.Click("#take"), chromedp.WaitVisible("#typing"), chromedp.KeyEvent("echo ha"), shows("$ echo ha"))
	do(t, bob, chromedp.Navigate(r.url+"/bob/"), shows("$ echo ha"), chromedp.Click("#take"), chromedp.WaitVisible("#typing"))
	space := chromedp.ActionFunc(func(ctx context.Context) error {
		return input.DispatchKeyEvent(input.KeyDown).WithKey(" ").WithCode("Space").WithText(" ").WithWindowsVirtualKeyCode(32).Do(ctx)
	})
	do(t, ann, text("#trouble", "bob has taken the keyboard."), space, chromedp.KeyEvent("lf\r"), text("#trouble", "Not typed: “ lf⏎”."),
		becomes(`document.getElementById('session').scrollTop === 0`), chromedp.Click("#trouble-read"), chromedp.WaitNotVisible("#trouble"))
	do(t, bob, chromedp.KeyEvent("lf\r"), shows("\nhalf"), chromedp.Click("#give"), chromedp.WaitVisible("#note"), chromedp.Click("#ask-note button.main"),
		text("#holder", "The agent has the keyboard"), text("#typed", "you typed last"))
	do(t, ann, text("#typed", "bob typed last"))
}

// TestAwayDims checks that controls that need the server are disabled while it does not
// answer, and that the tab's title says so.
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

// TestListUnderHand checks that rows of the list move neither while the mouse is over the list
// nor while it may be on its way there: rows are sorted after the mouse has left, and when all
// sessions are shown.
func TestListUnderHand(t *testing.T) {
	r := newRig(t)
	named := func(name string) *session.Session {
		s, err := r.mgr.Start(t.Context(), session.StartOptions{Command: "bash", Args: []string{"--norc"}, Name: name, Dir: r.dir, Env: map[string]string{"PS1": "$ "}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	one, two := named("one"), named("two")
	tab := browser(t)
	mouse := func(x, y float64) chromedp.Action {
		return chromedp.ActionFunc(func(ctx context.Context) error { return input.DispatchMouseEvent(input.MouseMoved, x, y).Do(ctx) })
	}
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("$"), order("#list", "one two"), mouse(100, 150), becomes(`document.getElementById('list').matches(':hover')`))
	if _, err := agentTypes(t, two, "echo forbidden"); err == nil {
		t.Fatal("the command was not held")
	}
	do(t, tab, text("#list", "waits for you"), order("#list", "one two"), mouse(700, 300), order("#list", "two one"),
		chromedp.Evaluate(still, nil))
	if err := two.As(session.Person{ID: "bob"}).Refuse("echo forbidden"); err != nil {
		t.Fatal(err)
	}
	do(t, tab, becomes(`!document.querySelector('#needs li')`))
	named("three")
	if _, err := agentTypes(t, one, "echo forbidden"); err == nil {
		t.Fatal("the command was not held")
	}
	var shifted []string
	do(t, tab, text("#needs", "one wants to run a command"), chromedp.Sleep(1500*time.Millisecond), // longer than the list waits after the mouse has left
		order("#list", "two one three"), chromedp.Evaluate(drawn, nil, awaited), chromedp.Evaluate(`shifted`, &shifted))
	if len(shifted) > 0 {
		t.Errorf("rows moved: %q", shifted)
	}
	do(t, tab, chromedp.Click("#all"), order("#list", "one two three"))
}

// TestOpensInPlace checks that opening a session moves neither the list nor what is below its
// screen, and that the page is not higher than the window.
func TestOpensInPlace(t *testing.T) {
	r := newRig(t)
	r.start(t, "bash", "--norc")
	tab := browser(t)
	var moved []string
	do(t, tab, chromedp.EmulateViewport(1280, 713), chromedp.Navigate(r.url+"/ann/"), shows("$"), chromedp.Evaluate(`new Promise(done => {
		const moved = [];
		new PerformanceObserver(l => moved.push(...l.getEntries().flatMap(e => e.sources).filter(s => s.node?.closest?.('#time, .under, .fold, #list, #filter') && Math.abs(s.previousRect.y - s.currentRect.y) > 4).map(s => (s.node.id || s.node.className) + ' ' + (s.currentRect.y - s.previousRect.y)))).observe({ type: 'layout-shift', buffered: true });
		setTimeout(() => done(moved), 300);
	})`, &moved, awaited), becomes(`document.documentElement.scrollHeight <= innerHeight`))
	if len(moved) > 0 {
		t.Errorf("parts moved: %q", moved)
	}
	// If the browser refuses notifications, as this one does without asking, the page says
	// so.
	do(t, tab, chromedp.Click("#notify"), text("#notify-refused", "does not allow"), chromedp.WaitVisible("#notify"))
}
