package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// nopCloser is a writer whose Close does nothing.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// filtered runs input through a lineConn and returns the messages that pass and the
// answers that it writes.
func filtered(t *testing.T, input io.Reader) (passed, answered string) {
	t.Helper()
	var out bytes.Buffer
	c, err := newLineConn(io.NopCloser(input), nopCloser{&out}).Connect(t.Context())
	for err == nil {
		var msg jsonrpc.Message
		if msg, err = c.Read(t.Context()); err == nil {
			passed += encoded(t, msg)
		}
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	return passed, out.String()
}

// encoded returns a message as a line.
func encoded(t *testing.T, msg jsonrpc.Message) string {
	t.Helper()
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
}

func TestLineConn(t *testing.T) {
	t.Parallel()
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, tt := range []struct{ name, in, passed, answered string }{
		{"message", ping + "\n", ping + "\n", ""},
		{"no newline at the end", ping, ping + "\n", ""},
		{"CRLF and blank lines", "\r\n" + ping + "\r\n\n", ping + "\n", ""},
		{"not JSON", "hello\n" + ping + "\n", ping + "\n", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON; send one JSON-RPC message a line"}}` + "\n"},
		{"half a message", `{"jsonrpc":"2.0","id":1` + "\n" + ping + "\n", ping + "\n", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON; send one JSON-RPC message a line"}}` + "\n"},
		{"two on a line", ping + ping + "\n", "", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON; send one JSON-RPC message a line"}}` + "\n"},
		{"batch", "[" + ping + "]\n", "", `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not supported; send one JSON-RPC message a line"}}` + "\n"},
		{"no version", `{"id":"a","method":"ping"}` + "\n", "", `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"not a JSON-RPC 2.0 message: invalid message version tag \"\"; expected \"2.0\""}}` + "\n"},
		{"a number", "7\n", "", `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":`},
	} {
		passed, answered := filtered(t, strings.NewReader(tt.in))
		if passed != tt.passed || !strings.HasPrefix(answered, tt.answered) || tt.answered == "" && answered != "" {
			t.Errorf("%s:\npassed   %q\nanswered %q", tt.name, passed, answered)
		}
	}
}

// TestOverlongMessage checks that messages beyond the limit are rejected with their IDs,
// wherever the ID is in the message, and that the message after each passes.
func TestOverlongMessage(t *testing.T) {
	need.Long(t)
	t.Parallel()
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
	text := strings.Repeat("x", maxMessage)
	for _, tt := range []struct{ name, head, tail, id string }{
		{"id first", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"text":"`, `"}}`, "7"},
		{"id after the method", `{"method":"tools/call","id":"a7","params":{"text":"`, `"},"jsonrpc":"2.0"}`, `"a7"`},
		{"id last", `{"method":"tools/call","params":{"text":"`, `"},"jsonrpc":"2.0","id":7}`, "7"},
		{"version last", `{"method":"tools/call","params":{"text":"`, `"},"id":7,"jsonrpc":"2.0"}`, "7"},
		{"an argument called id", `{"method":"tools/call","params":{"text":"`, `","id":7}}`, "null"},
	} {
		in := io.MultiReader(strings.NewReader(tt.head), strings.NewReader(text), strings.NewReader(tt.tail+"\n"+ping))
		passed, answered := filtered(t, in)
		size := len(tt.head) + len(text) + len(tt.tail) + 1
		want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"the message is %d bytes long, more than 16777216; send long text in pieces, or in a file that the program reads"}}`+"\n", tt.id, size)
		if passed != ping || answered != want {
			t.Errorf("%s:\npassed   %q\nanswered %q", tt.name, clip(passed), answered)
		}
	}
}

// TestTooManyRequests checks that requests beyond maxFlight are rejected with their IDs,
// that notifications pass, and that an answer makes room for another request.
func TestTooManyRequests(t *testing.T) {
	var in, answered bytes.Buffer
	for i := range maxFlight + 2 {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call"}`+"\n", i)
	}
	const notice = `{"jsonrpc":"2.0","method":"notifications/cancelled"}` + "\n"
	in.WriteString(notice)
	c := newLineConn(io.NopCloser(&in), nopCloser{&answered})
	var out strings.Builder
	for range maxFlight + 3 {
		msg, err := c.readMessage()
		if err != nil {
			t.Fatal(err)
		}
		if msg != nil {
			out.WriteString(encoded(t, msg))
		}
	}
	if passed := strings.Count(out.String(), "tools/call"); passed != maxFlight || !strings.HasSuffix(out.String(), notice) {
		t.Errorf("%d requests passed, or the notification did not", passed)
	}
	const refused = `{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"1000 requests are unanswered, which is the maximum; read an answer first"}}` + "\n"
	if want := fmt.Sprintf(refused+refused, maxFlight, maxFlight+1); answered.String() != want {
		t.Errorf("answered %s", answered.String())
	}
	if err := c.Write(t.Context(), &jsonrpc.Response{Result: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	in.WriteString(`{"jsonrpc":"2.0","id":"next","method":"ping"}` + "\n")
	if msg, err := c.readMessage(); err != nil || msg == nil {
		t.Errorf("after an answer: %v, %v", msg, err)
	}
}

// TestServeSurvivesGarbage checks that Serve answers a client that sends garbage first.
func TestServeSurvivesGarbage(t *testing.T) {
	s, err := New(nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.Serve(context.Background(), in, out) }()

	if _, err := io.WriteString(toServer, "garbage\n"); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 200)
	n, err := fromServer.Read(answer)
	if err != nil || !strings.Contains(string(answer[:n]), "-32700") {
		t.Fatalf("answer to garbage: %q, %v", answer[:n], err)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := c.ListTools(t.Context(), nil); err != nil || len(list.Tools) == 0 {
		t.Errorf("tools after garbage: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Errorf("Serve returned %v at the end of its input", err)
	}
}

// TestServeEndsWithoutReader checks that Serve returns ErrNotRead after the end of its
// input if the client reads nothing.
func TestServeEndsWithoutReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := New(nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		began := time.Now()
		done := make(chan error, 1)
		go func() { done <- s.Serve(t.Context(), in, out) }()
		const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mute","version":"1"}}}` + "\n"
		if _, err := io.WriteString(toServer, hello); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := toServer.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != ErrNotRead || time.Since(began) != answerGrace+endGrace {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		if err := fromServer.Close(); err != nil { // unblocks the writer
			t.Fatal(err)
		}
	})
}

// TestServeAnswersBeforeTheEnd checks that requests are answered even if the input ends
// right after them.
func TestServeAnswersBeforeTheEnd(t *testing.T) {
	s, err := New(manager(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"script","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_sessions"}}
`)
	var out bytes.Buffer
	if err := s.Serve(t.Context(), io.NopCloser(in), nopCloser{&out}); err != nil {
		t.Error(err)
	}
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != 2 || !strings.Contains(lines[1], "no sessions") {
		t.Errorf("%d answers: %s", len(lines), out.String())
	}
}

// TestServeEndsItsOwnCalls checks that the end of one client's input ends that client's
// waiting calls, and not those of another client.
func TestServeEndsItsOwnCalls(t *testing.T) {
	s, err := New(manager(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.Serve(t.Context(), in, out) }()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	call := func(tool string, args map[string]any) string {
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			return err.Error()
		}
		return ResultText(res)
	}
	call("start_process", map[string]any{"command": "cat", "name": "mine"})
	waited := make(chan string, 1)
	go func() { waited <- call("wait_for", map[string]any{"session_id": "mine", "until": "exit"}) }()
	other := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"script","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait_for","arguments":{"session_id":"mine","until":"exit"}}}
`)
	if err := s.Serve(t.Context(), io.NopCloser(other), nopCloser{io.Discard}); err != nil {
		t.Errorf("client whose input ended: %v", err)
	}
	call("terminate_process", map[string]any{"session_id": "mine"})
	if text := <-waited; !strings.Contains(text, "exited") {
		t.Errorf("call of the other client: %s", text)
	}
	if err := errors.Join(c.Close(), <-done); err != nil {
		t.Error(err)
	}
}

// TestClosedConnection checks that reading from a connection that the server itself has
// closed returns io.EOF, as if the client had closed it.
func TestClosedConnection(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if passed, answered := filtered(t, conn); passed != "" || answered != "" {
		t.Errorf("passed %q, answered %q", passed, answered)
	}
}
