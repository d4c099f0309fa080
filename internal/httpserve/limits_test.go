package httpserve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestBodies sends too much, with and without saying so first.
func TestBodies(t *testing.T) {
	r := newRig(t, Options{})
	for _, path := range []string{"/mcp", "/sse?sessionid=x"} {
		for _, said := range []int64{100 << 20, -1} {
			req, err := http.NewRequest("POST", r.url+path, io.NopCloser(io.LimitReader(zeros{}, 100<<20)))
			if err != nil {
				t.Fatal(err)
			}
			req.ContentLength = said
			req.Header.Set("Content-Type", "application/json")
			res, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				continue // the server may close while we are still sending
			}
			if res.StatusCode != 413 {
				t.Errorf("%s, %d bytes said: %s", path, said, res.Status)
			}
			res.Body.Close()
		}
	}
	// What was refused is counted, whether the client could read the answer or not.
	if _, _, text := r.ask("GET", "/metrics", ""); !strings.Contains(text, `glasstty_refused_total{reason="body"} 4`) {
		t.Errorf("counted:\n%s", grep(text, "refused"))
	}
	if status, _, body := r.ask("POST", "/mcp", strings.Replace(initBody, "raw", strings.Repeat("x", 1<<20), 1), post()...); status != 200 {
		t.Errorf("a megabyte: %d %.100s", status, body)
	}
}

// zeros is an endless body.
type zeros struct{}

// Read fills p.
func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// grep returns the lines of text that contain part.
func grep(text, part string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			out.WriteString(line)
		}
	}
	return out.String()
}

// TestSlow sends slowly, or nothing, or reads nothing: the server lets go.
func TestSlow(t *testing.T) {
	short := 50 * time.Millisecond
	// The limits that a busy machine could reach by itself are of a rig alone.
	header := newRig(t, Options{Limits: Limits{HeaderTime: short}})
	r := newRig(t, Options{Limits: Limits{BodyTime: short, Idle: short, WriteTime: short}})
	dialTo := func(addr, text string) net.Conn {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, text)
		return conn
	}
	dial := func(text string) net.Conn { return dialTo(r.addr, text) }
	closed := func(name string, conn net.Conn) string {
		t.Helper()
		got, err := io.ReadAll(conn)
		if errors.Is(err, context.DeadlineExceeded) || err != nil && strings.Contains(err.Error(), "timeout") {
			t.Errorf("%s: the connection stays open", name)
		}
		return string(got)
	}
	closed("no header", dialTo(header.addr, ""))
	closed("half a header", dialTo(header.addr, "GET /healthz HTTP/1.1\r\nHost: "+r.addr+"\r\nX-Slow: a"))
	closed("idle", dial("GET /healthz HTTP/1.1\r\nHost: "+r.addr+"\r\n\r\n"))
	if got := closed("half a body", dial("POST /mcp HTTP/1.1\r\nHost: "+r.addr+"\r\nContent-Length: 10\r\n\r\n{")); !strings.Contains(got, " 408 ") {
		t.Errorf("half a body: %q", got)
	}
	if got := closed("half a body that is refused", dial("POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 10\r\n\r\n{")); !strings.Contains(got, " 403 ") {
		t.Errorf("half a body that is refused: %q", got)
	}
	for _, more := range []string{"Content-Length: 10", "Transfer-Encoding: chunked"} {
		closed("half a body for nobody, "+more, dial("POST /nowhere HTTP/1.1\r\nHost: "+r.addr+"\r\n"+more+"\r\n\r\n{"))
	}
	if got := closed("header too long", dial("GET /healthz HTTP/1.1\r\nHost: "+r.addr+"\r\nX-Long: "+strings.Repeat("x", MaxHeader+8<<10)+"\r\n\r\n")); !strings.Contains(got, " 431 ") {
		t.Errorf("header too long: %q", got)
	}
	r.Handle("GET /flood", Access{Public: true}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for err := error(nil); err == nil; {
			_, err = w.Write(make([]byte, 64<<10))
		}
		r.ended <- nil
	}))
	dial("GET /flood HTTP/1.1\r\nHost: " + r.addr + "\r\n\r\n") // reads nothing
	r.why()
}

// TestConnLimits opens more connections than may be.
func TestConnLimits(t *testing.T) {
	for name, limits := range map[string]Limits{"in all": {Conns: 3}, "of one address": {ConnsPerHost: 3}} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{Limits: limits})
			get := func() (net.Conn, string) {
				conn := r.raw("GET", "/healthz", "")
				return conn, readUntil(t, conn, "\r\n")
			}
			var open []net.Conn
			for range 3 {
				conn, got := get()
				if !strings.Contains(got, " 200 ") {
					t.Fatalf("%q", got)
				}
				open = append(open, conn)
			}
			over := r.raw("GET", "/healthz", "")
			if got, err := io.ReadAll(over); err == nil && !strings.Contains(string(got), "too many connections") {
				t.Errorf("one more: %q", got)
			}
			open[0].Close()
			for deadline := time.Now().Add(patience); ; {
				conn := r.raw("GET", "/healthz", "")
				var b [64]byte
				if n, err := conn.Read(b[:]); err == nil && bytes.Contains(b[:n], []byte(" 200 ")) {
					break
				}
				if time.Now().After(deadline) {
					t.Fatal("a place that was given back is not taken")
				}
			}
		})
	}
}

// TestRates sends more requests, and more wrong tokens, than may be.
func TestRates(t *testing.T) {
	r := newRig(t, Options{Keys: keys(t), Limits: Limits{Rate: 0.001, Guesses: 0.001}})
	good := []string{"Authorization", "Bearer " + tokenFull}
	if status, _, _ := r.ask("GET", "/metrics", "", good...); status != 200 {
		t.Errorf("first: %d", status)
	}
	if status, h, _ := r.ask("GET", "/metrics", "", good...); status != 429 || h.Get("Retry-After") == "" {
		t.Errorf("second: %d %v", status, h)
	}
	if status, _, _ := r.ask("GET", "/metrics", "", "Authorization", "Bearer "+tokenRead); status != 200 {
		t.Errorf("another client: %d", status)
	}
	wrong := []string{"Authorization", "Bearer wrong-0123456789abcdefgh"}
	if status, _, _ := r.ask("GET", "/metrics", "", wrong...); status != 401 {
		t.Errorf("a guess: %d", status)
	}
	if status, _, _ := r.ask("GET", "/metrics", "", wrong...); status != 429 {
		t.Errorf("another guess: %d", status)
	}
	if status, _, _ := r.ask("GET", "/metrics", "", "Authorization", "Bearer "+tokenRead); status != 429 {
		t.Errorf("the right token after too many guesses: %d", status)
	}
}

// TestRaterForgets asks for more clients than are remembered.
func TestRaterForgets(t *testing.T) {
	r := newRater(1)
	for i := range 2 * maxRated {
		r.allow(fmt.Sprint(i))
	}
	if n := len(r.clients); n > maxRated {
		t.Errorf("%d clients are remembered, at most %d", n, maxRated)
	}
}

// TestCallLimit makes more calls than one client may have.
func TestCallLimit(t *testing.T) {
	r := newRig(t, Options{Keys: keys(t), Limits: Limits{Calls: 2}})
	a, b := r.client(tokenFull, false, ""), r.client(tokenRead, true, "")
	for range 2 {
		go func() { _, _ = a.CallTool(context.Background(), &mcp.CallToolParams{Name: "wait"}) }()
		r.begun()
	}
	res, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: "look"})
	if err != nil || !res.IsError || !strings.Contains(res.Content[0].(*mcp.TextContent).Text, "too many calls") {
		t.Errorf("a third call: %+v %v", res, err)
	}
	if res, err := b.CallTool(t.Context(), &mcp.CallToolParams{Name: "look"}); err != nil || res.IsError {
		t.Errorf("another client: %+v %v", res, err)
	}
	r.release <- struct{}{}
	r.why()
	for deadline := time.Now().Add(patience); ; {
		res, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: "look"})
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("after one has ended: %+v %v", res, err)
		}
		if !res.IsError {
			break
		}
	}
	r.release <- struct{}{}
}

// TestClientLimit opens more MCP sessions than may be.
func TestClientLimit(t *testing.T) {
	r := newRig(t, Options{Limits: Limits{Clients: 2}})
	id := r.initialize()
	r.initialize()
	if status, _, body := r.ask("POST", "/mcp", initBody, post()...); status != 503 || !strings.Contains(body, "2 MCP sessions are open") {
		t.Errorf("one more: %d %s", status, body)
	}
	if status, _, body := r.ask("GET", "/sse", ""); status != 503 {
		t.Errorf("one more stream: %d %s", status, body)
	}
	if status, _, _ := r.ask("DELETE", "/mcp", "", headerSession, id); status != 204 {
		t.Errorf("DELETE: %d", status)
	}
	r.free(1)
	r.initialize()
}

// TestIdleSession leaves an MCP session alone until it is closed.
func TestIdleSession(t *testing.T) {
	r := newRig(t, Options{Limits: Limits{SessionIdle: 20 * time.Millisecond}})
	id := r.initialize()
	r.free(0)
	if status, _, _ := r.ask("POST", "/mcp", lookBody, post(headerSession, id)...); status != 404 {
		t.Errorf("it is still there: %d", status)
	}
}

// TestReplayLimits fills the store of events in each of its dimensions.
func TestReplayLimits(t *testing.T) {
	s := newEventStore(1000)
	ctx := context.Background()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	after := func(stream string, index int) (n int, err error) {
		for _, e := range s.After(ctx, "s", stream, index) {
			if e != nil {
				return n, e
			}
			n++
		}
		return n, nil
	}
	must(s.Open(ctx, "s", ""))
	must(s.Append(ctx, "s", "", []byte("common")))
	for i := range maxStreams + 1 {
		must(s.Open(ctx, "s", fmt.Sprint(i)))
		must(s.Append(ctx, "s", fmt.Sprint(i), []byte("x")))
	}
	if _, err := after("0", -1); err == nil {
		t.Error("the oldest stream is kept")
	}
	if n, err := after("1", -1); n != 1 || err != nil {
		t.Errorf("the next: %d, %v", n, err)
	}
	if n, err := after("", -1); n != 1 || err != nil {
		t.Errorf("the common one: %d, %v", n, err)
	}
	for range 5 {
		must(s.Append(ctx, "s", "64", make([]byte, 300)))
	}
	if s.size > 1000 {
		t.Errorf("%d bytes are kept", s.size)
	}
	if _, err := after("64", -1); !errors.Is(err, mcp.ErrEventsPurged) {
		t.Errorf("events that are gone: %v", err)
	}
	if n, err := after("64", 2); n != 3 || err != nil {
		t.Errorf("events that are kept: %d, %v", n, err)
	}
	must(s.SessionClosed(ctx, "s"))
	must(s.Append(ctx, "s", "64", []byte("late")))
	if s.size != 0 || len(s.sessions) != 0 {
		t.Errorf("%d bytes of %d sessions are left", s.size, len(s.sessions))
	}
}
