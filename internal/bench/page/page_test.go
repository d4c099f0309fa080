package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/glasstty/glasstty/emulator/picture"
	"github.com/glasstty/glasstty/session"
)

// quote returns text as a JavaScript string literal.
func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return string(b)
}

// TestVimFromPage checks that a file can be edited in vim from the page.
func TestVimFromPage(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "vim", "-u", "NONE", "file.txt")
	r.start(t, "bash", "--norc")
	tab := browser(t)
	do(t, tab,
		chromedp.Navigate(r.url+"/ann/"),
		shows("file.txt"),
		chromedp.Click("#take"),
		chromedp.WaitVisible("#typing"),
		chromedp.SendKeys("#typing", "ihello from the page"+kb.Escape),
		shows("hello from the page"),
	)
	shoot(t, tab, "vim")
	do(t, tab, chromedp.SendKeys("#typing", ":wq\r"))
	ended(t, s)
}

// agentTypes types a line as a tool call does, and returns the reply.
func agentTypes(t *testing.T, s *session.Session, line string) (*session.Reply, error) {
	t.Helper()
	return s.Exchange(t.Context(), session.Input{Text: line, Enter: true}, session.Wait{Timeout: patience / 2}, nil)
}

// TestTakeOverInPage checks that a person can take the keyboard from an agent, type, and give
// it back with a note.
func TestTakeOverInPage(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("$"))
	if _, err := agentTypes(t, s, "echo from the agent"); err != nil {
		t.Fatal(err)
	}
	do(t, tab, shows("\nfrom the agent"),
		chromedp.Click("#take"), chromedp.WaitVisible("#typing"),
		chromedp.SendKeys("#typing", "echo from ann\r"), shows("\nfrom ann"))
	shoot(t, tab, "held")
	if _, err := agentTypes(t, s, "no"); !errors.Is(err, session.ErrPersonControls) {
		t.Errorf("the agent's input: got error %v, want ErrPersonControls", err)
	}
	do(t, tab, chromedp.Click("#give"), chromedp.WaitVisible("#note"),
		chromedp.SendKeys("#note", "all yours\r"), text("#holder", "The agent has the keyboard."))
	reply, err := agentTypes(t, s, "echo again")
	if err != nil || !strings.Contains(strings.Join(reply.Notes, " "), `"all yours"`) || !strings.Contains(reply.Output, "from ann") {
		t.Errorf("the agent's next input: got error %v, reply %+v", err, reply)
	}
}

// TestTwoPeople checks that two people see who has the keyboard and can take it from each
// other, and that a person who may only watch has no active buttons.
func TestTwoPeople(t *testing.T) {
	r := newRig(t)
	r.start(t, "bash", "--norc")
	ann, bob, eve := browser(t), browser(t), browser(t)
	for tab, path := range map[context.Context]string{ann: "/ann/", bob: "/bob/", eve: "/eve/"} {
		do(t, tab, chromedp.Navigate(r.url+path), shows("$"))
	}
	do(t, ann, chromedp.Click("#take"), chromedp.WaitVisible("#typing"))
	do(t, bob, text("#holder", "ann has the keyboard"), becomes(`document.getElementById("take").ariaLabel === "Take over from ann"`), chromedp.Click("#take"), chromedp.WaitVisible("#typing"))
	do(t, ann, text("#holder", "bob has the keyboard"), chromedp.WaitNotVisible("#typing"))
	do(t, eve, text("#holder", "bob has the keyboard"), text("#state", "for watching only"))
	var disabled bool
	do(t, eve, chromedp.Evaluate(`['take','pause','give','end','fit'].every(id => document.getElementById(id).disabled)`, &disabled))
	if !disabled {
		t.Error("the buttons are enabled for a person who may only watch")
	}
	do(t, bob, chromedp.Click("#pause"), text("#holder", "You paused the agent"))
	do(t, ann, text("#holder", "bob paused the agent"), text("#pause", "Resume"), chromedp.Click("#pause"), text("#holder", "The agent has the keyboard"))
}

// TestTwoTabs checks that two browsers or two tabs of one person are told apart, and that a
// reloaded tab keeps the keyboard and what was typed in it.
func TestTwoTabs(t *testing.T) {
	r := newRig(t)
	r.start(t, "bash", "--norc")
	one, two := browser(t), browser(t)
	for _, tab := range []context.Context{one, two} {
		do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("$"))
	}
	do(t, one, chromedp.Click("#take"), chromedp.WaitVisible("#typing"))
	do(t, two, text("#holder", "Another tab or browser has the keyboard"), becomes(`document.getElementById('take').ariaLabel === "Take over from another tab or browser"`), chromedp.WaitNotVisible("#typing"))
	do(t, one, chromedp.Reload(), chromedp.WaitVisible("#typing"), text("#holder", "You have the keyboard"),
		chromedp.KeyEvent("\t"), becomes(`document.activeElement.id === 'skip'`), // Tab moves the focus in the page
		chromedp.Reload(), chromedp.WaitVisible("#typing"), chromedp.KeyEvent("echo typed on"), shows("$ echo typed on"), // other keys go to the program
		chromedp.Reload(), text("#typed", "you typed last"), chromedp.Click("#inputs summary"), text("#typings li.person b", "you"))
	beside, end := chromedp.NewContext(one)
	defer end()
	do(t, beside, chromedp.Navigate(r.url+"/ann/"), text("#holder", "You, in another tab, have the keyboard"), text("#typed", "you typed last"))
	do(t, two, text("#typed", "ann typed last"))
}

// TestPasswordInPage checks that a password prompt can be answered in the page, and that the
// secret is shown nowhere.
func TestPasswordInPage(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	if _, err := agentTypes(t, s, "read -sp 'Passphrase: ' p; echo; read -sp 'Password: ' p; echo; echo ${#p} characters"); err != nil {
		t.Fatal(err)
	}
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("Passphrase:"), chromedp.WaitVisible("#secret"), chromedp.SendKeys("#secret", "half"))
	// What was typed for this prompt is not sent to another.
	if err := s.As(session.Person{ID: "bob"}).TypeSecret(t.Context(), "other"); err != nil {
		t.Fatal(err)
	}
	do(t, tab, shows("Password:"), text("#trouble", "What you had typed was not sent"), becomes(`document.getElementById('secret').value === ''`),
		chromedp.WaitVisible("#secret"), chromedp.SendKeys("#secret", "hunter2\r"),
		shows("7 characters"), chromedp.WaitNotVisible("#secret"))
	var all string
	do(t, tab, chromedp.Evaluate(`document.documentElement.outerHTML`, &all))
	if strings.Contains(all, "hunter2") {
		t.Error("the page contains the secret")
	}
}

// TestHeldInPage checks that a person can refuse a held command in the page and approve
// another, and that the page says who did what and when, in the browser's time zone, to other
// people too.
func TestHeldInPage(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	hold := func() {
		t.Helper()
		if _, err := agentTypes(t, s, "echo forbidden"); !errors.As(err, new(*session.HeldError)) {
			t.Fatalf("the command was not held: %v", err)
		}
	}
	hold()
	tab := browser(t)
	do(t, tab, emulation.SetTimezoneOverride("Asia/Tokyo"), chromedp.Navigate(r.url+"/ann/"), text("#ask-held", "echo forbidden"))
	shoot(t, tab, "refuse")
	var said string
	do(t, tab, steady(), chromedp.Click("#ask-held button.main"), chromedp.WaitNotPresent("#ask-held .ask"), text("#typed", ": echo forbidden"),
		chromedp.Evaluate(`document.getElementById('typed').textContent`, &said))
	hour := time.Now().In(time.FixedZone("", 9*60*60)).Format("3:")
	when, _, ok := strings.Cut(strings.TrimPrefix(said, "you refused at "), ": ")
	if !ok || !strings.HasPrefix(when, hour) {
		t.Errorf("the page says %q; the time in its time zone is %s", said, hour)
	}
	hold()
	do(t, tab, text("#ask-held", "ann refused this or something like it at "+when+". The agent wants to run it again"),
		steady(), chromedp.Click("#ask-held button.danger"), shows("\nforbidden"), text("#typed", "you approved at"))
	do(t, tab, chromedp.Click("#inputs summary"), text("#typings", "ann approved"))
	do(t, tab, text("#typings", "ann refused"))
	do(t, tab,
		becomes(`document.querySelectorAll('#marks .person').length === 2`), chromedp.Navigate(r.url+"/bob/"), text("#typed", "ann approved at"))
	reply, err := agentTypes(t, s, "echo next")
	if notes := strings.Join(reply.Notes, " "); err != nil || !strings.Contains(notes, "ann refused") || !strings.Contains(notes, "ann approved") {
		t.Errorf("got error %v, notes %q", err, notes)
	}
}

// TestHostileOutput checks that markup, scripts and bidirectional controls are shown as text.
func TestHostileOutput(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	const evil = `<img src=x onerror=document.title=1><script>document.title=1</script>`
	lines := []string{
		`printf '%s\n' '` + evil + `'`,
		`printf '\033]2;%s\007' '` + evil + `'`,
		`printf '\033]8;;javascript:document.title=1\033\\here\033]8;;\033\\ \033]8;;https://example.com/"onclick="x\033\\there\033]8;;\033\\\n'`,
	}
	for _, line := range lines {
		if _, err := agentTypes(t, s, line); err != nil {
			t.Fatal(err)
		}
	}
	tab := browser(t)
	var scripts, images, links int
	var title string
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("there"), text("#title", "<script>"),
		chromedp.Evaluate(`document.querySelectorAll('#one script, nav script').length`, &scripts),
		chromedp.Evaluate(`document.querySelectorAll('#one img, nav img').length`, &images),
		chromedp.Evaluate(`[...document.querySelectorAll('#screen a')].filter(a => !/^https?:/.test(a.href)).length`, &links),
		chromedp.Title(&title))
	if scripts+images+links > 0 || title == "1" {
		t.Errorf("the page has %d scripts, %d images, %d links and the title %q from the output", scripts, images, links, title)
	}
	shoot(t, tab, "hostile")
}

// TestReconnect checks that the page reconnects after its connection was cut.
func TestReconnect(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("$"))
	r.conns.cut()
	do(t, tab, text("#state", "trying again"))
	if _, err := agentTypes(t, s, "echo meanwhile"); err != nil {
		t.Fatal(err)
	}
	do(t, tab, text("#state", "live"), shows("\nmeanwhile"))
}

// TestTwentySessions checks that the page shows twenty sessions, each with its screen.
func TestTwentySessions(t *testing.T) {
	r := newRig(t)
	for i := range 20 {
		s := r.start(t, "bash", "--norc")
		if _, err := agentTypes(t, s, fmt.Sprintf("echo number-$((%d+0))-", i)); err != nil {
			t.Fatal(err)
		}
	}
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("number-0-"), text("#list", "number-7-"), // in its row of the list
		chromedp.Click("#thumbs"), chromedp.Poll(`[...document.querySelectorAll('.mini')].filter(m => /number-\d+-/.test(m.textContent.replace(/\$\(.*?\)/g,''))).length >= 19`, nil))
	shoot(t, tab, "twenty")
}

// TestKeyboardOnly checks that the page works without a mouse: the list, taking over, typing
// Tab, and leaving the screen.
func TestKeyboardOnly(t *testing.T) {
	r := newRig(t)
	r.start(t, "bash", "--norc")
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("$"))
	tabTo(t, tab, "take")
	do(t, tab, chromedp.KeyEvent("\r"), chromedp.WaitVisible("#typing"),
		chromedp.Poll(`document.activeElement.id === 'typing'`, nil),
		chromedp.KeyEvent("ech\t"), chromedp.KeyEvent(" by key\r"), shows("\nby key"),
		chromedp.KeyEvent("l", chromedp.KeyModifiers(2|1)), // ctrl+alt+l
		chromedp.Poll(`document.activeElement.id === 'give'`, nil))
}

// tabTo presses Tab until the element with the given ID has the focus.
func tabTo(t *testing.T, tab context.Context, id string) {
	t.Helper()
	for range 80 {
		var now string
		do(t, tab, chromedp.KeyEvent("\t"), chromedp.Evaluate(`document.activeElement.id`, &now))
		if now == id {
			return
		}
	}
	t.Fatalf("the Tab key does not reach %s", id)
}

// text waits until an element contains want.
func text(selector, want string) chromedp.Action {
	return chromedp.Poll(`document.querySelector(`+quote(selector)+`)?.innerText.includes(`+quote(want)+`)`, nil,
		chromedp.WithPollingInterval(10*time.Millisecond), chromedp.WithPollingTimeout(patience))
}

// TestTimeLine checks that a person can go back in a session's recording, play it, and return
// to the present.
func TestTimeLine(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	if _, err := agentTypes(t, s, "echo first; sleep 1; clear; echo second"); err != nil {
		t.Fatal(err)
	}
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("second"),
		chromedp.Poll(`document.getElementById('moment').offsetParent !== null`, nil))
	var past string
	for permille := 990; permille > 0; permille -= 10 {
		// Move towards the beginning, as a person drags the slider.
		move := fmt.Sprintf(`(() => { const m = document.getElementById('moment'); m.value = %d; m.dispatchEvent(new Event('input')); })()`, permille)
		do(t, tab, chromedp.Evaluate(`document.getElementById('when').textContent = ''`, nil), chromedp.Evaluate(move, nil),
			chromedp.Poll(`document.getElementById('when').textContent !== ''`, nil, chromedp.WithPollingInterval(10*time.Millisecond)),
			chromedp.Evaluate(`document.getElementById('screen').innerText`, &past))
		if strings.Contains(past, "\nfirst") {
			break
		}
	}
	if !strings.Contains(past, "\nfirst") || strings.Contains(past, "\nsecond") {
		t.Fatalf("the past shows %q", past)
	}
	shoot(t, tab, "past")
	do(t, tab, chromedp.Click("#play"), text("#when", "live"), shows("second"))
}

// awaited makes an evaluation wait for its promise.
func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

// TestSameAsPicture compares the page's screen, cell by cell, with the picture from snapshot
// of the same moment: each cell is drawn or blank in both, in the same colours.
func TestSameAsPicture(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	lines := []string{
		"clear; for i in $(seq 0 15); do printf \"\\033[48;5;${i}m  \\033[m\\033[38;5;${i}mxx\\033[m\"; done; echo",
		"printf '\\033[38;2;255;100;0mtrue\\033[48;2;0;40;90mcolour\\033[m \\033[7mreverse\\033[m \\033[1mbold\\033[m \\033[4munder\\033[m\\n'",
		"printf '┌──┬──┐ ▀▄█▌▐ 日本語 e\\314\\201\\n│  │  │\\n└──┴──┘\\n'; printf '\\033[?25l'",
		"printf 'image \\033P0;1q#1;2;100;0;0#2;2;0;80;0#3;2;20;20;100'; for i in 1 2 3 4 5 6 7 8 9 10; do printf '#1!41~#2!41~#3!41~-'; done; printf '\\033\\\\\\r\\n'",
	}
	for _, line := range lines {
		if _, err := agentTypes(t, s, line); err != nil {
			t.Fatal(err)
		}
	}
	tab := browser(t)
	var got []byte
	var scale float64
	var images int
	const margin = picture.DefaultCellWidth // around the screen in pictures
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("└──┴──┘"),
		chromedp.Evaluate(`Promise.all([...document.images].map((i) => i.decode())).then(() => document.images.length)`, &images, awaited),
		chromedp.Evaluate(`document.fonts.ready.then(() => window.devicePixelRatio)`, &scale, awaited),
		chromedp.Screenshot("#screen", &got, chromedp.NodeVisible))
	var want bytes.Buffer
	if err := picture.PNG(&want, s.Snapshot(0), picture.Options{Fonts: &picture.Fonts{}}); err != nil {
		t.Fatal(err)
	}
	a, b := decode(t, got), decode(t, want.Bytes())
	keep(t, "page", got)
	keep(t, "picture", want.Bytes())
	differ := 0
	for row := range 24 {
		for col := range 80 {
			if x, y := cellOf(a, 0, row, col), cellOf(b, margin, row, col); x.far(y) {
				differ++
				t.Logf("row %d, column %d: the page shows %v, the picture %v", row, col, x, y)
			}
		}
	}
	if differ > 0 || images == 0 {
		t.Errorf("%d cells differ; the page has %d images", differ, images)
	}
}
