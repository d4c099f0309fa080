package page

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	keyboard "github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session"
)

// phone makes a tab a phone: 360 pixels wide, with touch.
func phone() chromedp.Action {
	return chromedp.Tasks{
		chromedp.ActionFunc(func(ctx context.Context) error {
			return emulation.SetDeviceMetricsOverride(360, 740, 2, true).Do(ctx)
		}),
		chromedp.ActionFunc(func(ctx context.Context) error {
			return emulation.SetTouchEmulationEnabled(true).Do(ctx)
		}),
	}
}

// narrow checks that the page does not scroll sideways, and that touch targets are large
// enough.
func narrow(t *testing.T, tab context.Context, view string) {
	t.Helper()
	var wide []string
	do(t, tab, chromedp.Evaluate(`[...document.querySelectorAll('body, .top, .panes, nav, main')].filter(e => e.scrollWidth > innerWidth).map(e => e.tagName + ' ' + e.scrollWidth)
		.concat([...document.querySelectorAll('button, input:not([type=checkbox]):not([type=range]), select')].filter(e => e.offsetParent && (e.offsetHeight < 40 || e.offsetWidth < 40)).map(e => e.outerHTML + ' ' + e.offsetWidth + '×' + e.offsetHeight))`, &wide))
	if len(wide) > 0 {
		t.Errorf("%s: too wide or too small: %s", view, strings.Join(wide, "\n"))
	}
	shoot(t, tab, "phone-"+view)
}

// TestPhone checks looking and typing on a phone.
func TestPhone(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	other := r.start(t, "bash", "--norc")
	if _, err := agentTypes(t, s, `printf '\033]2;%s\007' $(printf 'x%.0s' $(seq 500))`); err != nil {
		t.Fatal(err)
	}
	tab := browser(t)
	do(t, tab, phone(), chromedp.Navigate(r.url+"/ann/"), chromedp.WaitVisible(`.card`), text("#list", "bash"))
	narrow(t, tab, "list")
	do(t, tab, chromedp.Click(`li:nth-child(1) .card`), shows("$"))
	narrow(t, tab, "session")
	do(t, tab, chromedp.Click("#take"), chromedp.WaitVisible("#touch"), chromedp.WaitVisible("#typing"))
	// An on-screen keyboard composes and corrects words.
	for _, word := range []string{"e", "ec", "eco", "ech", "echo"} {
		do(t, tab, keyboard.ImeSetComposition(word, int64(len(word)), int64(len(word))))
	}
	do(t, tab, keyboard.InsertText("echo"), keyboard.InsertText(" by hand"), shows("$ echo by hand"))
	// The page has keys that the keyboard lacks, and modifiers for those that it has.
	do(t, tab, tap("←"), tap("←"), tap("Ctrl"), keyboard.InsertText("k"), shows("$ echo by ha"), gone("by hand"),
		tap("Home"), keyboard.InsertText("#"), shows("#echo by ha"), tap("Ctrl"), keyboard.InsertText("c"), shows("^C"))
	narrow(t, tab, "typing")
	var before, after float64
	size := `parseFloat(getComputedStyle(document.getElementById('screen')).fontSize)`
	do(t, tab, chromedp.Evaluate(size, &before), chromedp.Click("#zoom"), chromedp.Evaluate(size, &after))
	if before > 8 || after < 12 {
		t.Errorf("letters have %v pixels, the larger ones %v", before, after)
	}
	narrow(t, tab, "large")
	do(t, tab, chromedp.Click("#all"), chromedp.WaitNotVisible("#one"), chromedp.WaitVisible("#list"), chromedp.NavigateBack(), chromedp.WaitVisible("#one"))
	if _, err := agentTypes(t, other, "echo forbidden"); err == nil {
		t.Fatal("the command was not held")
	}
	do(t, tab, chromedp.Click("#needs button"), text("#ask-held", "echo forbidden"))
	narrow(t, tab, "held")
}

// tap touches a key on the page.
func tap(face string) chromedp.Action {
	return chromedp.Click(fmt.Sprintf(`//div[@id="touch"]/button[text()=%q]`, face), chromedp.BySearch)
}

// gone waits until the large screen no longer contains text.
func gone(text string) chromedp.Action {
	return chromedp.Poll(`!document.getElementById('screen').innerText.includes(`+quote(text)+`)`, nil, chromedp.WithPollingTimeout(patience))
}

// TestAllAtOnce checks that the view of all sessions says which need a person and leads to
// one of them.
func TestAllAtOnce(t *testing.T) {
	r := newRig(t)
	for i := range 3 {
		if _, err := agentTypes(t, r.start(t, "bash", "--norc"), fmt.Sprintf("echo number-$((%d))-", i)); err != nil {
			t.Fatal(err)
		}
	}
	asks := r.start(t, "sh", "-c", "stty -echo; printf 'Password: '; read p; stty echo; echo thanks; sleep 1000")
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/#*"), chromedp.WaitVisible("#list"), chromedp.WaitNotVisible("#one"),
		text("#list", "sh"), becomes(`![...document.querySelectorAll('.mini')].some(m => m.offsetHeight)`),
		chromedp.Click("#thumbs"), chromedp.Poll(`[...document.querySelectorAll('.mini')].filter(m => /number-\d-|Password/.test(m.textContent)).length == 4`, nil, chromedp.WithPollingTimeout(patience)),
		text("#needs", "sh asks for a password"))
	shoot(t, tab, "all")
	do(t, tab, chromedp.Click("#needs button"), chromedp.WaitVisible("#secret"), shows("Password:"),
		chromedp.SendKeys("#secret", "hunter2\r"), shows("thanks"),
		chromedp.Poll(`document.querySelectorAll('#needs li').length == 0`, nil))
	if !strings.Contains(asks.Snapshot(0).Text(), "thanks") {
		t.Error("the page opened the wrong session")
	}
	do(t, tab, chromedp.Click("#all"), chromedp.WaitNotVisible("#one"), chromedp.Click("li:nth-child(2) .card"), shows("number-1-"))
	// Errors are scrolled into view.
	if _, err := agentTypes(t, r.start(t, "bash", "--norc"), "ls /nonexistent"); err != nil {
		t.Fatal(err)
	}
	r.start(t, "sh", "-c", "echo so it ends; exit 7")
	do(t, tab, text("#needs .failed", "sh failed with code 7"), chromedp.Click("li:nth-child(5) .card"), text("#failed", "failed, code 2: ls /nonexistent"), text("li:nth-child(5) .pill", "at its prompt, code 2"))
	shoot(t, tab, "errors")
}

// TestWhoTyped checks that the agent's inputs are told apart from a person's, and that an
// input leads to its moment.
func TestWhoTyped(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	if _, err := agentTypes(t, s, "echo from the agent; clear"); err != nil {
		t.Fatal(err)
	}
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("$"), chromedp.Click("#take"), chromedp.WaitVisible("#typing"),
		chromedp.SendKeys("#typing", "echo from ann; clear\r"), chromedp.Click("#inputs summary"),
		text("#typings li.agent", "echo from the agent; clear"), text("#typings li.person b", "you"), text("#typings li.person", "echo from ann"),
		chromedp.Poll(`document.querySelectorAll('#marks .agent').length == 1 && document.querySelectorAll('#marks .person').length >= 1`, nil),
		text("#typed", "you typed last"))
	shoot(t, tab, "typed")
	do(t, tab, chromedp.Click("#typings li.person button"), chromedp.WaitVisible("#live"), chromedp.WaitNotVisible("#typing"),
		chromedp.Click("#live"), text("#when", "live"), chromedp.WaitVisible("#typing"))
}

// TestClientTyped checks that the agent is called by the name and version of its client.
func TestClientTyped(t *testing.T) {
	r := newRig(t)
	s, err := r.mgr.Start(t.Context(), session.StartOptions{Command: need.Program(t, "bash"), Args: []string{"--norc"}, Dir: r.dir, Client: "claude-code 1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := agentTypes(t, s, "echo from the agent"); err != nil {
		t.Fatal(err)
	}
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), chromedp.Click("#inputs summary"),
		text("#typings li.agent b", "claude-code 1"), text("#inputs summary .agent", "claude-code 1"), text("#typed", "claude-code 1 typed last"))
}

// TestRestart checks that the page says that the server has restarted, and continues.
func TestRestart(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("$"), chromedp.Click("#take"), chromedp.WaitVisible("#typing"))
	r.restart()
	do(t, tab, text("#state", "the server has restarted"), chromedp.WaitVisible("#typing"),
		chromedp.SendKeys("#typing", "echo go on\r"), shows("\ngo on"))
	if _, err := agentTypes(t, s, "no"); err == nil {
		t.Error("the agent's input was accepted, want an error")
	}
}

// TestBarred checks that a browser whose link has expired is told to ask for a new one.
func TestBarred(t *testing.T) {
	r := newRig(t)
	r.start(t, "bash", "--norc")
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("$"))
	r.barred.Store(true)
	r.restart()
	do(t, tab, text("#state", "ask for a new link"))
	shoot(t, tab, "barred")
}

// TestSpoken checks that a screen reader is told what changed, without being flooded.
func TestSpoken(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("$"),
		chromedp.Evaluate(`window.said = []; new MutationObserver(() => said.push(document.getElementById('said').textContent)).observe(document.getElementById('said'), {childList: true}); 1`, nil))
	if _, err := agentTypes(t, s, "echo hello to $((6*7))"); err != nil {
		t.Fatal(err)
	}
	do(t, tab, chromedp.Poll(`said.join().includes('hello to 42')`, nil), chromedp.Evaluate(`said.length = 0`, nil))
	if _, err := agentTypes(t, s, "for i in $(seq 100); do echo line $i of a flood; sleep 0.02; done"); err != nil {
		t.Fatal(err)
	}
	var said []string
	do(t, tab, chromedp.Poll(`document.getElementById('text').textContent.includes('line 100 of')`, nil), chromedp.Evaluate(`said`, &said))
	size := 0
	for _, words := range said {
		size += len(words)
	}
	if len(said) > 10 || size > 10*400 {
		t.Errorf("%d announcements with %d bytes: %q", len(said), size, said)
	}
	do(t, tab, chromedp.Click(".as-text summary"), chromedp.Click("#tell"), chromedp.Evaluate(`said.length = 0`, nil))
	if _, err := agentTypes(t, s, "echo unheard of"); err != nil {
		t.Fatal(err)
	}
	do(t, tab, chromedp.Poll(`document.getElementById('text').textContent.includes('\nunheard of')`, nil), chromedp.Evaluate(`said`, &said))
	if len(said) > 0 {
		t.Errorf("announced %q", said)
	}
}
