package page

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	document "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/glasstty/glasstty/internal/need"
)

// scheme sets a tab's colour scheme to light or dark.
func scheme(name string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}})
}

// TestAccessibility checks that axe-core finds no violation in any view of the page, in both
// colour schemes, on a desktop and on a phone.
func TestAccessibility(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join("..", "..", "checkers", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		need.Missing(t, err)
	}
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	r.start(t, "sh", "-c", "stty -echo; printf 'Password: '; read p; sleep 1000")
	if _, err := agentTypes(t, s, "seq 1 50; printf '\\033[31mred \\033[1;34mblue\\033[m\\n\\033]2;a title\\007'"); err != nil {
		t.Fatal(err)
	}
	if _, err := agentTypes(t, s, "echo forbidden"); err == nil {
		t.Fatal("the command was not held")
	}
	click := func(sel string) chromedp.Action { return chromedp.Click(sel, chromedp.NodeVisible) }
	hash := func(to string) chromedp.Action {
		return chromedp.Evaluate("location.hash = "+quote(to), nil)
	}
	views := []struct {
		name string
		open chromedp.Action
	}{
		{"held", text("#ask-held", "echo forbidden")},
		{"history", chromedp.Tasks{click("#look"), chromedp.WaitVisible("#above .row"), chromedp.SendKeys("#query", "4\r"), text("#found", "found")}},
		{"inputs", chromedp.Tasks{click("#inputs summary"), text("#typings", "seq")}},
		{"past", chromedp.Tasks{click("#typings button"), chromedp.WaitVisible("#live")}},
		{"typing", chromedp.Tasks{click("#live"), click("#take"), chromedp.WaitVisible("#typing")}},
		{"the end", chromedp.Tasks{click("#end"), chromedp.WaitVisible("#let-live")}},
		{"the note", chromedp.Tasks{click("#let-live"), click("#give"), chromedp.WaitVisible("#note"), click(".as-text summary")}},
		{"given back", chromedp.Tasks{click("#ask-note button.main"), text("#holder", "The agent has the keyboard")}},
		{"actual size", chromedp.Tasks{click("#zoom"), becomes(`document.getElementById('zoom').ariaPressed === 'true'`)}},
		{"password", chromedp.Tasks{hash("s2"), chromedp.WaitVisible("#secret"), becomes(`document.getElementById('zoom').ariaPressed === 'false'`)}},
		{"all", chromedp.Tasks{hash("*"), chromedp.WaitNotVisible("#one")}},
	}
	for _, on := range []struct {
		name   string
		person string
		make   chromedp.Action
	}{
		{"light", "ann", scheme("light")}, {"dark", "ann", scheme("dark")},
		{"phone light", "ann", chromedp.Tasks{scheme("light"), phone()}}, {"phone dark", "ann", chromedp.Tasks{scheme("dark"), phone()}},
	} {
		tab := browser(t)
		do(t, tab, on.make, chromedp.Navigate(r.url+"/"+on.person+"/#s1"), shows("red blue"), chromedp.Evaluate(string(axe)+`;1`, nil))
		for _, v := range views {
			do(t, tab, v.open)
			accessible(t, tab, on.name+" "+v.name)
		}
	}
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/eve/"), text("#state", "for watching only"), chromedp.Evaluate(string(axe)+`;1`, nil))
	accessible(t, tab, "watching only")
}

// accessible checks the current view of a tab with axe-core.
func accessible(t *testing.T, tab context.Context, view string) {
	t.Helper()
	var found string
	do(t, tab, chromedp.Evaluate(`axe.run().then(r => JSON.stringify(r.violations.map(v => [v.id, v.help, v.nodes.map(n => n.html + ' ' + n.failureSummary)]), null, 1))`, &found, awaited))
	if found != "[]" {
		t.Errorf("%s: %s", view, found)
		shoot(t, tab, "axe-"+view)
	}
}

// TestEveryActionByKey checks that everything a person can do works without a mouse.
func TestEveryActionByKey(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	other := r.start(t, "bash", "--norc")
	if _, err := agentTypes(t, s, "seq 1 60"); err != nil {
		t.Fatal(err)
	}
	if _, err := agentTypes(t, s, "echo forbidden"); err == nil {
		t.Fatal("the command was not held")
	}
	tab := browser(t)
	key := func(k string) chromedp.Action { return chromedp.KeyEvent(k) }
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("60"), text("#ask-held", "echo forbidden"))
	press := func(id string, then ...chromedp.Action) {
		t.Helper()
		tabTo(t, tab, id)
		do(t, tab, append([]chromedp.Action{key("\r")}, then...)...)
	}
	// The list, the skip link, and all sessions at once.
	press("skip", chromedp.Poll(`document.activeElement.id === 'session'`, nil))
	press("all", chromedp.WaitNotVisible("#one"))
	tabToIn(t, tab, "li:nth-child(2) .card")
	do(t, tab, key("\r"), chromedp.WaitVisible("#one"), chromedp.WaitNotVisible("#ask-held"))
	tabToIn(t, tab, "#needs button")
	do(t, tab, key("\r"), chromedp.WaitVisible("#ask-held"))
	tabToIn(t, tab, "#ask-held button.main") // refuse
	do(t, tab, steady(), key("\r"), chromedp.WaitNotVisible("#ask-held"))
	// History, an earlier moment, and who typed what.
	press("look", chromedp.WaitVisible("#above .row"), becomes(`document.activeElement.id === 'query'`))
	do(t, tab, key("17\r"), text("#found", "found"))
	tabTo(t, tab, "moment")
	do(t, tab, chromedp.KeyEvent("\u0302"), chromedp.WaitVisible("#live")) // ←
	press("live", text("#when", "live"))
	tabToIn(t, tab, "#inputs summary")
	do(t, tab, key("\r"), text("#typings", "seq 1 60"))
	// Pause, take over, type, and hand back with a note.
	press("pause", text("#holder", "You paused the agent"))
	press("pause", text("#holder", "The agent has the keyboard"))
	press("take", chromedp.WaitVisible("#typing"), chromedp.Poll(`document.activeElement.id === 'typing'`, nil),
		key("echo by key\r"), shows("\nby key"), chromedp.KeyEvent("l", chromedp.KeyModifiers(2|1)), // ctrl+alt+l
		chromedp.Poll(`document.activeElement.id === 'give'`, nil))
	tabTo(t, tab, "key")
	do(t, tab, key("ctrl+l\r"), gone("by key"))
	press("give", chromedp.Poll(`document.activeElement.id === 'note'`, nil), key("look\r"), text("#holder", "The agent has the keyboard"))
	// Fit the size, and end the program.
	press("fit", chromedp.Poll(`document.querySelectorAll('#screen .row').length !== 24`, nil, chromedp.WithPollingTimeout(patience)))
	press("end", chromedp.Poll(`document.activeElement.id === 'let-live'`, nil))
	tabToIn(t, tab, "#ask-end button.danger")
	do(t, tab, key("\r"), text("#status", "ended by ann"))
	ended(t, s)
	if other.Info().Status != "running" {
		t.Error("the other program was ended too")
	}
}

// tabToIn presses Tab until an element that matches the selector has the focus.
func tabToIn(t *testing.T, tab context.Context, selector string) {
	t.Helper()
	for range 80 {
		var is bool
		do(t, tab, chromedp.KeyEvent("\t"), chromedp.Evaluate(`document.activeElement.matches(`+quote(selector)+`)`, &is))
		if is {
			return
		}
	}
	t.Fatalf("the Tab key does not reach %s", selector)
}

// TestWithoutWebSocket checks that the page works with the event stream if it has no
// WebSocket.
func TestWithoutWebSocket(t *testing.T) {
	r := newRig(t)
	r.start(t, "bash", "--norc")
	tab := browser(t)
	do(t, tab, chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := document.AddScriptToEvaluateOnNewDocument(`window.WebSocket = class { constructor() { setTimeout(() => this.onclose({ reason: '' })); } static OPEN = 1; };`).Do(ctx)
		return err
	}), chromedp.Navigate(r.url+"/ann/"), shows("$"), chromedp.Click("#take"), chromedp.WaitVisible("#typing"),
		chromedp.SendKeys("#typing", "echo over a stream\r"), shows("\nover a stream"))
}
