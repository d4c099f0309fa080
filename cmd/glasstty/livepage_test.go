package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
)

// guestManager returns a Manager that leaves the processes of other tests alone.
func guestManager() *session.Manager {
	memory := func(child.Spec) (eventlog.Store, error) { return &eventlog.MemStore{}, nil }
	return session.NewManager(session.Options{Children: child.NewLocal(child.Options{OtherChildren: true, NewStore: memory})})
}

// watched serves a manager's sessions to people, over HTTP and a socket, until the test
// ends.
func watched(t *testing.T) (mgr *session.Manager, page *livePage, socket string) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	mgr = guestManager()
	page = newLivePage(mgr, log, nil, nil)
	if err := page.ensureServed(); err != nil {
		t.Fatal(err)
	}
	l, err := localsock.Listen(t.Context(), filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	local, err := serveLocal(context.WithoutCancel(t.Context()), l, mgr, mcpserver.Options{Logger: log}, page.socketHandler())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := page.close(); err != nil {
			t.Error(err)
		}
		if err := local.close(); err != nil {
			t.Error(err)
		}
		if err := mgr.Close(); err != nil {
			t.Error(err)
		}
	})
	return mgr, page, l.Path()
}

// get sends a request with a cookie and an Origin. It does not follow redirects.
func get(t *testing.T, address string, cookie *http.Cookie, origin string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if cookie != nil {
		req.AddCookie(cookie)
	}
	if origin != "" {
		req.Header.Set("Origin", origin)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// TestLink checks that a link from the socket lets one browser in, once, and that the
// cookie alone gives no data.
func TestLink(t *testing.T) {
	_, page, socket := watched(t)
	link, err := ask(t.Context(), http.MethodPost, socket, "/link", url.Values{"scope": {"watch"}, "name": {"Ann"}})
	if err != nil {
		t.Fatal(err)
	}
	base := page.url
	if res := get(t, base+pagePath, nil, ""); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a link: %s", res.Status)
	}
	res := get(t, link, nil, "")
	cookies := res.Cookies()
	if res.StatusCode != http.StatusSeeOther || len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite == http.SameSiteDefaultMode {
		t.Fatalf("following the link: %s, %v", res.Status, cookies)
	}
	if res := get(t, link, nil, ""); res.StatusCode != http.StatusGone {
		t.Errorf("following the link again: %s", res.Status)
	}
	for address, want := range map[string]string{link: "the link is used, expired or unknown", base + pagePath: "this browser is not let in"} {
		data, err := io.ReadAll(get(t, address, nil, "").Body)
		if text := string(data); err != nil || !strings.Contains(text, want) || !strings.Contains(text, "glasstty link") {
			t.Errorf("answer to a browser without access: %s, %v", text, err)
		}
	}
	if res := get(t, base+"/", cookies[0], ""); res.Header.Get("Location") != pagePath {
		t.Errorf("redirect to the page: %s, %s", res.Status, res.Header.Get("Location"))
	}
	if res := get(t, base+pagePath, cookies[0], ""); res.StatusCode != http.StatusOK {
		t.Errorf("the page: %s", res.Status)
	}
	if res := get(t, base+pagePath+"ws", cookies[0], "https://elsewhere.example"); res.StatusCode != http.StatusForbidden {
		t.Errorf("page of another origin: %s", res.Status)
	}
	header := http.Header{"Cookie": {cookies[0].String()}, "Origin": {base}}
	_, proof, _ := strings.Cut(res.Header.Get("Location"), "#")
	for _, name := range live.DataPaths() {
		// A server on another port of this host could send the cookie.
		if res := get(t, base+pagePath+name, cookies[0], ""); res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s with the cookie alone: %s", name, res.Status)
		}
	}
	ws, _, err := websocket.Dial(t.Context(), base+pagePath+"ws?"+proof, &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		t.Fatal(err)
	}
	_, hello, err := ws.Read(t.Context())
	if err != nil || !strings.Contains(string(hello), `"name":"Ann"`) || !strings.Contains(string(hello), `"type":false`) {
		t.Errorf("hello message %s, %v", hello, err)
	}
	_ = ws.CloseNow()
}

// TestWatchOnlyWithoutTokens checks that a link for watching cannot take the keyboard,
// even at a server without tokens.
func TestWatchOnlyWithoutTokens(t *testing.T) {
	t.Parallel()
	s := serveAt(t, t.TempDir(), "--port", "0")
	s.agent("", newest, nil).call("start_process", args{"command": "cat", "name": "cat"})
	out, err := exec.Command(binary, "link", "--watch-only", "--socket", s.socket).Output()
	if err != nil {
		t.Fatal(err)
	}
	res := get(t, strings.TrimSpace(string(out)), nil, "")
	_, proof, _ := strings.Cut(res.Header.Get("Location"), "#")
	if len(res.Cookies()) != 1 || proof == "" {
		t.Fatalf("the link: %s", res.Status)
	}
	base := strings.TrimSuffix(s.url, "/mcp")
	header := http.Header{"Cookie": {res.Cookies()[0].String()}, "Origin": {base}}
	ws, _, err := websocket.Dial(t.Context(), base+pagePath+"ws?"+proof, &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.CloseNow() }()
	if err := ws.Write(t.Context(), websocket.MessageText, []byte(`{"n":1,"do":"take","id":"cat"}`)); err != nil {
		t.Fatal(err)
	}
	for {
		_, said, err := ws.Read(t.Context())
		switch text := string(said); {
		case err != nil:
			t.Fatal(err)
		case strings.Contains(text, `"t":"hello"`) && !strings.Contains(text, `"type":false`):
			t.Errorf("hello message %s", text)
		case strings.Contains(text, `"t":"done"`):
			t.Fatal("a link for watching took the keyboard")
		case strings.Contains(text, `"t":"failed"`):
			return
		}
	}
}

// TestLinkOfSeveralServers checks that each link names its server, if there are several.
func TestLinkOfSeveralServers(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	links := func() []string {
		out, err := exec.Command(binary, "link").Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(out)), "\n")
	}
	connect(t)
	if got := links(); len(got) != 1 || strings.Contains(got[0], " ") {
		t.Errorf("one server: %q", got)
	}
	connect(t)
	paths, err := sockets("")
	if err != nil || len(paths) != 2 {
		t.Fatalf("sockets %q, %v", paths, err)
	}
	for i, link := range links() {
		if !strings.HasPrefix(link, "http://") || !strings.HasSuffix(link, " ("+paths[i]+")") {
			t.Errorf("link %d is %q, want one of %s", i, link, paths[i])
		}
	}
}

// TestLinkOfADaemon checks that the daemon of mcp --daemon, which does not serve HTTP by
// itself, serves the page once it is asked for a link, and only to browsers with a link.
func TestLinkOfADaemon(t *testing.T) {
	t.Parallel()
	d := newDaemonRig(t)
	a := d.client(d.home)
	defer a.session.Close()
	id := a.call("start_process", args{"command": "cat"}).SessionID
	ask := func() string {
		t.Helper()
		cmd := exec.Command(binary, "link", "--socket", filepath.Join(d.home, "socket"))
		cmd.Env = append(os.Environ(), "HOME="+d.home)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("link: %v, %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	link := ask()
	at, err := url.Parse(link)
	if err != nil || at.Hostname() != "127.0.0.1" {
		t.Fatalf("link %q: %v", link, err)
	}
	base := at.Scheme + "://" + at.Host
	if res := get(t, base+pagePath, nil, ""); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a link: %s", res.Status)
	}
	if res := get(t, base+"/mcp", nil, ""); res.StatusCode == http.StatusOK {
		t.Errorf("the daemon serves MCP over HTTP: %s", res.Status)
	}
	res := get(t, link, nil, "")
	cookies := res.Cookies()
	_, proof, _ := strings.Cut(res.Header.Get("Location"), "#")
	if len(cookies) != 1 {
		t.Fatalf("cookies %v", cookies)
	}
	if res := get(t, base+pagePath, cookies[0], ""); res.StatusCode != http.StatusOK {
		t.Errorf("the page: %s", res.Status)
	}
	header := http.Header{"Cookie": {cookies[0].String()}, "Origin": {base}}
	ws, _, err := websocket.Dial(t.Context(), base+pagePath+"ws?"+proof, &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for seen := ""; !strings.Contains(seen, fmt.Sprintf("%q", id)); {
		_, message, err := ws.Read(ctx)
		if err != nil {
			t.Fatalf("session %s not shown: %v in %s", id, err, seen)
		}
		seen += string(message)
	}
	if again, err := url.Parse(ask()); err != nil || again.Host != at.Host {
		t.Errorf("second link at %v, %v; want the host %s", again, err, at.Host)
	}
}
