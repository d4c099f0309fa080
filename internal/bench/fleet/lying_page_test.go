package fleet

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
)

// A lyingPage is a listener for a node whose page is not glasstty's.
type lyingPage struct{ streams chan net.Conn }

// Accept implements net.Listener.
func (l lyingPage) Accept() (net.Conn, error) {
	conn, ok := <-l.streams
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

// Close implements net.Listener.
func (l lyingPage) Close() error { return nil }

// Addr implements net.Listener.
func (l lyingPage) Addr() net.Addr { return &net.UnixAddr{} }

// pageOf starts a node whose page is served by h.
func pageOf(t *testing.T, url string, h http.HandlerFunc) {
	t.Helper()
	l := lyingPage{make(chan net.Conn)}
	t.Cleanup(func() { close(l.streams) })
	serving(t, url, func(conn net.Conn, _ string, _ []byte) { l.streams <- conn })
	go http.Serve(l, h)
}

// fact is the JSON of a session's facts, without the closing brace.
const fact = `{"t":"session","id":"s1","name":"w1","status":"running","typed":{},"keyboard":{"state":"free"}`

// TestLyingPage checks that a browser at the gateway gets only the requested data from a node
// with a malicious page: none of the node's headers, no redirect and no other content.
func TestLyingPage(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	pageOf(t, url, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		for name, value := range map[string]string{
			"Set-Cookie": "a=evil; Path=/", "Access-Control-Allow-Origin": "*", "Refresh": "0;url=//evil.example", "Clear-Site-Data": "*",
			"Link": "</x>; rel=preload", "Content-Security-Policy": "default-src *", "Content-Type": "text/javascript", "Trailer": "Set-Cookie",
		} {
			h.Set(name, value)
		}
		w.WriteHeader(http.StatusEarlyHints)
		if r.URL.Query().Has("token") {
			t.Error("the node received a parameter that is meant for the gateway")
		}
		switch lie := r.URL.Query().Get("q"); lie {
		case "redirect":
			h.Set("Location", "https://evil.example")
			w.WriteHeader(http.StatusFound)
		case "refuse":
			http.Error(w, "<script>no\x1b[2J", http.StatusForbidden)
		case "script":
			fmt.Fprint(w, "alert(1)")
		case "long":
			fmt.Fprint(w, "["+strings.Repeat(" ", 9<<20)+"]")
		case "id":
			fmt.Fprint(w, `[{"id":"../x"}]`)
		default:
			fmt.Fprint(w, `[`+fact+`,"title":"a\u001b]0;x\u0007\u202eb","script":"<script>"}]`)
		}
		h.Set("Set-Cookie", "b=evil")
	})
	gate := startNode(t, url, "gate", "--gateway")
	for _, c := range []struct {
		query, method string
		status        int
		kind, has     string
	}{
		{"sessions?node=node&token=x", http.MethodGet, http.StatusOK, "application/json", "\"title\":\"a\uFFFD]0;x\uFFFD\uFFFDb\""},
		{"sessions?node=node&q=redirect", http.MethodGet, http.StatusBadGateway, "text/plain; charset=utf-8", "invalid response from node node to sessions"},
		{"sessions?node=node&q=refuse", http.MethodGet, http.StatusForbidden, "text/plain; charset=utf-8", "<script>no\uFFFD[2J"},
		{"sessions?node=node&q=script", http.MethodGet, http.StatusBadGateway, "text/plain; charset=utf-8", "invalid response from node node to sessions"},
		{"sessions?node=node&q=long", http.MethodGet, http.StatusBadGateway, "text/plain; charset=utf-8", "more than 8 MB"},
		{"sessions?node=node&q=id", http.MethodGet, http.StatusBadGateway, "text/plain; charset=utf-8", "is not a session id"},
		{"nodes?node=node", http.MethodGet, http.StatusBadGateway, "text/plain; charset=utf-8", "is not available for sessions on other nodes"},
		{"lines?node=node", http.MethodGet, http.StatusBadGateway, "text/plain; charset=utf-8", "invalid response from node node to lines"},
		{"at?node=node&q=redirect", http.MethodGet, http.StatusBadGateway, "text/plain; charset=utf-8", "status 302"},
		{"act?node=node", http.MethodPost, http.StatusBadGateway, "text/plain; charset=utf-8", "status 200"},
		{"ws?node=node", http.MethodGet, http.StatusBadGateway, "text/plain; charset=utf-8", "request to node node: "},
		{"image?node=node", http.MethodGet, http.StatusOK, "image/png", ""},
		{"events?node=node", http.MethodGet, http.StatusBadGateway, "text/plain; charset=utf-8", "request to node node: "},
		{"style.css?node=node", http.MethodGet, http.StatusOK, "text/css; charset=utf-8", ""}, // the gateway's own file
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, "http://gate/live/"+c.query, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := overSocket(gate).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			t.Error(err)
		}
		h := res.Header
		if res.StatusCode != c.status || h.Get("Content-Type") != c.kind || !strings.Contains(string(body), c.has) || c.kind != "image/png" && strings.Contains(string(body), `"script"`) {
			t.Errorf("%s: got status %d, type %s, body %.500q", c.query, res.StatusCode, h.Get("Content-Type"), body)
		}
		for _, name := range []string{"Set-Cookie", "Access-Control-Allow-Origin", "Refresh", "Clear-Site-Data", "Link", "Location"} {
			if h.Get(name) != "" || res.Trailer.Get(name) != "" {
				t.Errorf("%s: header %s is %q, trailer %q", c.query, name, h[name], res.Trailer[name])
			}
		}
		if policy := h["Content-Security-Policy"]; len(policy) != 1 || !strings.Contains(policy[0], "default-src 'none'") || len(h["X-Content-Type-Options"]) != 1 {
			t.Errorf("%s: Content-Security-Policy %q, X-Content-Type-Options %q", c.query, policy, h["X-Content-Type-Options"])
		}
	}
}

// TestLyingMessages checks that if a node sends messages that no server sends, a person's client
// gets them in their known form, or the connection ends with an error that names the node.
func TestLyingMessages(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	frame := func(rest string) string {
		return `{"t":"frame","id":"s1","rev":1,"rows":1,"cols":4,"full":true,"inks":[{}],` + rest + `}`
	}
	lines := func(span string) string { return frame(`"cur":[0,0,1,0],"lines":[{"r":0,"s":[` + span + `]}]`) }
	messages := make(chan string, 1)
	pageOf(t, url, func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer ws.CloseNow()
		for _, m := range []string{`{"t":"script","x":1}`, <-messages} {
			if err := ws.Write(r.Context(), websocket.MessageText, []byte(m)); err != nil {
				t.Error(err)
			}
		}
		_, _, _ = ws.Read(r.Context()) // until the gateway closes the connection
	})
	gate := startNode(t, url, "gate", "--gateway")
	next := func(message string) (*live.Message, error) {
		t.Helper()
		messages <- message
		c, err := live.Dial(t.Context(), overSocket(gate), "/live/", "node", "anna", "Anna")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		return c.Next(ctx)
	}
	m, err := next(lines(`["a\u001b\u009b",3,0,0],["\u202eb",1,0,1]`))
	if err != nil || m.Frame == nil || m.Frame.Lines[0].Spans[0].Text != "a\uFFFD\uFFFD" || m.Frame.Lines[0].Spans[1].Text != "b" {
		t.Errorf("a frame with control characters: %+v, %v", m, err)
	}
	m, err = next(fact + `,"title":"\u001b]52;;eA\u0007"}`)
	if err != nil || m.Facts == nil || m.Facts.Title != "\uFFFD]52;;eA\uFFFD" {
		t.Errorf("facts with control characters: %+v, %v", m, err)
	}
	for _, bad := range []string{
		"nonsense", `{"t":"gone","id":"/etc"}`, frame(`"rows":2000000000,"cur":[0,0,1,0]`), frame(`"cur":[1,0,1,0]`), frame(`"cur":[0,-1,1,0]`),
		frame(`"cur":[0,0,1,0],"modes":{"mouse":1049}`), frame(`"cur":[0,0,1,0],"lines":[{"r":1,"s":[]}]`),
		lines(`["abcde",5,0,0]`), lines(`["abc",4,0,0]`), lines(`["",-1,0,1]`), lines(`["abcdefgh",1,0,1]`), lines(`["a",1,7,0]`),
		frame(`"cols":10,"cur":[0,0,1,0],"lines":[{"r":0,"s":[["漢漢漢漢漢漢漢漢漢漢",10,0,0]]}]`),
		frame(`"cur":[0,0,1,0],"lines":[],"inks":[{"b":"url(//evil.example)"}]`), frame(`"cur":[0,0,1,0],"lines":[{"r":0,"s":[],"i":[[0,1,"//evil.example",0,0,1,1]]}]`),
	} {
		if m, err := next(bad); err == nil || !strings.Contains(err.Error(), "invalid response from node node to ws") {
			t.Errorf("message %s\ngot %+v, %v, want an error", bad, m, err)
		}
	}
}
