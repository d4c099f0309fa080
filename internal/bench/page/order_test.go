package page

import (
	"context"
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	shots "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/glasstty/glasstty/session"
)

// order waits until the names of the cards in a list are want, in this order.
func order(selector, want string) chromedp.Action {
	return chromedp.Poll(`[...document.querySelectorAll(`+quote(selector)+` + ' .card b')].map(b => b.textContent).join(' ') === `+quote(want), nil,
		chromedp.WithPollingTimeout(patience))
}

// TestOrder checks the order of sessions: those that wait for a person come first, and ended
// ones come last, folded. A failure is listed at the top until a person has looked at it, and
// ended sessions can be forgotten.
func TestOrder(t *testing.T) {
	r := newRig(t)
	named := func(name, command string, args ...string) *session.Session {
		s, err := r.mgr.Start(t.Context(), session.StartOptions{Command: command, Args: args, Name: name, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, name := range []string{"job1", "job2"} {
		ended(t, named(name, "sh", "-c", "echo "+name+" was here; exit 1"))
	}
	named("runs", "sh", "-c", "echo runs; sleep 1000")
	named("asks\u202egnp", "sh", "-c", "stty -echo; printf 'Password: '; read p; stty echo; sleep 1000")
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("Password:"), order("#list", "asks\ufffdgnp runs"), order("#ended-list", "job2 job1"),
		text("#ended-count", "2 ended, 2 failed"), text("#needs", "job1 failed with code 1"))
	do(t, tab, chromedp.SendKeys("#secret", "x\r"), chromedp.WaitNotVisible("#ask-secret"), text("#typed", "you typed last"), order("#list", "asks\ufffdgnp runs"))
	// After a person has looked at it, the failure is no longer listed at the top, even after
	// a reload.
	do(t, tab, chromedp.Click("#needs .failed"), shows("was here"), order("#list", "runs asks\ufffdgnp"), chromedp.WaitVisible("#forget"), chromedp.WaitNotVisible("#take"),
		chromedp.Poll(`document.querySelectorAll('#needs li').length == 1`, nil, chromedp.WithPollingTimeout(patience)),
		chromedp.Poll(`getComputedStyle(document.querySelector('#screen .cursor')).display === 'none'`, nil, chromedp.WithPollingTimeout(patience)))
	shoot(t, tab, "ended")
	do(t, tab, chromedp.Reload(), shows("was here"), chromedp.Poll(`document.querySelectorAll('#needs li').length == 1`, nil, chromedp.WithPollingTimeout(patience)))
	do(t, tab, chromedp.Click("#forget"), text("#ended-count", "1 ended"), text("#holder", "The agent has the keyboard"))
	do(t, tab, chromedp.Evaluate(`document.getElementById('ended').open = true`, nil), chromedp.Click("#forget-all"), chromedp.WaitNotVisible("#ended"))
	if n := len(r.mgr.List()); n != 2 {
		t.Errorf("%d sessions remain", n)
	}
}

// TestFilter checks that the filter hides sessions that do not match, says so when none does,
// unfolds the ended ones for a match, and finds a session by its complete ID only.
func TestFilter(t *testing.T) {
	r := newRig(t)
	var all []*session.Session
	for range 5 {
		all = append(all, r.start(t, "bash", "--norc"))
	}
	ended(t, r.start(t, "sh", "-c", "echo a last word"))
	tab := browser(t)
	shown := func(n int) chromedp.Action {
		return becomes(fmt.Sprintf(`[...document.querySelectorAll('.card')].filter(c => c.checkVisibility()).length === %d`, n))
	}
	filter := func(words string) chromedp.Action {
		return chromedp.Evaluate(fmt.Sprintf(`(f => { f.value = %s; f.dispatchEvent(new Event('input')); })(document.getElementById('filter'))`, quote(words)), nil)
	}
	do(t, tab, chromedp.Navigate(r.url+"/ann/#s1"), text("#ended-count", "1 ended"), shown(5),
		filter("no such words"), shown(0), text("#unmatched", "No session matches."),
		filter("last WORD"), shown(1), chromedp.WaitNotVisible("#unmatched"),
		filter("s3"), shown(1), filter("norc"), shown(5))
	// If more sessions wait than fit into the head of the page, it says how many, and its
	// height stays the same.
	var before, after string
	height := `['.top', '#needs'].map(e => document.querySelector(e)).map(e => e.offsetHeight + ' ' + (e.offsetHeight - e.clientHeight)).join()`
	do(t, tab, chromedp.Evaluate(height, &before))
	for _, s := range all {
		if _, err := agentTypes(t, s, "echo forbidden"); err == nil {
			t.Fatal("the command was not held")
		}
	}
	do(t, tab, text("#needs .count", "5 to look at"), becomes(`(c => c.left >= 0 && c.right < innerWidth && c.width > 60)(document.querySelector('#needs .count').getBoundingClientRect())`),
		chromedp.Evaluate(height, &after))
	if before != after {
		t.Errorf("the height of the page's head was %s and is %s", before, after)
	}
}

// TestGoneMeanwhile checks that the page forgets a session that was deleted while the server
// was away.
func TestGoneMeanwhile(t *testing.T) {
	r := newRig(t)
	r.start(t, "bash", "--norc")
	s := r.start(t, "sh", "-c", "echo a last word")
	ended(t, s)
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/#s1"), text("#ended-count", "1 ended"))
	r.conns.frozen.Lock()
	r.conns.cut()
	err := r.mgr.Delete(s.ID())
	r.conns.frozen.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	do(t, tab, text("#state", "live"), chromedp.WaitNotVisible("#ended"), shows("$"))
}

// TestQuestions checks that the page asks one question at a time, naming its subject, that
// Escape cancels it, and that the dangerous part of a held command is marked.
func TestQuestions(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("$"), chromedp.Click("#end"), text("#end-what", "End bash in bash, and all"),
		chromedp.KeyEvent("\u001b"), chromedp.WaitNotVisible("#ask-end"), chromedp.Poll(`document.activeElement.id === 'end'`, nil),
		chromedp.Click("#end"), chromedp.WaitVisible("#ask-end"), chromedp.Click("#fit"), chromedp.WaitNotVisible("#ask-end"))
	if _, err := agentTypes(t, s, "echo "+strings.Repeat("harmless ", 200)+"; echo forbidden"); err == nil {
		t.Fatal("the command was not held")
	}
	do(t, tab, text("#ask-held", "characters: read all of them"), text("#ask-held mark", "forbidden"),
		chromedp.Poll(`(([m, c]) => m.top >= c.top && m.bottom <= c.bottom)(['mark', 'code'].map(e => document.querySelector('#ask-held ' + e).getBoundingClientRect()))`, nil, chromedp.WithPollingTimeout(patience)))
	shoot(t, tab, "held")
	// On a phone with its on-screen keyboard, the command scrolls and the buttons stay in
	// view.
	do(t, tab, phone(), chromedp.ActionFunc(func(ctx context.Context) error { return emulation.SetDeviceMetricsOverride(390, 460, 2, true).Do(ctx) }),
		becomes(`[...document.querySelectorAll('#ask-held button')].every(b => { const r = b.getBoundingClientRect(); return b.contains(document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2)); })`))
	shoot(t, tab, "phone-held")
}

// TestPast checks that the page says that it shows the past, visibly and to screen readers,
// and that the history is scrolled into view when it is opened.
func TestPast(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	if _, err := agentTypes(t, s, "seq 100"); err != nil {
		t.Fatal(err)
	}
	tab := browser(t)
	var moved float64 // by how much the part below the screen moves on the way back
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("100"), chromedp.Evaluate(`const m = document.getElementById('moment'); m.value = 100; m.dispatchEvent(new Event('input'))`, nil),
		chromedp.WaitVisible("#live"), text("#status", "the past"), text("#holder", "This is the past"), chromedp.WaitVisible("#take:disabled"),
		chromedp.Poll(`/\d/.test(document.getElementById('moment').getAttribute('aria-valuetext'))`, nil),
		chromedp.Evaluate(`(() => { const s = document.getElementById('screen'), was = s.offsetHeight; document.getElementById('live').click(); return s.offsetHeight - was; })()`, &moved),
		text("#holder", "The agent has the keyboard"), becomes(`document.activeElement.id === 'moment'`), chromedp.Poll(`document.getElementById('moment').getAttribute('aria-valuetext') === 'live'`, nil),
		chromedp.Click("#look"), chromedp.WaitVisible("#above .row"))
	var top, bottom, height float64
	do(t, tab, chromedp.Evaluate(`document.getElementById('history').getBoundingClientRect().top`, &top),
		chromedp.Evaluate(`document.getElementById('history').getBoundingClientRect().bottom`, &bottom), chromedp.Evaluate(`innerHeight`, &height),
		becomes(`(s => s.scrollTop + s.clientHeight - document.getElementById('above').offsetHeight < s.clientHeight / 2)(document.getElementById('stage'))`)) // lines above the screen come into view
	if moved != 0 {
		t.Errorf("the screen is %v pixels higher until the live screen arrives", moved)
	}
	if top < 0 || bottom > height {
		t.Errorf("the history spans %v to %v in a window of height %v", top, bottom, height)
	}
	// Escape clears the field, or closes the history if the field is empty.
	do(t, tab, chromedp.SendKeys("#query", "x"+kb.Escape), becomes(`document.getElementById('query').value === ''`), chromedp.WaitVisible("#history"),
		chromedp.SendKeys("#query", kb.Escape), chromedp.WaitNotVisible("#history"), becomes(`document.activeElement.id === 'look'`))
	shoot(t, tab, "history")
}

// TestSmallLetters checks that the tops of letters on a small screen on a phone are not cut
// off, by comparing the screen with one whose rows overflow, and that opening the page sets
// no focus.
func TestSmallLetters(t *testing.T) {
	r := newRig(t)
	r.start(t, "sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do echo HHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHH; done; sleep 1000")
	tab := browser(t)
	do(t, tab, phone(), chromedp.Navigate(r.url+"/ann/"), chromedp.Evaluate(`localStorage.thumbs = 'on'`, nil), chromedp.Reload(),
		chromedp.Poll(`[...document.querySelectorAll('.mini .row')].filter(r => r.textContent.includes('HHHH')).length == 9`, nil, chromedp.WithPollingTimeout(patience)))
	var focus string
	do(t, tab, chromedp.Evaluate(`document.activeElement.tagName`, &focus))
	if focus != "BODY" {
		t.Errorf("the focus is on %s, want BODY", focus)
	}
	as := ink(t, tab, ".mini")
	do(t, tab, chromedp.Evaluate(`document.querySelectorAll('.mini .row').forEach(r => { r.style.overflow = 'visible' })`, nil))
	if whole := ink(t, tab, ".mini"); as < whole*0.98 {
		t.Errorf("rows are cut off: they have %v of %v ink", as, whole)
	}
}

// TestUnderscores checks that underscores, the lowest characters in a row, are not cut off at
// any font size that a window may lead to.
func TestUnderscores(t *testing.T) {
	r := newRig(t)
	r.start(t, "sh", "-c", "printf '\\033[?25l'; for i in 1 2 3 4 5 6 7 8 9; do echo ____________________; done; sleep 1000")
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("____\n"), chromedp.Evaluate(`document.fonts.ready.then(() => 1)`, nil, awaited))
	rows := func(contain, overflow string) chromedp.Action {
		return chromedp.Evaluate(fmt.Sprintf(`document.querySelectorAll('#screen .row').forEach(r => { r.style.contain = '%s'; r.style.overflow = '%s' })`, contain, overflow), nil)
	}
	for size := 8.0; size < 19; size += 0.375 {
		do(t, tab, chromedp.Evaluate(fmt.Sprintf(`document.querySelector('.glass').style.setProperty('--size', '%gpx')`, size), nil))
		as := ink(t, tab, "#screen")
		do(t, tab, rows("size layout style", "visible"))
		whole := ink(t, tab, "#screen")
		do(t, tab, rows("", ""))
		if as < 0.9*whole {
			t.Errorf("at font size %g px, rows are cut off: they have %v of %v ink", size, as, whole)
		}
	}
}

// ink returns how much of the first element that matches the selector is lit.
func ink(t *testing.T, tab context.Context, selector string) (sum float64) {
	t.Helper()
	var box struct{ X, Y, Width, Height float64 }
	var data []byte
	do(t, tab, chromedp.Evaluate(`(({x, y, width, height}) => ({x, y, width, height}))(document.querySelector(`+quote(selector)+`).getBoundingClientRect())`, &box),
		chromedp.ActionFunc(func(ctx context.Context) (err error) {
			data, err = shots.CaptureScreenshot().WithClip(&shots.Viewport{X: box.X, Y: box.Y, Width: box.Width, Height: box.Height, Scale: 1}).Do(ctx)
			return err
		}))
	m := decode(t, data)
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, bl, _ := m.At(x, y).RGBA()
			sum += float64(r+g+bl) / 3 / 0xffff
		}
	}
	background, _, _, _ := m.At(b.Max.X-20, (b.Min.Y+b.Max.Y)/2).RGBA()
	return sum - float64(background)/0xffff*float64(image.Rectangle(b).Dx()*b.Dy())
}
