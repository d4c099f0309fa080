package httpserve

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestRepeated sends requests again whose connections were lost: the call has the
// name of the first. What was answered, what another client sends and what is not
// the same has a name of its own.
func TestRepeated(t *testing.T) {
	r := newRig(t, Options{Keys: keys(t), Limits: Limits{Resume: time.Millisecond}})
	auth := []string{"Authorization", "Bearer " + tokenFull}
	id, other := r.initialize(auth...), r.initialize(auth...)
	old := func(id string) []string { return append(auth, headerSession, id, headerVersion, "2025-06-18") }
	newer := append(auth, headerVersion, stateless, "Mcp-Method", "tools/call", "Mcp-Name", "wait")
	seen := map[string]bool{}
	// again sends a request, loses it, and sends it once more.
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
			t.Errorf("%s: the calls are %q, known %v", what, names, seen[names[0]])
		}
		seen[names[0]] = true
	}
	again("in a session", waitBody, old(id))
	again("once answered, the same again", waitBody, old(id))
	again("in another session", waitBody, old(other))
	again("without sessions", newBody, newer)
	again("another id", strings.Replace(waitBody, `"id":`, `"id":1`, 1), old(id))
}

// awaitIdle waits until the server has seen the end of all requests.
func awaitIdle(t *testing.T, r *rig) {
	t.Helper()
	limit := time.Now().Add(patience)
	for {
		r.mcp.posts.mu.Lock()
		all, changed := r.mcp.posts.all, r.mcp.posts.changed
		r.mcp.posts.mu.Unlock()
		if all == 0 {
			return
		}
		select {
		case <-changed:
		case <-time.After(time.Until(limit)):
			t.Fatalf("%d requests are under way", all)
		}
	}
}

// TestRepeatsForget fills the list of requests that were lost, and lets time pass.
func TestRepeatsForget(t *testing.T) {
	now := time.Unix(1e9, 0)
	p := newRepeats()
	p.now = func() time.Time { return now }
	key := func(n int) requestKey { return sha256.Sum256(fmt.Append(nil, n)) }
	for n := range maxRepeats + 10 {
		p.end(key(n), fmt.Sprint("call ", n), false)
		now = now.Add(time.Millisecond)
	}
	if len(p.lost) != maxRepeats {
		t.Errorf("%d are remembered", len(p.lost))
	}
	if got := p.begin(key(0), false); got == "call 0" {
		t.Errorf("the oldest is remembered")
	}
	if got := p.begin(key(500), false); got != "call 500" {
		t.Errorf("got %q", got)
	}
	if got := p.begin(key(500), false); got == "call 500" {
		t.Errorf("the same again is %q", got)
	}
	now = now.Add(repeatTime)
	if got := p.begin(key(600), false); got == "call 600" {
		t.Errorf("a minute later it is %q", got)
	}
	first := p.begin(key(1), true)
	if got := p.begin(key(1), true); got != first {
		t.Errorf("while the first is under way: %q, %q", first, got)
	}
	p.end(key(1), first, true)
	if got := p.begin(key(1), true); got == first {
		t.Errorf("after its end: %q", got)
	}
	if a, b := p.begin(key(2), false), p.begin(key(2), false); a == b {
		t.Errorf("without a session: %q twice", a)
	}
	p.end(key(1), "", true)
}
