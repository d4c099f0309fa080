package main

import (
	"bufio"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/mcpserver"
)

// initialize is a request that every server answers.
const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

// TestLocalLimit checks that a connection beyond the socket's limit waits until another
// one closes.
func TestLocalLimit(t *testing.T) {
	t.Parallel()
	mgr := guestManager()
	l, err := localsock.Listen(t.Context(), filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	local, err := serveLocal(t.Context(), l, mgr, mcpserver.Options{Logger: slog.New(slog.DiscardHandler)}, http.NotFoundHandler())
	if err != nil {
		t.Fatal(err)
	}
	dial := func() net.Conn {
		conn, err := localsock.Dial(t.Context(), l.Path())
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(conn, initialize)
		return conn
	}
	answered := func(conn net.Conn) {
		t.Helper()
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil || !strings.Contains(line, `"serverInfo"`) {
			t.Fatalf("answer %q, %v", line, err)
		}
	}
	var conns []net.Conn
	for range maxLocal {
		conns = append(conns, dial())
		answered(conns[len(conns)-1])
	}
	last := dial()
	if n := len(local.slots); n != maxLocal {
		t.Errorf("%d connections served, want %d", n, maxLocal)
	}
	conns[0].Close()
	answered(last)
	if err := local.close(); err != nil {
		t.Error(err)
	}
	if err := mgr.Close(); err != nil {
		t.Error(err)
	}
}
