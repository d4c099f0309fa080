package httpserve

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestRepeated checks that a request repeated after a lost connection makes a call with
// the same name. A request that was answered, of another client, or that differs has a new
// name.
func TestRepeated(t *testing.T) {
	r := newRig(t, Options{Keys: keys(t), Limits: Limits{Resume: time.Millisecond}})
	auth := []string{"Authorization", "Bearer " + tokenFull}
	id, other := r.initialize(auth...), r.initialize(auth...)
	old := func(id string) []string { return append(auth, headerSession, id, headerVersion, "2025-06-18") }
	newer := append(auth, headerVersion, stateless, "Mcp-Method", "tools/call", "Mcp-Name", "wait")
	seen := map[string]bool{}
	// again sends a request, closes its connection, and sends the request again.
	again := func(what, body string, header []string) {
		t.Helper()
		var names [2]string
		for i := range names {
			conn := r.raw("POST", "/mcp", body, post(header...)...)
			r.begun()
			names[i] = <-r.names
			if i == 0 {
				conn.Close()
				r.why()
				awaitIdle(t, r)
				continue
			}
			r.release <- struct{}{}
			readUntil(t, conn, "released")
			r.why()
			awaitIdle(t, r)
		}
		if names[0] == "" || names[0] != names[1] || seen[names[0]] {
			t.Errorf("%s: names %q, want one new name; known %v", what, names, seen[names[0]])
		}
		seen[names[0]] = true
	}
	again("in a session", waitBody, old(id))
	again("the same request after its answer", waitBody, old(id))
	again("in another session", waitBody, old(other))
	again("without sessions", newBody, newer)
	again("another id", strings.Replace(waitBody, `"id":`, `"id":1`, 1), old(id))
}

// awaitIdle waits until the server has seen the end of all requests.
func awaitIdle(t *testing.T, r *rig) {
	t.Helper()
	limit := time.Now().Add(patience)
	for {
		r.mcp.posts.wait(t.Context(), func(string) bool { return true })
		r.mcp.posts.mu.Lock()
		n := len(r.mcp.posts.open)
		r.mcp.posts.mu.Unlock()
		switch {
		case n == 0:
			return
		case time.Now().After(limit):
			t.Fatalf("%d requests still under way", n)
		}
	}
}

// TestRepeatsForget checks that lost requests are forgotten when there are too many, after
// repeatTime, and when they were repeated.
func TestRepeatsForget(t *testing.T) {
	now := time.Unix(1e9, 0)
	p := newRepeats()
	p.now = func() time.Time { return now }
	key := func(n int) requestKey { return sha256.Sum256(fmt.Append(nil, n)) }
	// request returns a request that the SDK has finished, so that no other waits for it.
	request := func(name string) *exchange {
		ex := newExchange(t.Context(), 0)
		ex.name = name
		ex.closed()
		return ex
	}
	begin := func(n int, session bool) *exchange {
		t.Helper()
		ex := request("")
		if unfinished := p.begin(key(n), ex, session); unfinished != nil {
			t.Errorf("request %d waits for %q", n, unfinished.name)
		}
		return ex
	}
	for n := range maxRepeats + 10 {
		p.end(key(n), request(fmt.Sprint("call ", n)), false)
		now = now.Add(time.Millisecond)
	}
	if n := p.requests.Len(); n != maxRepeats {
		t.Errorf("%d requests are remembered, want %d", n, maxRepeats)
	}
	if got := begin(0, false).name; got == "call 0" {
		t.Errorf("the oldest request is remembered")
	}
	if got := begin(500, false).name; got != "call 500" {
		t.Errorf("got %q", got)
	}
	if got := begin(500, false).name; got == "call 500" {
		t.Errorf("a second repetition is also %q", got)
	}
	now = now.Add(repeatTime)
	if got := begin(600, false).name; got == "call 600" {
		t.Errorf("after repeatTime: %q", got)
	}
	first := begin(1, true)
	next := begin(1, true)
	if next.name != first.name {
		t.Errorf("repeated while the first is under way: names %q, %q", first.name, next.name)
	}
	p.end(key(1), first, true)
	p.end(key(1), next, true)
	if got := begin(1, true).name; got == first.name {
		t.Errorf("repeated after both ended: %q", got)
	}
	if a, b := begin(2, false).name, begin(2, false).name; a == b {
		t.Errorf("without a session: both have the name %q", a)
	}
	p.end(key(1), request(""), true)
}

// TestRepeatedNotResumed checks that a repeated request ends the first call, even if the
// client could still resume its stream.
func TestRepeatedNotResumed(t *testing.T) {
	r := newRig(t, Options{Keys: keys(t), Limits: Limits{Resume: time.Hour}})
	auth := []string{"Authorization", "Bearer " + tokenFull}
	header := post(append(auth, headerSession, r.initialize(auth...), headerVersion, "2025-06-18")...)
	first := r.raw("POST", "/mcp", waitBody, header...)
	r.begun()
	r.nudge <- struct{}{}
	readUntil(t, first, "notifications/progress")
	first.Close()
	next := r.raw("POST", "/mcp", waitBody, header...)
	if why := r.why(); !errors.Is(why, errDropped) {
		t.Errorf("the first call ended with %v, want %v", why, errDropped)
	}
	r.begun()
	if a, b := <-r.names, <-r.names; a == "" || a != b {
		t.Errorf("names %q and %q, want the same", a, b)
	}
	r.release <- struct{}{}
	readUntil(t, next, "released")
}

// TestRepeatedTooEarly checks that a repeated request is rejected while the first call has
// not ended, and that the next one has the name of the first.
func TestRepeatedTooEarly(t *testing.T) {
	p := newRepeats()
	request := func() *exchange { return newExchange(t.Context(), time.Hour) }
	first, early, late := request(), request(), request()
	first.opened()
	if !p.beginAfter(t.Context(), requestKey{}, first, true) {
		t.Fatal("the first request waits")
	}
	first.closed()
	p.end(requestKey{}, first, false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p.beginAfter(ctx, requestKey{}, early, true) {
		t.Error("the second request began before the first call ended")
	}
	first.responded()
	if !p.beginAfter(t.Context(), requestKey{}, late, true) || late.name != first.name {
		t.Errorf("the next request has the name %q, want %q", late.name, first.name)
	}
}
