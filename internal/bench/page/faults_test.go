package page

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session"
)

// becomes waits until a JavaScript expression is true.
func becomes(expression string) chromedp.Action {
	return chromedp.Poll(expression, nil, chromedp.WithPollingTimeout(patience))
}

// steady waits until the form with the held command accepts a click.
func steady() chromedp.Action {
	return becomes(`!document.getElementById('ask-held').hidden && !document.getElementById('asks').classList.contains('unsteady')`)
}

// inView is a JavaScript expression that is true if the cursor is in view on the large
// screen.
const inView = `(() => {
	const c = document.querySelector('#screen .cursor').getBoundingClientRect(), s = document.getElementById('stage').getBoundingClientRect();
	return c.height > 0 && c.top >= s.top && c.bottom <= Math.min(s.bottom, innerHeight) + 1 && c.left >= s.left && c.left <= s.right;
})()`

// slide moves the slider of the time line.
func slide(permille int) chromedp.Action {
	return chromedp.Evaluate(fmt.Sprintf(`(() => { const m = document.getElementById('moment'); m.value = %d; m.dispatchEvent(new Event('input')); })()`, permille), nil)
}

// TestFirstMoment checks the left end of a session's time line, and that an error shown for
// one session disappears when another is opened.
func TestFirstMoment(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	r.start(t, "cat")
	if _, err := agentTypes(t, s, "echo some output"); err != nil {
		t.Fatal(err)
	}
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/#s1"), shows("some output"), slide(0), chromedp.WaitVisible("#live"), gone("some output"),
		becomes(`!document.getElementById('when').textContent.includes('argument')`),
		chromedp.Click("#live"), text("#when", "live"), shows("some output"),
		chromedp.Evaluate(`document.getElementById('when').textContent = 'trouble'; location.hash = 's2'`, nil), text("#when", "live"))
}

// TestSilentServer checks that the page says since when the server has not answered, and that
// an action requested meanwhile is not done when the server is back.
func TestSilentServer(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("$"))
	r.conns.frozen.Lock()
	do(t, tab, chromedp.Click("#take"), becomes(`document.getElementById('take').getAttribute('aria-busy') === 'true'`),
		expires(), text("#state", "no answer since"), becomes(`document.getElementById('take').disabled && document.getElementById('take').title !== ''`))
	shoot(t, tab, "silent")
	r.conns.frozen.Unlock()
	do(t, tab, text("#state", "live"), becomes(`!document.getElementById('take').disabled`), text("#trouble", "too late"))
	if k := s.Info().Keyboard; k.State != session.KeyboardFree {
		t.Errorf("the keyboard is %v, want free", k)
	}
}

// expires waits until the server refuses actions that were requested before.
func expires() chromedp.Action {
	return chromedp.Tasks{chromedp.Evaluate(`window.asked = Date.now()`, nil), becomes(`Date.now() > asked + 5500`)}
}

// TestLostKeys checks that the page says which keys were lost while the server was frozen,
// even if the person types on, and that it does not show the keyboard as hers meanwhile.
func TestLostKeys(t *testing.T) {
	r := newRig(t)
	r.start(t, "bash", "--norc")
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("$"), chromedp.Click("#take"), chromedp.WaitVisible("#typing"))
	r.conns.frozen.Lock()
	do(t, tab, chromedp.KeyEvent("echo gone\r"), expires(), text("#holder", "The server does not answer. What you type now may be lost."), text("#status", "no answer"))
	r.conns.frozen.Unlock()
	do(t, tab, text("#trouble", "Not typed: “echo gone⏎”"), text("#holder", "You have the keyboard"),
		chromedp.KeyEvent("echo typed on\r"), shows("\ntyped on"), text("#trouble", "Not typed: “echo gone⏎”"), gone("echo gone"))
}

// TestHeldExactly checks that a held command is wrapped only where a line is full, and is
// copied unchanged.
func TestHeldExactly(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	line := "echo forbidden  two-spaces" + strings.Repeat(" --a-rather-long-option=with-a-value", 8)
	if _, err := agentTypes(t, s, line); err == nil {
		t.Fatal("the command was not held")
	}
	tab := browser(t)
	var copied string
	var short int
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), text("#ask-held", "forbidden"),
		chromedp.Evaluate(`(() => {
			const code = document.querySelector('#ask-held code'), right = code.getBoundingClientRect().right, range = document.createRange();
			range.selectNodeContents(code);
			const ends = {}; // of each line
			for (const { top, right } of range.getClientRects()) ends[top] = Math.max(ends[top] ?? 0, right);
			const all = Object.entries(ends).sort((a, b) => a[0] - b[0]).map(([, x]) => x);
			return all.length < 2 ? 99 : all.slice(0, -1).filter((x) => right - x > 30).length;
		})()`, &short),
		chromedp.Evaluate(`(() => { getSelection().selectAllChildren(document.querySelector('#ask-held code')); return getSelection().toString(); })()`, &copied))
	if short > 0 || copied != line {
		t.Errorf("%d lines are wrapped before the edge; copied %q", short, copied)
	}
}

// TestPhoneKeyboard checks that the cursor is in view on a phone whose keyboard covers half
// of the screen.
func TestPhoneKeyboard(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	if _, err := agentTypes(t, s, "seq 1 40"); err != nil {
		t.Fatal(err)
	}
	tab := browser(t)
	do(t, tab, phone(), chromedp.Navigate(r.url+"/ann/#s1"), shows("40"), chromedp.Click("#take"), chromedp.WaitVisible("#typing"),
		chromedp.ActionFunc(func(ctx context.Context) error {
			return emulation.SetDeviceMetricsOverride(390, 460, 2, true).Do(ctx)
		}),
		becomes(inView), becomes(`document.getElementById('stage').clientHeight > 150`))
	shoot(t, tab, "phone-keyboard")
	do(t, tab, chromedp.KeyEvent("echo in view"), shows("echo in view"), becomes(inView))
}

// TestTallTerminal checks that a terminal of 200 rows is opened with its cursor in view.
func TestTallTerminal(t *testing.T) {
	r := newRig(t)
	s, err := r.mgr.Start(t.Context(), session.StartOptions{
		Command: need.Program(t, "sh"), Args: []string{"-c", "seq 1 150; printf here; cat"}, Size: emulator.Size{Rows: 200, Cols: 80},
	})
	if err != nil {
		t.Fatal(err)
	}
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("here"), becomes(inView))
	if s.Info().Size.Rows != 200 {
		t.Error("the terminal's size changed")
	}
}

// still is JavaScript that records the position of the screen, and from then on the parts of
// the page that move by more than 4 pixels. It ignores the cursor, which the program moves,
// and the state labels in the list, whose lengths differ.
const still = `window.shifted = []; window.note = (es) => { for (const s of es.flatMap(e => e.sources)) {
	const a = s.previousRect, b = s.currentRect;
	if (Math.hypot(a.x - b.x, a.y - b.y) > 4 && !s.node?.matches?.('.cursor, .card .pill')) shifted.push(s.node?.id || s.node?.outerHTML + '');
} };
window.shifts = new PerformanceObserver(l => note(l.getEntries())); shifts.observe({type: 'layout-shift', buffered: false}); window.top0 = document.getElementById('screen').getBoundingClientRect().top; 1`

// drawn is JavaScript that waits until all changes are drawn and recorded.
const drawn = `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => { note(shifts.takeRecords()); done(1); }, 50))))`

// moved is JavaScript for the distance in pixels that the screen has moved since still.
const moved = `Math.abs(document.getElementById('screen').getBoundingClientRect().top - top0)`

// TestTerminalKeepsItsPlace checks that the terminal does not move when a form is opened.
func TestTerminalKeepsItsPlace(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	tab := browser(t)
	check := func(what string) {
		t.Helper()
		var by float64
		var shifted []string
		do(t, tab, chromedp.Evaluate(drawn, nil, awaited), chromedp.Evaluate(moved, &by), chromedp.Evaluate(`shifted.splice(0)`, &shifted))
		shoot(t, tab, "place-"+what)
		if by > 4 || len(shifted) > 0 {
			t.Errorf("%s: the screen moved by %v px; other parts that moved: %q", what, by, shifted)
		}
	}
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("$"), chromedp.Evaluate(`document.fonts.ready.then(() => 1)`, nil, awaited), chromedp.Evaluate(still, nil))
	if _, err := agentTypes(t, s, "echo forbidden"); err == nil {
		t.Fatal("the command was not held")
	}
	do(t, tab, text("#ask-held", "Names what is forbidden. Run it?"))
	check("held")
	do(t, tab, steady(), chromedp.Click("#ask-held button.main"), chromedp.WaitNotVisible("#ask-held"), becomes(`document.activeElement !== document.body`))
	check("refused")
	if _, err := agentTypes(t, s, "read -sp 'The word for sesame: ' p"); err != nil {
		t.Fatal(err)
	}
	do(t, tab, chromedp.WaitVisible("#secret"), text("#secret-line", "The word for sesame:"))
	check("secret")
	do(t, tab, chromedp.SendKeys("#secret", "x\r"), chromedp.WaitNotVisible("#secret"), chromedp.Click("#take"), chromedp.WaitVisible("#typing"))
	check("taken")
	do(t, tab, chromedp.Click("#give"), chromedp.WaitVisible("#note"), chromedp.Click("#ask-note button.main"), chromedp.WaitNotVisible("#typing"))
	check("given")
	do(t, tab, chromedp.Click("#pause"), text("#pause", "Resume"))
	check("paused")
	do(t, tab, chromedp.Click("#pause"), text("#pause", "Pause"))
	check("resumed")
	do(t, tab, chromedp.Click("#take"), chromedp.WaitVisible("#typing"))
	check("taken again")
	do(t, tab, chromedp.Click("#give"), chromedp.WaitVisible("#note"))
	check("note")
	do(t, tab, chromedp.KeyEvent(kb.Escape), chromedp.Click("#end"), chromedp.WaitVisible("#let-live"))
	check("end")
	do(t, tab, chromedp.Click("#let-live"), chromedp.Click("#look"), chromedp.WaitVisible("#query"))
	check("history")
}

// TestWheel checks that the wheel scrolls back, and that a soft-wrapped line is copied as one
// line.
func TestWheel(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	long := strings.Repeat("long ", 30)
	if _, err := agentTypes(t, s, "clear; seq 1 100; echo "+long); err != nil {
		t.Fatal(err)
	}
	tab := browser(t)
	wheel := chromedp.ActionFunc(func(ctx context.Context) error {
		return input.DispatchMouseEvent(input.MouseWheel, 600, 300).WithDeltaX(0).WithDeltaY(-400).Do(ctx)
	})
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("100"), wheel, text("#above", "50"), wheel,
		becomes(`document.getElementById('stage').scrollTop < document.getElementById('screen').parentNode.offsetTop - 100`))
	shoot(t, tab, "scrolled")
	var copied string
	do(t, tab, chromedp.Evaluate(`(() => {
		getSelection().selectAllChildren(document.getElementById('screen'));
		const data = new DataTransfer(), e = new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true });
		document.getElementById('screen').dispatchEvent(e);
		return data.getData('text/plain');
	})()`, &copied))
	if !strings.Contains(copied, "\n"+strings.TrimSpace(long)) {
		t.Errorf("copied %q", copied)
	}
}

// TestNeeded checks that the tab's title and icon say when a person is needed.
func TestNeeded(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("$"), becomes(`document.title === 'bash – glasstty'`))
	if _, err := agentTypes(t, s, "echo forbidden"); err == nil {
		t.Fatal("the command was not held")
	}
	do(t, tab, becomes(`document.title === '● bash wants to run a command — glasstty'`), becomes(`document.querySelector('link[rel=icon]').href.endsWith('icon-needs.svg')`),
		steady(), chromedp.Click("#ask-held button.main"), becomes(`document.title === 'bash – glasstty'`))
}

// TestMomentOfLine checks that a found line leads to the moment at which it was printed, and
// that the time line marks how commands ended.
func TestMomentOfLine(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	// The command waits for Enter, so that the log has its echo and its output as two events.
	for _, line := range []string{"seq 1 30", "read x; echo needle", "", "false", "seq 1 50", "clear"} {
		if _, err := agentTypes(t, s, line); err != nil {
			t.Fatal(err)
		}
	}
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("$"), chromedp.Click("#look"), chromedp.SendKeys("#query", "needle\r"), text("#found", "found"),
		chromedp.Click("#found button:nth-last-of-type(1)"), chromedp.WaitVisible("#live"), shows("needle"), gone("50"), text("#screen [data-hit]", "needle"),
		// Each line has its own moment; a command line has the moment when it was typed.
		// Escape closes the history from there too.
		chromedp.Click("#found button"), text("#screen [data-hit]", "$ read x; echo needle"), gone("\nneedle"), chromedp.KeyEvent(kb.Escape), chromedp.WaitNotVisible("#history"),
		becomes(`document.querySelectorAll('#marks .done').length >= 4 && document.querySelectorAll('#marks .failed').length === 1`))
}

// TestEndedByPerson checks that the agent and other people are told who ended a program and
// changed its size, and that the end is not shown as a failure.
func TestEndedByPerson(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	ann, bob := browser(t), browser(t)
	do(t, bob, chromedp.Navigate(r.url+"/bob/"), shows("$"))
	do(t, ann, chromedp.Navigate(r.url+"/ann/"), shows("$"), chromedp.Click("#fit"), becomes(`document.querySelectorAll('#screen .row').length !== 24`))
	reply, err := agentTypes(t, s, "echo again")
	if notes := fmt.Sprint(reply.Notes); err != nil || !strings.Contains(notes, "ann changed the terminal's size to") {
		t.Errorf("got error %v, notes %q", err, notes)
	}
	do(t, ann, chromedp.Click("#end"), chromedp.Click("#ask-end button.danger"))
	ended(t, s)
	do(t, ann, text("#holder", "You ended it at "), becomes(`document.activeElement !== document.body`))
	do(t, bob, text("#holder", "Ended by ann"), becomes(`!document.querySelector('#needs li') && document.getElementById('status').className === 'pill ended'`))
	if _, err := agentTypes(t, s, "x"); err == nil || !strings.Contains(err.Error(), "ended by ann") {
		t.Errorf("the agent's error is %v", err)
	}
}
