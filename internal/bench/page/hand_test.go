package page

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	hand "github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session"
)

// cellAt returns the position of a cell on the page.
func cellAt(t *testing.T, tab context.Context, row, col int) (x, y float64) {
	t.Helper()
	var at [2]float64
	do(t, tab, chromedp.Evaluate(fmt.Sprintf(`(() => {
  const row = document.querySelectorAll('#screen .row')[%d].getBoundingClientRect();
  return [row.left + row.width / 80 * %d.5, row.top + row.height / 2];
})()`, row, col), &at))
	return at[0], at[1]
}

// cursorAt waits until a session's cursor is in a cell.
func cursorAt(t *testing.T, s *session.Session, want emulator.Point) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		seen, now := s.State(), s.Snapshot(0).Cursor.Point
		if now == want {
			return
		}
		if _, err := s.Changed(ctx, seen); err != nil {
			t.Fatalf("%v: the cursor is at %v, want %v", err, now, want)
		}
	}
}

// TestMouseInPage checks clicks, drags and the wheel in vim, and pasting into it.
func TestMouseInPage(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "vim", "-u", "NONE", "-N", "-c", "set mouse=a ttymouse=sgr", "-c", "call setline(1, map(range(1, 200), {_, n -> 'line number ' .. n}))")
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("line number 20"), chromedp.Click("#take"), chromedp.WaitVisible("#typing"),
		chromedp.Evaluate(`document.querySelector('#stage').scrollIntoView()`, nil))
	x, y := cellAt(t, tab, 6, 5)
	do(t, tab, chromedp.MouseClickXY(x, y))
	cursorAt(t, s, emulator.Point{Row: 6, Col: 5})
	// Dragging selects text, which is then deleted.
	x2, y2 := cellAt(t, tab, 6, 10)
	do(t, tab, hand.DispatchMouseEvent(hand.MousePressed, x, y).WithButton(hand.Left).WithClickCount(1),
		hand.DispatchMouseEvent(hand.MouseMoved, x2, y2).WithButton(hand.Left),
		hand.DispatchMouseEvent(hand.MouseReleased, x2, y2).WithButton(hand.Left).WithClickCount(1))
	cursorAt(t, s, emulator.Point{Row: 6, Col: 10})
	do(t, tab, chromedp.SendKeys("#typing", "d"), shows("line  7"))
	do(t, tab, hand.DispatchMouseEvent(hand.MouseWheel, x, y).WithDeltaX(0).WithDeltaY(120), shows("line number 26"))
	// A paste arrives as text, whatever it contains.
	do(t, tab, chromedp.SendKeys("#typing", "ggO"), chromedp.Evaluate(`(() => {
  const data = new DataTransfer();
  data.setData('text', 'pasted <b>日本語</b>\nsecond');
  document.getElementById('typing').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
})()`, nil), shows("pasted <b>日本語</b>"), shows("second"))
}

// TestMouseWithoutProgram checks that text can be selected if the program has not enabled the
// mouse, and that typing still works afterwards.
func TestMouseWithoutProgram(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	if _, err := agentTypes(t, s, "clear; echo select me"); err != nil {
		t.Fatal(err)
	}
	tab := browser(t)
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("select me"), chromedp.Click("#take"), chromedp.WaitVisible("#typing"))
	x, y := cellAt(t, tab, 0, 0)
	x2, _ := cellAt(t, tab, 0, 7)
	var selected string
	do(t, tab, hand.DispatchMouseEvent(hand.MousePressed, x-2, y).WithButton(hand.Left).WithClickCount(1),
		hand.DispatchMouseEvent(hand.MouseMoved, x2, y).WithButton(hand.Left),
		hand.DispatchMouseEvent(hand.MouseReleased, x2, y).WithButton(hand.Left).WithClickCount(1),
		chromedp.Evaluate(`getSelection().toString()`, &selected))
	if selected != "select " && selected != "select m" {
		t.Errorf("selected %q", selected)
	}
	// The first Ctrl+C copies the selection; the second interrupts.
	ctrlC := chromedp.KeyEvent("c", chromedp.KeyModifiers(hand.ModifierCtrl))
	do(t, tab, ctrlC, becomes(`getSelection().isCollapsed`), ctrlC, shows("^C"))
	do(t, tab, chromedp.KeyEvent("echo not lost\r"), shows("\nnot lost"), chromedp.Sleep(600*time.Millisecond), // longer than a double click
		chromedp.MouseClickXY(x, y), chromedp.Poll(`document.activeElement.id === 'typing'`, nil, chromedp.WithPollingTimeout(patience)),
		chromedp.KeyEvent("echo typed on\r"), shows("\ntyped on"))
}

// late is a program that reads nothing until a file exists, and then prints the end of its
// input up to the letter z.
const late = `
import os, sys, time, tty
tty.setraw(0)
os.write(1, b"up\r\n")
while not os.path.exists(sys.argv[1]): time.sleep(0.01)
got = b""
while not got.endswith(b"z"): got += os.read(0, 65536)
os.write(1, b"got %d, then %s\r\n" % (len(got.rstrip(b"abPz")), got[-5:]))
time.sleep(1000)
`

// TestInputOrder checks that input typed and pasted while the program reads nothing keeps its
// order.
func TestInputOrder(t *testing.T) {
	r := newRig(t)
	flag := filepath.Join(t.TempDir(), "flag")
	r.start(t, "python3", "-c", late, flag)
	tab := browser(t)
	paste := func(text string) chromedp.Action {
		return chromedp.Evaluate(`(() => {
  const data = new DataTransfer();
  data.setData('text', `+text+`);
  document.getElementById('typing').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
})()`, nil)
	}
	do(t, tab, chromedp.Navigate(r.url+"/ann/"), shows("up"), chromedp.Click("#take"), chromedp.WaitVisible("#typing"),
		paste(`'-'.repeat(100_000)`), chromedp.SendKeys("#typing", "a"), chromedp.SendKeys("#typing", "b"), paste(`'PP'`), chromedp.SendKeys("#typing", "z"))
	if err := os.WriteFile(flag, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	do(t, tab, shows("got 100000, then abPPz"))
}
