package httpserve

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// free waits until no calls wait, and this number of clients is left.
func (r *rig) free(clients int) {
	r.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		_, _, text := r.ask("GET", "/metrics", "", "Authorization", "Bearer "+tokenFull)
		if strings.Contains(text, "\nglasstty_calls_waiting 0\n") && strings.Contains(text, "\nglasstty_clients "+string(rune('0'+clients))+"\n") {
			return
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("calls or clients are left:\n%s", text)
		}
	}
}

// TestDelete checks that DELETE ends an MCP session and its call, and that another token
// can neither use nor end the session.
func TestDelete(t *testing.T) {
	r := newRig(t, Options{Keys: keys(t)})
	auth := []string{"Authorization", "Bearer " + tokenFull}
	id := r.initialize(auth...)
	conn := r.raw("POST", "/mcp", waitBody, post(append(auth, headerSession, id)...)...)
	r.begun()
	// Another token can neither end nor use the session.
	if status, _, body := r.ask("DELETE", "/mcp", "", "Authorization", "Bearer "+tokenRead, headerSession, id); status != 403 {
		t.Errorf("DELETE with another token: %d %s", status, body)
	}
	if status, _, body := r.ask("POST", "/mcp", lookBody, post("Authorization", "Bearer "+tokenRead, headerSession, id)...); status != 403 {
		t.Errorf("POST with another token: %d %s", status, body)
	}
	select {
	case err := <-r.ended:
		t.Fatalf("the other token ended the call: %v", err)
	default:
	}
	if status, _, body := r.ask("DELETE", "/mcp", "", append(auth, headerSession, id)...); status != 204 {
		t.Errorf("DELETE: %d %s", status, body)
	}
	if err := r.why(); !errors.Is(err, errDeleted) {
		t.Errorf("ended by %v", err)
	}
	readUntil(t, conn, "the client ended its MCP session")
	r.free(0)
	if status, _, body := r.ask("POST", "/mcp", lookBody, post(append(auth, headerSession, id)...)...); status != 404 || !strings.Contains(body, "initialize a new one") {
		t.Errorf("the session still exists: %d %s", status, body)
	}
}

// TestDropped checks that a call ends at once if its connection is dropped and its client
// cannot resume it: a client of the newest version, of a version without events, or of
// SSE. Resume is an hour here, so it is not the reason for the end.
func TestDropped(t *testing.T) {
	t.Run("stateless", func(t *testing.T) {
		r := newRig(t, Options{Keys: keys(t), Limits: Limits{Resume: time.Hour}})
		conn := r.raw("POST", "/mcp", newBody, post("Authorization", "Bearer "+tokenFull, headerVersion, firstStateless,
			"Mcp-Method", "tools/call", "Mcp-Name", "wait")...)
		r.begun()
		conn.Close()
		if err := r.why(); !errors.Is(err, errDropped) && !errors.Is(err, context.Canceled) {
			t.Errorf("ended by %v", err)
		}
		r.free(0)
	})
	t.Run("old version without events", func(t *testing.T) {
		r := newRig(t, Options{Keys: keys(t), Limits: Limits{Resume: time.Hour}})
		auth := []string{"Authorization", "Bearer " + tokenFull}
		id := r.initialize(auth...)
		conn := r.raw("POST", "/mcp", waitBody, post(append(auth, headerSession, id, headerVersion, "2025-06-18")...)...)
		r.begun()
		conn.Close()
		if err := r.why(); !errors.Is(err, errDropped) {
			t.Errorf("ended by %v", err)
		}
		r.free(1) // the MCP session itself stays open
	})
	t.Run("half closed", func(t *testing.T) {
		r := newRig(t, Options{Keys: keys(t), Limits: Limits{Resume: time.Hour}})
		conn := r.raw("POST", "/mcp", newBody, post("Authorization", "Bearer "+tokenFull, headerVersion, firstStateless,
			"Mcp-Method", "tools/call", "Mcp-Name", "wait")...)
		r.begun()
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		r.why()
		r.free(0)
	})
	t.Run("sse", func(t *testing.T) {
		r := newRig(t, Options{Keys: keys(t), Limits: Limits{Resume: time.Hour}})
		auth := []string{"Authorization", "Bearer " + tokenFull}
		stream, path := r.openSSE(auth)
		r.begun()
		if status, _, body := r.ask("POST", path, lookBody, post("Authorization", "Bearer "+tokenRead)...); status != 403 {
			t.Errorf("POST to the stream with another token: %d %s", status, body)
		}
		stream.Close()
		if err := r.why(); !errors.Is(err, errDropped) {
			t.Errorf("ended by %v", err)
		}
		r.free(0)
	})
}

// openSSE opens an SSE stream by hand, calls wait on it, and returns the stream and the
// path to post to.
func (r *rig) openSSE(auth []string) (stream net.Conn, path string) {
	r.t.Helper()
	stream = r.raw("GET", "/sse", "", auth...)
	text := readUntil(r.t, stream, "sessionid=")
	text += readUntil(r.t, io.MultiReader(strings.NewReader(text), stream), "\n\n")
	path = text[strings.Index(text, "/sse?"):]
	path = path[:strings.IndexAny(path, "\r\n")]
	for _, body := range []string{initBody, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, waitBody} {
		if status, _, answer := r.ask("POST", path, body, post(auth...)...); status != 202 {
			r.t.Fatalf("POST: %d %s", status, answer)
		}
	}
	return stream, path
}

// TestVanished checks that a call ends if its client could resume it and does not.
func TestVanished(t *testing.T) {
	r := newRig(t, Options{Keys: keys(t), Limits: Limits{Resume: time.Millisecond}})
	auth := []string{"Authorization", "Bearer " + tokenFull}
	id := r.initialize(auth...)
	conn := r.raw("POST", "/mcp", waitBody, post(append(auth, headerSession, id, headerVersion, "2025-11-25")...)...)
	event := eventID(readUntil(t, conn, "\n\n"))
	r.begun()
	conn.Close()
	if err := r.why(); !errors.Is(err, errDropped) {
		t.Errorf("ended by %v", err)
	}
	r.free(1)
	// A client that comes back too late gets an error.
	late := r.raw("GET", "/mcp", "", append(auth, "Accept", "text/event-stream", headerSession, id, headerVersion, "2025-11-25", headerLastEvent, event)...)
	readUntil(t, late, "carry on with wait_for")
}

// eventID returns the ID of the first event in an answer.
func eventID(text string) string {
	_, rest, _ := strings.Cut(text, "\nid: ")
	id, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(id)
}

// TestResume checks that a client can resume a call twice and gets its result, and that
// another token cannot resume it.
func TestResume(t *testing.T) {
	r := newRig(t, Options{Keys: keys(t), Limits: Limits{Resume: time.Hour}})
	auth := []string{"Authorization", "Bearer " + tokenFull}
	id := r.initialize(auth...)
	conn := r.raw("POST", "/mcp", waitBody, post(append(auth, headerSession, id, headerVersion, "2025-11-25")...)...)
	event := eventID(readUntil(t, conn, "\n\n"))
	r.begun()
	conn.Close()
	back := func(token string) []string {
		return []string{"Authorization", "Bearer " + token, "Accept", "text/event-stream", headerSession, id, headerVersion, "2025-11-25", headerLastEvent, event}
	}
	if status, _, body := r.ask("GET", "/mcp", "", back(tokenRead)...); status != 403 {
		t.Errorf("another token: %d %s", status, body)
	}
	again := func() io.ReadCloser { return r.comeBack(back(tokenFull)) }
	again().Close()
	last := again()
	r.release <- struct{}{}
	readUntil(t, last, `"text":"released"`)
	if err := r.why(); err == nil || err.Error() != "released" {
		t.Errorf("ended by %v", err)
	}
	r.free(1)
}

// comeBack resumes a stream and returns it. The server may notice the loss of the old
// connection only after the new one is there, and answers 409 until then. Otherwise it
// sends nothing before there is an event.
func (r *rig) comeBack(header []string) io.ReadCloser {
	r.t.Helper()
	limit := time.After(patience)
	for {
		answers := make(chan *http.Response, 1)
		go func() {
			req, err := http.NewRequest("GET", r.url+"/mcp", nil)
			if err != nil {
				panic(err)
			}
			for i := 0; i < len(header); i += 2 {
				req.Header.Set(header[i], header[i+1])
			}
			if res, err := http.DefaultTransport.RoundTrip(req); err == nil {
				answers <- res
			}
		}()
		told := false
		for res := (*http.Response)(nil); res == nil; {
			nudge := r.nudge
			if told {
				nudge = nil // until this one is answered, or nothing has come for a while
			}
			select {
			case nudge <- struct{}{}:
				told = true
			case <-time.After(10 * time.Millisecond):
				told = false
			case res = <-answers:
				if res.StatusCode == 200 {
					return res.Body
				}
				res.Body.Close()
			case <-limit:
				r.t.Fatal("the stream cannot be resumed")
			}
		}
	}
}

// TestSDKClients tests the SDK's client on each transport, two at a time.
func TestSDKClients(t *testing.T) {
	r := newRig(t, Options{Keys: keys(t)})
	for _, tt := range []struct {
		sse     bool
		version string
	}{{false, ""}, {false, "2025-11-25"}, {false, "2025-03-26"}, {true, ""}} {
		a, b := r.client(tokenFull, tt.sse, tt.version), r.client(tokenRead, tt.sse, tt.version)
		done := make(chan error, 1)
		go func() {
			_, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait"})
			done <- err
		}()
		r.begun()
		res, err := b.CallTool(t.Context(), &mcp.CallToolParams{Name: "look"})
		if err != nil || res.IsError {
			t.Errorf("%v: look: %v %v", tt, res, err)
		}
		res, err = b.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait"})
		if err != nil || !res.IsError || !strings.Contains(res.Content[0].(*mcp.TextContent).Text, "may only watch") {
			t.Errorf("%v: wait with a read-only token: %+v %v", tt, res, err)
		}
		tools, err := b.ListTools(t.Context(), nil)
		if err != nil || len(tools.Tools) != 1 || tools.Tools[0].Name != "look" {
			t.Errorf("%v: tools of a read-only token: %+v %v", tt, tools, err)
		}
		if tools, err := a.ListTools(t.Context(), nil); err != nil || len(tools.Tools) != 2 {
			t.Errorf("%v: tools of a full token: %+v %v", tt, tools, err)
		}
		r.release <- struct{}{}
		if err := <-done; err != nil {
			t.Error(err)
		}
		<-r.ended
		if err := errors.Join(a.Close(), b.Close()); err != nil {
			t.Error(err)
		}
		r.free(0)
	}
}

// TestCancel checks that a call ends if its client cancels it and stays connected.
func TestCancel(t *testing.T) {
	r := newRig(t, Options{Keys: keys(t)})
	for _, version := range []string{"", "2025-11-25"} {
		r.cancel(r.client(tokenFull, false, version))
	}
}

// cancel starts a call of a client and cancels it.
func (r *rig) cancel(a *mcp.ClientSession) {
	t := r.t
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := a.CallTool(ctx, &mcp.CallToolParams{Name: "wait"})
		done <- err
	}()
	r.begun()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("client error %v, want canceled", err)
	}
	r.why()
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	r.free(0)
}

// TestShutdown checks that waiting calls are answered with the reason when the server
// stops, and that the port is free afterwards.
func TestShutdown(t *testing.T) {
	r := newRig(t, Options{Keys: keys(t)})
	auth := []string{"Authorization", "Bearer " + tokenFull}
	old := r.raw("POST", "/mcp", waitBody, post(append(auth, headerSession, r.initialize(auth...))...)...)
	r.begun()
	newest := r.raw("POST", "/mcp", newBody, post(append(auth, headerVersion, firstStateless, "Mcp-Method", "tools/call", "Mcp-Name", "wait")...)...)
	r.begun()
	sse, _ := r.openSSE(auth)
	r.begun()
	if err := r.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	readUntil(t, old, "the server is stopping")
	readUntil(t, newest, "the server is stopping")
	readUntil(t, sse, "the server is stopping")
	if _, err := http.Get(r.url + "/healthz"); err == nil {
		t.Error("the server still listens")
	}
}

// TestExpiry checks that a call ends when its token expires.
func TestExpiry(t *testing.T) {
	t.Parallel()
	// A busy machine may need more than a second to begin the call.
	life := time.Second
	for !expires(t, life) {
		if life *= 2; life > patience {
			t.Fatal("the call did not begin before its token expired")
		}
	}
}

// expires makes a call with a token that is valid for life. It reports whether the call
// began before the token expired.
func expires(t *testing.T, life time.Duration) bool {
	k := keys(t)
	for _, token := range k.fixed {
		token.Expires = time.Now().Add(life)
	}
	r := newRig(t, Options{Keys: k})
	auth := []string{"Authorization", "Bearer " + tokenFull}
	conn := r.raw("POST", "/mcp", newBody, post(append(auth, headerVersion, firstStateless, "Mcp-Method", "tools/call", "Mcp-Name", "wait")...)...)
	answer := readUntil(t, conn, "\r\n\r\n") // the answer comes when the call ends
	if len(r.started) == 0 {
		return false
	}
	r.why()
	if !strings.Contains(answer, " 200 ") {
		t.Errorf("answer to the call: %q", answer)
	}
	if status, h, _ := r.ask("POST", "/mcp", initBody, post(auth...)...); status != 401 || !strings.Contains(h.Get("WWW-Authenticate"), "expired") {
		t.Errorf("afterwards: %d %v", status, h)
	}
	return true
}
