package live

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session"
)

// patience is how long a browser and a program together may take.
const patience = 30 * time.Second

// tabLife is how long one tab may be used.
const tabLife = 4 * patience

// A rig is a page and the sessions that it shows. Under /ann/ and /bob/ it is
// seen by two people, and under /eve/ by one who may only watch.
type rig struct {
	mgr     *session.Manager
	page    *Server
	now     atomic.Pointer[Server] // page, for who asks
	restart func()                 // puts another server in the place of page
	barred  atomic.Bool            // nobody is let in
	url     string
}

// newRig serves a page until the test ends.
func newRig(t *testing.T) *rig {
	t.Helper()
	return rigWith(t, Options{})
}

// rigWith is newRig with options, of which the Manager may be one.
func rigWith(t *testing.T, o Options) *rig {
	t.Helper()
	rules, err := danger.ParseRules(strings.NewReader("deny word /forbidden/ names what is forbidden"))
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{mgr: o.Manager}
	if r.mgr == nil {
		r.mgr = session.NewManager(session.Options{Danger: danger.New(rules)})
	}
	t.Cleanup(func() {
		if err := r.mgr.Close(); err != nil {
			t.Error(err)
		}
	})
	mux := http.NewServeMux()
	o.Manager = r.mgr
	o.Visitor = func(req *http.Request) (Visitor, error) {
		name := req.Header.Get("X-Person")
		if name == "" || r.barred.Load() {
			return Visitor{}, ErrVisitor
		}
		return Visitor{Person: session.Person{ID: name, Name: name}, Type: name != "eve"}, nil
	}
	r.restart = func() {
		old := r.page
		r.page = New(o)
		r.now.Store(r.page)
		if old != nil {
			old.Close()
		}
	}
	r.restart()
	for _, name := range []string{"ann", "bob", "eve"} {
		mux.HandleFunc("/"+name+"/", func(w http.ResponseWriter, req *http.Request) {
			req.Header.Set("X-Person", name)
			http.StripPrefix("/"+name, r.now.Load()).ServeHTTP(w, req)
		})
	}
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	t.Cleanup(func() { r.page.Close() })
	r.url = srv.URL
	return r
}

// start starts a program in a session of 24 rows and 80 columns.
func (r *rig) start(t *testing.T, command string, args ...string) *session.Session {
	t.Helper()
	s, err := r.mgr.Start(t.Context(), session.StartOptions{
		Command: need.Program(t, command), Args: args, Name: command, Dir: t.TempDir(),
		Env:  map[string]string{"PS1": "$ ", "HOME": t.TempDir(), "LC_ALL": "C.UTF-8"},
		Size: emulator.Size{Rows: 24, Cols: 80},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// browser returns a tab of a headless Chromium of its own.
func browser(t testing.TB) context.Context {
	t.Helper()
	path := need.Program(t, "chromium")
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.WindowSize(1280, 900),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	ctx, cancel := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), opts...)
	allocator := chromedp.FromContext(ctx).Allocator
	t.Cleanup(func() {
		cancel()
		allocator.Wait() // it writes into its directory until then
	})
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithErrorf(t.Logf))
	t.Cleanup(cancel)
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

// shows waits until the text of the large screen contains text.
func shows(text string) chromedp.Action {
	return chromedp.Poll(`document.getElementById('screen').innerText.includes(`+quote(text)+`)`, nil,
		chromedp.WithPollingInterval(10*time.Millisecond), chromedp.WithPollingTimeout(patience))
}

// shoot keeps a picture of the tab.
func shoot(t testing.TB, tab context.Context, name string) {
	t.Helper()
	var png []byte
	ctx, cancel := context.WithTimeout(context.WithoutCancel(tab), patience/6)
	defer cancel()
	if err := chromedp.Run(ctx, chromedp.CaptureScreenshot(&png)); err != nil {
		t.Logf("no picture %s: %v", name, err)
		return
	}
	keep(t, name, png)
}

// keep writes a PNG where GLASSTTY_PICTURES names a directory.
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

// ended waits until a session's program has ended.
func ended(t *testing.T, s *session.Session) {
	t.Helper()
	r, err := s.Exchange(t.Context(), session.Input{}, session.Wait{Until: session.UntilExit, Timeout: patience}, nil)
	if err != nil || r.Alive() {
		t.Fatalf("still running: %v", err)
	}
}
