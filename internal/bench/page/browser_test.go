package page

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session"
)

// patience is the time limit of a step that involves a browser and a program.
const patience = 30 * time.Second

const (
	// tabLife is the time limit of a tab.
	tabLife = 4 * patience
	// browserStart is the time limit for each step of the start of Chromium. Read from the disk
	// while both processors compile, it takes half a minute.
	browserStart = 4 * patience
)

// browser returns a tab in a new headless Chromium.
func browser(t testing.TB) context.Context {
	t.Helper()
	path := need.Program(t, "chromium")
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.WindowSize(1280, 900), chromedp.WSURLReadTimeout(browserStart),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	ctx, cancel := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), opts...)
	allocator := chromedp.FromContext(ctx).Allocator
	t.Cleanup(func() {
		cancel()
		allocator.Wait() // Chromium writes to its directory until it exits
	})
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithErrorf(t.Logf),
		chromedp.WithBrowserOption(chromedp.WithDialTimeout(browserStart)))
	t.Cleanup(cancel)
	if err := chromedp.Run(ctx); err != nil {
		t.Fatalf("start Chromium: %v", err)
	}
	ctx, cancel = context.WithTimeout(ctx, tabLife)
	t.Cleanup(cancel)
	return ctx
}

// do runs actions in a tab.
func do(t testing.TB, tab context.Context, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(tab, actions...); err != nil {
		shoot(t, tab, "failed")
		t.Fatal(err)
	}
}

// shows waits until the large screen contains text.
func shows(text string) chromedp.Action {
	return chromedp.Poll(`document.getElementById('screen').innerText.includes(`+quote(text)+`)`, nil,
		chromedp.WithPollingInterval(10*time.Millisecond), chromedp.WithPollingTimeout(patience))
}

// shoot saves a screenshot of the tab.
func shoot(t testing.TB, tab context.Context, name string) {
	t.Helper()
	var png []byte
	ctx, cancel := context.WithTimeout(context.WithoutCancel(tab), patience/6)
	defer cancel()
	if err := chromedp.Run(ctx, chromedp.CaptureScreenshot(&png)); err != nil {
		t.Logf("screenshot %s: %v", name, err)
		return
	}
	keep(t, name, png)
}

// keep writes a PNG to the directory in GLASSTTY_PICTURES, if set.
func keep(t testing.TB, name string, png []byte) {
	t.Helper()
	dir := os.Getenv("GLASSTTY_PICTURES")
	if dir == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
		t.Error(err)
	}
}

// ended waits until a session's program has exited.
func ended(t *testing.T, s *session.Session) {
	t.Helper()
	r, err := s.Exchange(t.Context(), session.Input{}, session.Wait{Until: session.UntilExit, Timeout: patience}, nil)
	if err != nil || r.Alive() {
		t.Fatalf("still running: %v", err)
	}
}
