package page

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session"
)

// TestComposing checks that composed text is shown at the cursor on a phone with small
// letters.
func TestComposing(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	if _, err := agentTypes(t, s, "clear; seq 1 20"); err != nil {
		t.Fatal(err)
	}
	tab := browser(t)
	do(t, tab, phone(), chromedp.Navigate(r.url+"/ann/#s1"), shows("20"), chromedp.Click("#take"), chromedp.WaitVisible("#typing"),
		chromedp.KeyEvent("echo "), shows("$ echo"), input.ImeSetComposition("かな", 2, 2),
		becomes(`(() => {
			const c = document.querySelector('#screen .cursor').getBoundingClientRect(), t = document.getElementById('typing').getBoundingClientRect();
			return document.getElementById('typing').classList.contains('composing') && Math.abs(c.left - t.left) < 3 && Math.abs(c.top - t.top) < 3;
		})()`))
	shoot(t, tab, "composing")
	do(t, tab, input.InsertText("仮名"), shows("$ echo 仮名"))
}

// TestAboveKeepsUp checks scrolling back while a program prints: lines that leave the screen
// meanwhile are added above it, and the lines in view stay.
func TestAboveKeepsUp(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	if _, err := agentTypes(t, s, "clear; seq 1 100"); err != nil {
		t.Fatal(err)
	}
	tab := browser(t)
	wheel := func(by float64) chromedp.Action {
		return chromedp.ActionFunc(func(ctx context.Context) error {
			return input.DispatchMouseEvent(input.MouseWheel, 600, 300).WithDeltaX(0).WithDeltaY(by).Do(ctx)
		})
	}
	first := `(() => { const top = document.getElementById('stage').getBoundingClientRect().top; return [...document.querySelectorAll('#above .row')].find(r => r.getBoundingClientRect().top >= top)?.textContent ?? ''; })()`
	var before, after, all string
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("100"), wheel(-100), text("#above", "50"), wheel(-600),
		becomes(first+` === '50' || `+first+` < '60' && `+first+` !== ''`))
	still := `new Promise(done => { let was = ''; (function look() { const now = ` + first + `; if (now && now === was) done(now); else { was = now; setTimeout(look, 300); } })(); })`
	do(t, tab, chromedp.Evaluate(still, &before, awaited)) // wait for the end of smooth scrolling
	if _, err := agentTypes(t, s, "seq 101 160"); err != nil {
		t.Fatal(err)
	}
	do(t, tab, shows("160"), text("#above", "120"), chromedp.Evaluate(still, &after, awaited),
		chromedp.Evaluate(`[...document.querySelectorAll('#above .row, #screen .row')].map(r => r.textContent.trim()).join(' ')`, &all))
	if before != after {
		t.Errorf("the first line in view was %s and is %s", before, after)
	}
	if !strings.Contains(all, "136 137 138 139 140 141 142") {
		t.Errorf("lines are missing: %s", all)
	}
	// Cleared lines disappear, and the screen continues to be updated.
	if _, err := agentTypes(t, s, "printf '\\033[H\\033[2J\\033[3J'; echo cleared"); err != nil {
		t.Fatal(err)
	}
	do(t, tab, chromedp.WaitNotVisible("#above"), becomes(`document.querySelector('#screen .row').textContent.startsWith('cleared')`))
	if _, err := agentTypes(t, s, "seq 1 100"); err != nil {
		t.Fatal(err)
	}
	do(t, tab, shows("100"), wheel(-100), text("#above", "50"))
	// The past shows only the screen of that moment.
	do(t, tab, slide(990), chromedp.WaitVisible("#live"), chromedp.WaitNotVisible("#above"), becomes(inView))
}

// numbered is a program that prints numbered lines, and after Enter more of them for a while.
const numbered = `
import sys, time
for n in range(1, 4000, 20):
    sys.stdout.write("".join("%06d\r\n" % k for k in range(n, n + 20)))
    sys.stdout.flush()
    if n == 101: input()
    time.sleep(0.01)
sys.stdout.write("the end")
sys.stdout.flush()
time.sleep(1000)
`

// seams is JavaScript that checks at every animation frame whether the numbers above the
// screen and on it are consecutive, and records where they are not.
const seams = `window.seams = []; window.looked = 0; window.scrolled = new Set(); (function look() {
	const above = [...document.querySelectorAll('#above .row')].map(r => r.textContent);
	const all = above.concat([...document.querySelectorAll('#screen .row')].map(r => r.textContent)).filter(t => /^\d{6}$/.test(t.trim())).map(Number);
	if (above.length) { looked++; scrolled.add(above.at(-1)); }
	for (let i = 1; i < all.length; i++) if (all[i] !== all[i - 1] + 1 && seams.length < 10) seams.push(all[i - 1] + ' ' + all[i]);
	requestAnimationFrame(look);
})(); 1`

// TestSeam checks scrolling back during a flood of output: the lines above the screen and on
// it are consecutive at every moment, to the last one.
func TestSeam(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "python3", "-c", numbered)
	tab := browser(t)
	var found []string
	var pictures, moved int
	wheel := func(by float64) chromedp.Action {
		return chromedp.ActionFunc(func(ctx context.Context) error {
			return input.DispatchMouseEvent(input.MouseWheel, 600, 300).WithDeltaX(0).WithDeltaY(by).Do(ctx)
		})
	}
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("000120"), chromedp.Evaluate(seams, nil), wheel(-100), text("#above", "000090"))
	if _, err := agentTypes(t, s, ""); err != nil {
		t.Fatal(err)
	}
	do(t, tab, shows("the end"), text("#above", "003970"),
		chromedp.Evaluate(`seams`, &found), chromedp.Evaluate(`looked`, &pictures), chromedp.Evaluate(`scrolled.size`, &moved))
	if len(found) > 0 || pictures < 2 || moved < 2 {
		t.Errorf("lines that are not consecutive: %q, in %d frames with %d different positions", found, pictures, moved)
	}
	// Turning the wheel leads back to the live screen.
	do(t, tab, wheel(100000), becomes(`(s => s.scrollTop + s.clientHeight >= s.scrollHeight - 1)(document.getElementById('stage'))`),
		wheel(100), chromedp.WaitNotVisible("#above"), shows("the end"))
}

// TestNoteKept checks that a note that could not be sent is kept.
func TestNoteKept(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("$"), chromedp.Click("#take"), chromedp.WaitVisible("#typing"),
		chromedp.Click("#give"), chromedp.WaitVisible("#note"), chromedp.SendKeys("#note", "look at the log"))
	r.conns.frozen.Lock()
	do(t, tab, chromedp.KeyEvent("\r"), expires(), text("#state", "no answer since"))
	r.conns.frozen.Unlock()
	do(t, tab, text("#trouble", "too late"), chromedp.Click("#give"), becomes(`document.getElementById('note').value === 'look at the log'`),
		chromedp.Click("#ask-note button.main"), text("#holder", "The agent has the keyboard"))
	if k := s.Info().Keyboard; k.State != session.KeyboardFree {
		t.Errorf("the keyboard is %v, want free", k)
	}
}

// TestWaitsForKeys checks that a full-screen program is shown as waiting for keys, not as
// asking.
func TestWaitsForKeys(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "top")
	if _, err := s.Exchange(t.Context(), session.Input{}, session.Wait{Timeout: patience}, nil); err != nil {
		t.Fatal(err)
	}
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("PID"), text("#status", "waits for keys"),
		chromedp.Click("#take"), chromedp.WaitVisible("#typing"), chromedp.KeyEvent("h"), shows("Help for"), text("#typed", "you typed last"))
}

// TestAsksInShell checks that a program in a shell is shown as asking, and as working after
// the answer.
func TestAsksInShell(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	if reply, err := agentTypes(t, s, "read -p 'Continue? [Y/n] ' a; sleep 1000"); err != nil || reply.Reason != detect.AwaitingInput {
		t.Fatalf("got error %v, reply %+v", err, reply)
	}
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("Continue?"), text("#status", "asks"), text("#list .pill", "asks"))
	if _, err := s.Type(t.Context(), session.Input{Text: "y", Enter: true}); err != nil {
		t.Fatal(err)
	}
	do(t, tab, text("#status", "working"))
}

// TestQuoted checks that the page quotes the question of the open session only.
func TestQuoted(t *testing.T) {
	r := newRig(t)
	r.start(t, "bash", "--norc")
	r.start(t, "sh", "-c", "stty -echo; printf 'A word for you: '; read p; sleep 1000")
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/#s1"), shows("$"), text("#needs", "sh asks for a password"),
		to("s2"), chromedp.WaitVisible("#secret"), text("#secret-line", "A word for you:"))
}

// TestLargeWindow checks that the screen fills a large window.
func TestLargeWindow(t *testing.T) {
	r := newRig(t)
	r.start(t, "bash", "--norc")
	tab := browser(t)
	do(t, tab, chromedp.EmulateViewport(1920, 1080), chromedp.Navigate(r.url+"/ann/"), shows("$"),
		becomes(`(({ width, height }) => width > 1200 && height > 700 && height < 950)(document.getElementById('screen').getBoundingClientRect())`),
		becomes(`document.getElementById('stage').scrollHeight <= document.getElementById('stage').clientHeight`))
	shoot(t, tab, "large")
}

// TestLastLine checks that the list shows the last line of a session's screen, all of it if
// it is soft-wrapped, and no border.
func TestLastLine(t *testing.T) {
	r := newRig(t)
	r.start(t, "vim", "-u", "NONE", "-N", "-c", "set noshowmode noruler", "-c", "call setline(1, 'the only line')")
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("~"), text("#list .last", "the only line"))
	wraps := "begins here " + strings.Repeat("- ", 45) + "and ends there"
	r.start(t, "sh", "-c", "echo "+wraps+"; sleep 1000")
	do(t, tab, becomes(`[...document.querySelectorAll('#list .last')].some(l => l.textContent === `+quote(wraps)+`)`))
}
