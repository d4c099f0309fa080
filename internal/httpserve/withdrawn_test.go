package httpserve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestWithdrawn checks that connections and calls of a token end soon after it is
// withdrawn, in each way a token can be withdrawn, and that those of another token go on.
func TestWithdrawn(t *testing.T) {
	t.Parallel()
	const mine, theirs = "mine-0123456789abcdefgh", "theirs-0123456789abcdef"
	for name, take := range map[string]struct {
		first, then string // lines of the token file
		why         error
	}{
		"the line is gone":  {mine + "\n" + theirs + "\n", theirs + "\n", errWithdrawn},
		"the scope is less": {mine + "\n" + theirs + "\n", mine + " scope=watch\n" + theirs + "\n", errWithdrawn},
		"the file is gone":  {mine + "\n", "", errWithdrawn},
		"it has expired":    {mine + " expires=SOON\n" + theirs + "\n", "", errExpired},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "tokens")
			soon := time.Now().Add(3 * time.Second).UTC().Truncate(time.Second)
			write := func(text string) {
				if err := os.WriteFile(path+".new", []byte(strings.ReplaceAll(text, "SOON", soon.Format(time.RFC3339))), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Rename(path+".new", path); err != nil {
					t.Fatal(err)
				}
			}
			write(take.first)
			ring, err := NewKeyring(path, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			r := newRig(t, Options{Keys: ring})
			r.Handle("GET /hang", Access{Scope: ScopeWatch}, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				fmt.Fprint(w, "hanging")
				if err := http.NewResponseController(w).Flush(); err != nil {
					t.Error(err)
				}
				<-req.Context().Done()
			}))
			with := func(token string, header ...string) []string {
				return append(header, "Authorization", "Bearer "+token)
			}
			open := func(token string) []net.Conn {
				id := r.initialize(with(token)...)
				stream := r.raw("GET", "/mcp", "", with(token, "Accept", "text/event-stream", headerSession, id)...)
				readUntil(t, stream, "\r\n\r\n")
				sse := r.raw("GET", "/sse", "", with(token)...)
				readUntil(t, sse, "endpoint")
				hang := r.raw("GET", "/hang", "", with(token)...)
				readUntil(t, hang, "hanging")
				return []net.Conn{stream, sse, hang}
			}
			conns := open(mine)
			call := r.raw("POST", "/mcp", waitBody, post(with(mine, headerSession, r.initialize(with(mine)...))...)...)
			r.begun()
			r.nudge <- struct{}{} // an event was sent, so the client could resume the call
			readUntil(t, call, "notifications/progress")
			conns = append(conns, call)
			var others []net.Conn
			if strings.Contains(take.then, theirs) {
				others = open(theirs)
			}
			began := soon
			if take.why == errWithdrawn {
				began = time.Now()
				if take.then == "" {
					err = os.Remove(path)
				} else {
					write(take.then)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			for i, conn := range conns {
				if _, err := io.Copy(io.Discard, conn); err != nil && strings.Contains(err.Error(), "timeout") {
					t.Errorf("connection %d is still open", i)
				}
			}
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("the connections closed after %v, want at most 2s", took) // checkEvery, and time for a busy machine
			}
			if why := r.why(); why != take.why {
				t.Errorf("the call ended with %v", why)
			}
			for i, conn := range others {
				if err := conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
					t.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, conn); err == nil {
					t.Errorf("connection %d of the other token was closed", i)
				}
			}
		})
	}
}

// TestWithdrawnBeforeBody reduces a token's scope while the body of a request is being
// sent. It checks that the connection is closed, and that the call is not made even if the
// rest arrives at that moment.
func TestWithdrawnBeforeBody(t *testing.T) {
	t.Parallel()
	const full, less = "mine-0123456789abcdefgh scope=full\n", "mine-0123456789abcdefgh scope=read\n"
	path := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(path, []byte(full), 0o600); err != nil {
		t.Fatal(err)
	}
	ring, err := NewKeyring(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, Options{Keys: ring})
	auth := []string{"Authorization", "Bearer mine-0123456789abcdefgh"}
	id := r.initialize(auth...)
	cut := len(waitBody) - 2
	header := post(append(auth, headerSession, id)...)
	var conns []net.Conn
	for range 5 {
		conns = append(conns, r.begin("POST", "/mcp", len(waitBody), waitBody[:cut], header...))
	}
	began := time.Now()
	if err := os.WriteFile(path, []byte(less), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, conn := range conns {
		if _, err := io.Copy(io.Discard, conn); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Errorf("connection %d is still open", i)
		}
		fmt.Fprint(conn, waitBody[cut:]) // this may fail
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("the connections closed after %v, want at most 2s", took)
	}
	if n := len(r.started); n > 0 {
		t.Errorf("%d calls were made, want none", n)
	}
}

// TestCallAfterEnd checks that a call of a request that has already ended does not begin.
func TestCallAfterEnd(t *testing.T) {
	ctx, end := context.WithCancelCause(t.Context())
	ex := newExchange(ctx, time.Minute)
	end(errWithdrawn)
	<-ex.callCtx.Done()
	if _, _, err := newClients(Limits{Calls: 1, Sessions: 1}, nil).beginCall(t.Context(), nil, ex); !errors.Is(err, errWithdrawn) {
		t.Errorf("begin: error %v, want %v", err, errWithdrawn)
	}
}
