package live

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/mask"
)

// A client does what the page does in a browser.
type client struct {
	t    *testing.T
	ws   *websocket.Conn
	rows []string // the large screen as text
	n    int
}

// dial connects a client at a person's path.
func dial(t *testing.T, r *rig, person string) *client {
	t.Helper()
	return dialWith(t, r, person, nil)
}

// dialWith is dial with the HTTP client h.
func dialWith(t *testing.T, r *rig, person string, h *http.Client) *client {
	t.Helper()
	return dialAt(t, r.url+"/"+person+"/ws", h)
}

// dialAt connects a client at an address.
func dialAt(t *testing.T, url string, h *http.Client) *client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ws, res, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: h})
	if err != nil {
		t.Fatal(err)
	}
	if res.Body != nil {
		_ = res.Body.Close()
	}
	t.Cleanup(func() { _ = ws.CloseNow() })
	ws.SetReadLimit(maxMessage)
	c := &client{t: t, ws: ws}
	c.until(func(m map[string]any) bool { return m["t"] == "hello" })
	return c
}

// until reads messages until done returns true, and returns the last one.
func (c *client) until(done func(map[string]any) bool) map[string]any {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	for {
		_, data, err := c.ws.Read(ctx)
		if err != nil {
			c.t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(data, &m); err != nil {
			c.t.Fatal(err)
		}
		if m["t"] == "frame" {
			c.draw(m)
		}
		if done(m) {
			return m
		}
	}
}

// draw applies a frame.
func (c *client) draw(m map[string]any) {
	if m["full"] == true {
		c.rows = make([]string, int(m["rows"].(float64)))
	}
	for _, l := range m["lines"].([]any) {
		line := l.(map[string]any)
		var b strings.Builder
		for _, s := range line["s"].([]any) {
			b.WriteString(s.([]any)[0].(string))
		}
		c.rows[int(line["r"].(float64))] = strings.TrimRight(b.String(), " ")
	}
}

// send sends a request without waiting for its answer.
func (c *client) send(req map[string]any) int {
	c.t.Helper()
	c.n++
	req["n"] = c.n
	data, err := json.Marshal(req)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.ws.Write(c.t.Context(), websocket.MessageText, data); err != nil {
		c.t.Fatal(err)
	}
	return c.n
}

// ask sends a request and returns the error in its answer.
func (c *client) ask(req map[string]any) string {
	c.t.Helper()
	n := c.send(req)
	m := c.until(func(m map[string]any) bool { return (m["t"] == "done" || m["t"] == "failed") && m["n"] == float64(n) })
	text, _ := m["error"].(string)
	return text
}

// shows waits until the large screen contains text.
func (c *client) shows(text string) {
	c.t.Helper()
	if strings.Contains(strings.Join(c.rows, "\n"), text) {
		return
	}
	c.until(func(map[string]any) bool { return strings.Contains(strings.Join(c.rows, "\n"), text) })
}

// TestFrames checks that a page that draws only the changes shows what the session shows.
func TestFrames(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	c := dial(t, r, "ann")
	if e := c.ask(map[string]any{"do": "watch", "large": s.ID()}); e != "" {
		t.Fatal(e)
	}
	c.shows("$")
	for i, line := range []string{
		"seq 1 100", "printf '\\033[2J\\033[Hhome\\n'", "printf '\\033[31mred\\033[m 中文 e\\314\\201\\n'",
		"printf '\\033[?1049h\\033[5;5Halternate'; sleep 0.1; printf '\\033[?1049l'", "for i in $(seq 200); do printf \"$i%%\\r\"; done; echo",
	} {
		if _, err := agentTypes(t, s, line); err != nil {
			t.Fatal(err)
		}
		if _, err := agentTypes(t, s, fmt.Sprintf("echo done-$((%d+0))", i)); err != nil {
			t.Fatal(err)
		}
		c.shows(fmt.Sprintf("\ndone-%d\n", i))
		want := s.Snapshot(0).Text()
		for got := ""; got != want; got = strings.TrimRight(strings.Join(c.rows, "\n"), "\n ") {
			if got != "" {
				c.until(func(m map[string]any) bool { return m["t"] == "frame" })
			}
		}
	}
	if _, err := s.Resize(10, 40); err != nil {
		t.Fatal(err)
	}
	c.until(func(m map[string]any) bool { return m["t"] == "frame" && m["rows"] == 10.0 && m["cols"] == 40.0 })
}

// TestSlowPage checks that a page that reads nothing does not slow down a program that
// writes much, and gets the newest screen when it reads again.
func TestSlowPage(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	c := dial(t, r, "ann")
	c.send(map[string]any{"do": "watch", "large": s.ID()})
	reply, err := agentTypes(t, s, "for i in $(seq 20000); do echo line $i of many, with text that fills the row; done")
	if err != nil || reply.Reason != "prompt" {
		t.Fatalf("%v, %+v", err, reply)
	}
	c.shows("line 20000 of")
}

// TestRefusals checks which requests, visitors and origins are rejected.
func TestRefusals(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	eve, ann := dial(t, r, "eve"), dial(t, r, "ann")
	for _, do := range []string{"take", "pause", "give", "type", "paste", "mouse", "secret", "resize", "end", "anything"} {
		if e := eve.ask(map[string]any{"do": do, "id": s.ID(), "text": "x", "rows": 5, "cols": 5}); !strings.Contains(e, "only for watching") {
			t.Errorf("%s by a watcher: %q", do, e)
		}
	}
	for _, tt := range []struct {
		req  map[string]any
		want string
	}{
		{map[string]any{"do": "type", "id": s.ID(), "text": "x"}, "take over first"},
		{map[string]any{"do": "type", "id": s.ID(), "keys": []any{map[string]any{"k": "nokey"}}}, "unknown key"},
		{map[string]any{"do": "type", "id": "s99"}, "no such session"},
		{map[string]any{"do": "secret", "id": s.ID(), "text": "x"}, "no password"},
		{map[string]any{"do": "resize", "id": s.ID(), "rows": 5000, "cols": 5}, "rows is 5000"},
		{map[string]any{"do": "fly", "id": s.ID()}, "unknown action"},
		{map[string]any{"do": "watch", "small": make([]string, maxWatches+1)}, "the maximum is"},
		{map[string]any{"do": "type", "id": 7}, "json"},
	} {
		if e := ann.ask(tt.req); !strings.Contains(e, tt.want) {
			t.Errorf("%v: %q, want %q", tt.req, e, tt.want)
		}
	}
	res, err := http.Get(r.url + "/nobody/")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusNotFound {
		t.Errorf("path of an unknown person: %s", res.Status)
	}
	foreign := http.Header{"Origin": {"https://elsewhere.example"}}
	if _, res, err := websocket.Dial(t.Context(), r.url+"/ann/ws", &websocket.DialOptions{HTTPHeader: foreign}); err == nil || res.StatusCode != http.StatusForbidden {
		t.Errorf("page of another origin: %v", err)
	}
}

// TestConnectionLimit checks that a person's oldest connection is closed beyond the limit,
// and that the newest and another person's stay.
func TestConnectionLimit(t *testing.T) {
	r := newRig(t)
	bob := dial(t, r, "bob")
	first := dial(t, r, "ann")
	var last *client
	for range maxConns {
		last = dial(t, r, "ann")
	}
	if _, _, err := first.ws.Read(t.Context()); err == nil {
		// read what was sent before the connection was closed
		for err == nil {
			_, _, err = first.ws.Read(t.Context())
		}
	}
	for name, c := range map[string]*client{"another's": bob, "the last": last} {
		if e := c.ask(map[string]any{"do": "pause", "id": "s9"}); !strings.Contains(e, "s9") {
			t.Errorf("%s: %q", name, e)
		}
	}
	if n := r.page.conns.Len(); n > maxConns {
		t.Errorf("%d connections", n)
	}
}

// TestLostRight checks that the connection and the person's typing end soon if the
// request's context is cancelled for another reason than a lost connection.
func TestLostRight(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc", "-c", "stty raw -echo; echo up; while head -c 1000 >/dev/null; do sleep 0.1; done")
	withdrawn := errors.New("withdrawn")
	ctx, withdraw := context.WithCancelCause(t.Context())
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		req.Header.Set("X-Person", "ann")
		r.page.ServeHTTP(w, req.WithContext(ctx))
	}))
	defer srv.Close()
	c := dialAt(t, srv.URL+"/ws", nil)
	if e := c.ask(map[string]any{"do": "take", "id": s.ID()}); e != "" {
		t.Fatal(e)
	}
	awaitRaw(t, s)
	c.send(map[string]any{"do": "paste", "id": s.ID(), "text": strings.Repeat("x", 1_000_000)})
	for s.Info().BytesIn == 0 {
		runtime.Gosched() // wait until typing has begun; the program reads slowly
	}
	withdraw(withdrawn)
	began := time.Now()
	for err := error(nil); err == nil; {
		_, _, err = c.ws.Read(t.Context())
	}
	for r.page.conns.Len() > 0 && time.Since(began) < patience {
		runtime.Gosched() // wait until the connection is gone
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the connection ended after %v, want at most 10s", took)
	}
}

// TestLargePaste checks that a paste of 1 MB is typed completely.
func TestLargePaste(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc", "-c", "stty raw -echo; head -c 1000000 | wc -c")
	c := dial(t, r, "ann")
	c.send(map[string]any{"do": "watch", "large": s.ID()})
	if e := c.ask(map[string]any{"do": "take", "id": s.ID()}); e != "" {
		t.Fatal(e)
	}
	awaitRaw(t, s)
	if e := c.ask(map[string]any{"do": "paste", "id": s.ID(), "text": strings.Repeat("é", 500_000)}); e != "" {
		t.Fatal(e)
	}
	c.shows("1000000")
}

// awaitRaw waits until a session's program waits for input, after it has set the terminal
// to raw mode.
func awaitRaw(t *testing.T, s *session.Session) {
	t.Helper()
	var reason detect.Reason
	for began := time.Now(); reason != detect.AwaitingInput; {
		r, err := s.Exchange(t.Context(), session.Input{}, session.Wait{Timeout: patience}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if reason = r.Reason; reason != detect.AwaitingInput && time.Since(began) > patience {
			t.Fatalf("reason %s", reason)
		}
	}
}

// TestEventStream tests the page's connection without a WebSocket: events, and actions as
// POST requests.
func TestEventStream(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url+"/ann/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	next := func(kind string) map[string]any {
		for lines.Scan() {
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			var m map[string]any
			if ok && json.Unmarshal([]byte(data), &m) == nil && m["t"] == kind {
				return m
			}
		}
		t.Fatalf("the stream ended: %v", lines.Err())
		return nil
	}
	id := next("hello")["conn"].(string)
	post := func(person, conn, body string) int {
		res, err := http.Post(r.url+"/"+person+"/act?conn="+conn, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	if got := post("ann", id, `{"n":1,"do":"watch","large":"`+s.ID()+`"}`); got != http.StatusNoContent {
		t.Errorf("post: %d", got)
	}
	next("frame")
	if got := post("bob", id, `{}`); got != http.StatusNotFound {
		t.Errorf("another person's post: %d", got)
	}
	if got := post("ann", id, `{`); got != http.StatusBadRequest {
		t.Errorf("post of invalid JSON: %d", got)
	}
}

// TestHolderLeaves checks that the keyboard is about to be released after its holder's
// page has closed, and no longer once the page is back.
func TestHolderLeaves(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	c := dial(t, r, "ann")
	if e := c.ask(map[string]any{"do": "take", "id": s.ID()}); e != "" {
		t.Fatal(e)
	}
	if err := c.ws.CloseNow(); err != nil {
		t.Fatal(err)
	}
	leaving := func(want bool) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		for seen := s.State(); ; {
			k := s.Facts().Keyboard
			if k.State == session.KeyboardHeld && k.FreeAt.IsZero() != want {
				if want && time.Until(k.FreeAt) > session.HoldGrace {
					t.Errorf("keyboard kept until %s", k.FreeAt)
				}
				return
			}
			var err error
			if seen, err = s.Changed(ctx, seen); err != nil {
				t.Fatal(err)
			}
		}
	}
	leaving(true)
	dial(t, r, "ann")
	leaving(false)
}

// TestLinesAndSearch checks the answers for scrollback lines, searches and the page's
// files.
func TestLinesAndSearch(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	if _, err := agentTypes(t, s, "seq 1 500"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/ann/lines?id=s1&rows=20":      `["460",3,0,0]`,
		"/ann/search?id=s1&q=499":       `"499"`,
		"/ann/search?id=s1&q=49.$&re=1": `"498"`,
		"/ann/lines?id=s1&rows=99999":   "want 1 to 2000",
		"/ann/lines?id=../s1&rows=1":    "no such session",
		"/ann/search?id=s1&q=":          "search text is empty",
		"/ann/search?id=s1&q=(&re=1":    "missing closing",
		"/ann/font/../page/app.js":      "",
		"/ann/page/index.html":          "not found",
		"/ann/font/regular.ttf?x":       "glyf",
		"/ann/font/light.ttf":           "not found",
		"/ann/%2e%2e/%2e%2e/etc/passwd": "not found",
		"/ann/style.css":                "cells",
	} {
		res, err := http.Get(r.url + path)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if _, err := bufio.NewReader(res.Body).WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s: %.200s", path, b.String())
		}
	}
}

// TestImage checks that an image in a session is in the frame of its row, and that its
// pixels are served at the address in the frame.
func TestImage(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	if _, err := agentTypes(t, s, `printf '\eP0;1q"1;1;25;20#1;2;100;0;0#1!25~\e\\'; echo`); err != nil {
		t.Fatal(err)
	}
	get := func(path string) (*http.Response, []byte) {
		t.Helper()
		res, err := http.Get(r.url + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res, b
	}
	_, body := get("/ann/at?id=s1&t=" + url.QueryEscape(time.Now().Format(time.RFC3339Nano)))
	var f Frame
	if err := json.Unmarshal(body, &f); err != nil {
		t.Fatal(err)
	}
	var found []FrameImage
	for _, l := range f.Lines {
		found = append(found, l.Images...)
	}
	if len(found) != 1 || found[0].Col != 0 || found[0].Cols != 3 || found[0].OfRows != 1 || found[0].OfCols != 3 {
		t.Fatalf("images in the frame: %+v", found)
	}
	res, body := get("/ann/" + found[0].Source)
	img, err := png.Decode(bytes.NewReader(body))
	if err != nil || res.Header.Get("Content-Type") != "image/png" || img.Bounds().Size() != image.Pt(30, 20) {
		t.Fatalf("%s: %v, %.100q", found[0].Source, err, body)
	}
	if red, _, _, alpha := img.At(24, 5).RGBA(); red != 0xffff || alpha != 0xffff {
		t.Errorf("pixel %v, want red", img.At(24, 5))
	}
	for _, path := range []string{"image?id=s1&n=1&v=99", "image?id=s1&n=7&v=1", "image?id=s1", "image?id=s9&n=1&v=1", "image?id=s1&n=1&v=1&t=never"} {
		if res, _ := get("/ann/" + path); res.StatusCode < 400 {
			t.Errorf("%s: %s", path, res.Status)
		}
	}
}

// TestRedacted checks that nothing sent to a page contains a secret.
func TestRedacted(t *testing.T) {
	const secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	r := rigWith(t, Options{Manager: session.NewManager(session.Options{Mask: mask.New()})})
	s := r.start(t, "bash", "--norc")
	for _, line := range []string{
		"printf '\\033]2;at %s\\007' " + secret, "echo one " + secret, "printf '\\033[31m" + strings.Join(strings.Split(secret, ""), "\\033[32m") + "\\033[m\\n'",
		"printf '\\033]8;;https://e.example/?k=" + secret + "\\033\\\\here\\033]8;;\\033\\\\\\n'", "seq 100", "echo two " + secret + " the end",
	} {
		if _, err := agentTypes(t, s, line); err != nil {
			t.Fatal(err)
		}
	}
	c := dial(t, r, "ann")
	var all strings.Builder
	c.send(map[string]any{"do": "watch", "large": s.ID()})
	c.until(func(m map[string]any) bool {
		fmt.Fprintln(&all, m)
		return strings.Contains(fmt.Sprint(m), "the end")
	})
	for _, path := range []string{"lines?rows=200&id=", fmt.Sprintf("at?t=%d&id=", s.Snapshot(0).Revision), "inputs?id=", "search?q=e&id=", "search?re=1&q=ghp_.*&id=", "sessions?id="} {
		res, err := http.Get(r.url + "/ann/" + path + s.ID())
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %v %s", path, res.Status, err, body)
		}
		fmt.Fprintf(&all, "%s %s\n", path, body)
	}
	for i := 4; i+10 <= len(secret); i++ {
		if part := secret[i : i+10]; strings.Contains(all.String(), part) {
			t.Fatalf("the page was sent %q: %s", part, all.String())
		}
	}
	if n := strings.Count(all.String(), strings.Repeat("*", len(secret))); n < 5 {
		t.Errorf("the secret is hidden %d times, want at least 5: %s", n, all.String())
	}
}

// TestCut checks that a client whose connection is cut gets ErrDisconnected, which a person can
// understand, and not an error of a library.
func TestCut(t *testing.T) {
	r := newRig(t)
	c, err := Dial(t.Context(), &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(r.url, "http://"))
	}}}, "/ann/", "", "me", "")
	if err != nil {
		t.Fatal(err)
	}
	if m, err := c.Next(t.Context()); err != nil || m.Type != "hello" {
		t.Fatalf("%+v, %v", m, err)
	}
	r.page.mu.Lock()
	for _, conn := range r.page.conns.All() {
		conn.end(nil)
	}
	r.page.mu.Unlock()
	for err == nil {
		_, err = c.Next(t.Context())
	}
	if err != ErrDisconnected {
		t.Errorf("error %v, want %v", err, ErrDisconnected)
	}
}
