package httpserve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestBodies checks that too large a body is rejected, with and without a Content-Length.
func TestBodies(t *testing.T) {
	t.Parallel()
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
				t.Errorf("%s, Content-Length %d: %s", path, said, res.Status)
			}
			res.Body.Close()
		}
	}
	// Rejected bodies are counted, whether or not the client could read the answer.
	if _, _, text := r.ask("GET", "/metrics", ""); !strings.Contains(text, `glasstty_refused_total{reason="body"} 4`) {
		t.Errorf("refusals counted:\n%s", grep(text, "refused"))
	}
	if status, _, body := r.ask("POST", "/mcp", strings.Replace(initBody, "raw", strings.Repeat("x", 1<<20), 1), post()...); status != 200 {
		t.Errorf("body of a megabyte: %d %.100s", status, body)
	}
}

// zeros is an endless body of zero bytes.
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

// TestSlow checks that the server closes connections of clients that send slowly, send
// nothing or read nothing.
func TestSlow(t *testing.T) {
	t.Parallel()
	short := 50 * time.Millisecond
	// The header limit has a server of its own: on a busy machine the other requests could
	// reach it.
	header := newRig(t, Options{Limits: Limits{HeaderTimeout: short}})
	r := newRig(t, Options{Limits: Limits{BodyTimeout: short, IdleTimeout: short, WriteTimeout: short}})
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
			t.Errorf("%s: the connection is still open", name)
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
		closed("half a body for an unknown path, "+more, dial("POST /nowhere HTTP/1.1\r\nHost: "+r.addr+"\r\n"+more+"\r\n\r\n{"))
	}
	if got := closed("header too long", dial("GET /healthz HTTP/1.1\r\nHost: "+r.addr+"\r\nX-Long: "+strings.Repeat("x", 24<<10)+"\r\n\r\n")); !strings.Contains(got, " 431 ") {
		t.Errorf("header too long: %q", got)
	}
	r.Handle("GET /flood", Access{Public: true}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for err := error(nil); err == nil; {
			_, err = w.Write(make([]byte, 64<<10))
		}
		r.ended <- nil
	}))
	dial("GET /flood HTTP/1.1\r\nHost: " + r.addr + "\r\n\r\n") // the client reads nothing
	r.why()
}

// TestConnLimits checks that a full server closes idle connections first, and busy ones
// only of the client with the most connections.
func TestConnLimits(t *testing.T) {
	r := newRig(t, Options{Keys: keys(t), Limits: Limits{Conns: 6}})
	full, read := []string{"Authorization", "Bearer " + tokenFull}, []string{"Authorization", "Bearer " + tokenRead}
	r.Handle("GET /hang", Access{Scope: ScopeWatch}, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		fmt.Fprint(w, "hanging")
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		<-req.Context().Done()
	}))
	hang := func(header ...string) net.Conn {
		conn := r.raw("GET", "/hang", "", header...)
		if got := readUntil(t, conn, "\r\n"); !strings.Contains(got, " 200 ") {
			t.Fatalf("%q", got)
		}
		return conn
	}
	closed := func(conn net.Conn) bool {
		_, err := io.Copy(io.Discard, conn)
		return !errors.Is(err, os.ErrDeadlineExceeded)
	}
	mine := hang(full...)
	// Connections without a request fill the server, and later ones replace them.
	var silent []net.Conn
	for range 20 {
		conn, err := net.Dial("tcp", r.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		silent = append(silent, conn)
	}
	var greedy []net.Conn
	for range 10 {
		greedy = append(greedy, hang(read...))
	}
	if !closed(silent[0]) || !closed(greedy[0]) {
		t.Error("no idle connection was closed")
	}
	if status, _, body := r.ask("POST", "/mcp", lookBody, append(post(), full...)...); status == 503 {
		t.Errorf("a client of another token: %d %s", status, body)
	}
	if err := mine.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if closed(mine) {
		t.Error("the connection of the client with the fewest was closed")
	}
}

// TestRates checks the limits for requests and for wrong tokens.
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
		t.Errorf("wrong token: %d", status)
	}
	if status, _, _ := r.ask("GET", "/metrics", "", wrong...); status != 429 {
		t.Errorf("another wrong token: %d", status)
	}
	if status, _, _ := r.ask("GET", "/healthz", "", wrong...); status != 200 {
		t.Errorf("public path: %d", status)
	}
	right := newRig(t, Options{Keys: keys(t), Limits: Limits{Guesses: 0.001}})
	for range 10 {
		right.ask("GET", "/metrics", "", wrong...)
	}
	if status, _, _ := right.ask("GET", "/metrics", "", good...); status != 200 {
		t.Errorf("valid token after too many wrong ones: %d", status)
	}
}

// TestRaterForgets checks that the number of remembered clients is bounded.
func TestRaterForgets(t *testing.T) {
	t.Parallel()
	r := newRateLimiter(1)
	for i := range maxRated + 100 {
		r.allow(fmt.Sprint(i))
	}
	if n := r.clients.Len(); n > maxRated {
		t.Errorf("%d clients are remembered, want at most %d", n, maxRated)
	}
}

// TestCallLimit checks that a client's calls beyond the limit fail, that other clients'
// calls do not, and that the end of a call makes room.
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
			t.Fatalf("after a call has ended: %+v %v", res, err)
		}
		if !res.IsError {
			break
		}
	}
	r.release <- struct{}{}
}

// TestClientLimit checks that beyond the limit of MCP sessions the longest idle one of the
// client with the most sessions ends.
func TestClientLimit(t *testing.T) {
	r := newRig(t, Options{Keys: keys(t), Limits: Limits{Sessions: 4}})
	full := []string{"Authorization", "Bearer " + tokenFull}
	read := []string{"Authorization", "Bearer " + tokenRead}
	look := func(id string, who []string) int {
		status, _, _ := r.ask("POST", "/mcp", lookBody, append(post(headerSession, id), who...)...)
		return status
	}
	mine := r.initialize(full...)
	var greedy []string
	for range 20 {
		greedy = append(greedy, r.initialize(read...))
	}
	if status := look(mine, full); status != 200 {
		t.Errorf("session of another token: %d", status)
	}
	r.free(4)
	if status := look(greedy[0], read); status != 404 {
		t.Errorf("first session of the client with too many: %d", status)
	}
	if status := look(greedy[19], read); status != 200 {
		t.Errorf("last session of the client with too many: %d", status)
	}
	// If all sessions have a call under way, there is no room for another session.
	busy := newRig(t, Options{Limits: Limits{Sessions: 2}})
	for range 2 {
		busy.raw("POST", "/mcp", waitBody, post(headerSession, busy.initialize())...)
		busy.begun()
	}
	if status, _, body := busy.ask("POST", "/mcp", initBody, post()...); !strings.Contains(body, "2 MCP sessions are open") {
		t.Errorf("one more: %d %s", status, body)
	}
}

// TestIdleSession checks that an idle MCP session is closed.
func TestIdleSession(t *testing.T) {
	r := newRig(t, Options{Limits: Limits{SessionIdleTimeout: 20 * time.Millisecond}})
	id := r.initialize()
	r.free(0)
	if status, _, _ := r.ask("POST", "/mcp", lookBody, post(headerSession, id)...); status != 404 {
		t.Errorf("the session still exists: %d", status)
	}
}

// TestReplayLimits checks the limits of the event store: streams, bytes and closed
// sessions.
func TestReplayLimits(t *testing.T) {
	s := newEventStore(1000)
	ctx := context.WithValue(context.Background(), exchangeKey{}, newExchange(t.Context(), 0))
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
		t.Error("the oldest stream was kept")
	}
	if n, err := after("1", -1); n != 1 || err != nil {
		t.Errorf("the next stream: %d events, %v", n, err)
	}
	if n, err := after("", -1); n != 1 || err != nil {
		t.Errorf("the common stream: %d events, %v", n, err)
	}
	for range 5 {
		must(s.Append(ctx, "s", "64", make([]byte, 300)))
	}
	if _, err := after("64", -1); !errors.Is(err, mcp.ErrEventsPurged) {
		t.Errorf("purged events: %v", err)
	}
	// Four of the five remain: the last one is kept whatever its size.
	if n, err := after("64", 1); n != 4 || err != nil {
		t.Errorf("kept events: %d, %v", n, err)
	}
	must(s.SessionClosed(ctx, "s"))
	must(s.Append(ctx, "s", "64", []byte("late")))
	for _, stream := range []string{"", "64"} {
		if n, err := after(stream, -1); err == nil || len(s.sessions) != 0 {
			t.Errorf("closed session: %d events of stream %q, %d sessions left", n, stream, len(s.sessions))
		}
	}
}
