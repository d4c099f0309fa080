package fleet

import (
	"bytes"
	"context"
	"crypto/sha256"
	endian "encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/internal/share"
)

// serving joins a node that serves streams.
func serving(t *testing.T, url string, serve func(conn net.Conn, gateway string, hello []byte)) {
	t.Helper()
	join(t, fleet.Options{URL: url, Name: "node", HandleStream: serve, Handle: func(context.Context, []byte, int, func([]byte)) []byte { return nil }})
}

// dial opens a stream.
func dial(t *testing.T, m *fleet.Member, hello string) net.Conn {
	t.Helper()
	conn, err := m.Dial(t.Context(), "node", share.Owner{}, []byte(hello))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// TestStream checks that a stream carries many bytes in both directions, and its end.
func TestStream(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	ended := make(chan error, 1)
	serving(t, url, func(conn net.Conn, gateway string, hello []byte) {
		defer conn.Close()
		switch string(hello) {
		case "echo":
			_, err := io.Copy(conn, conn)
			ended <- err
		case "say":
			io.WriteString(conn, "from "+gateway)
		}
	})
	gate := join(t, fleet.Options{URL: url, Name: "gate"})

	if got, err := io.ReadAll(dial(t, gate, "say")); string(got) != "from gate" || err != nil {
		t.Errorf("the node says %q, %v", got, err)
	}
	data := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // 1 MB
	conn := dial(t, gate, "echo")
	go conn.Write(data)
	got := sha256.New()
	if _, err := io.CopyN(got, conn, int64(len(data))); err != nil || string(got.Sum(nil)) != sum(data) {
		t.Errorf("the echoed data differs, %v", err)
	}
	conn.Close()
	if err := <-ended; err != nil {
		t.Errorf("the node's stream ended with %v", err)
	}
	if _, err := gate.Dial(t.Context(), "none", share.Owner{}, nil); !errors.Is(err, fleet.ErrNoHost) {
		t.Errorf("a stream to an unknown node: %v", err)
	}
	limited := join(t, fleet.Options{URL: url, Name: "limited", Hosts: func(context.Context) string { return "build*" }})
	if _, err := limited.Dial(t.Context(), "node", share.Owner{}, nil); !errors.Is(err, fleet.ErrNotAllowed) {
		t.Errorf("a stream to a host that is not allowed: %v", err)
	}
	if _, err := gate.Dial(t.Context(), "node", share.Owner{}, make([]byte, 64<<10)); !errors.Is(err, fleet.ErrTooLarge) {
		t.Errorf("a first message that is too long: %v", err)
	}
}

// sum returns the SHA-256 of data.
func sum(data []byte) string { s := sha256.Sum256(data); return string(s[:]) }

// TestStreamUnread checks that a stream that nobody reads buffers little, and that other streams
// continue.
func TestStreamUnread(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	wrote := make(chan int)
	serving(t, url, func(conn net.Conn, _ string, hello []byte) {
		defer conn.Close()
		if string(hello) == "echo" {
			io.Copy(conn, conn)
			return
		}
		for {
			n, err := conn.Write(make([]byte, 1000))
			if err != nil {
				close(wrote)
				return
			}
			wrote <- n
		}
	})
	gate := join(t, fleet.Options{URL: url, Name: "gate"})
	slow := dial(t, gate, "flood")
	total := 0
	for quiet := false; !quiet; {
		select {
		case n := <-wrote:
			if total += n; total > 1<<20 {
				t.Fatal("a stream that nobody reads buffers more than 1 MB")
			}
		case <-time.After(time.Second):
			quiet = true
		}
	}
	t.Logf("%d bytes are buffered", total)
	echo := dial(t, gate, "echo")
	buf := make([]byte, 5)
	if _, err := echo.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(echo, buf); string(buf) != "hello" || err != nil {
		t.Errorf("another stream: read %q, %v", buf, err)
	}
	slow.Close()
	for range wrote { // until the node notices the end
	}
}

// TestStreamBounds checks the limits on streams: if one person opens as many streams as a node or
// a gateway allows, others still get theirs, and that person loses her oldest.
func TestStreamBounds(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	for _, name := range []string{"node", "b", "c", "d", "e"} {
		join(t, fleet.Options{URL: url, Name: name, HandleStream: func(conn net.Conn, _ string, _ []byte) { io.Copy(conn, conn) },
			Handle: func(context.Context, []byte, int, func([]byte)) []byte { return nil }})
	}
	gate := join(t, fleet.Options{URL: url, Name: "gate"})
	open := func(person, host string, n int) (all []net.Conn) {
		t.Helper()
		for range n {
			conn, err := gate.Dial(t.Context(), host, share.Owner{Name: person}, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { conn.Close() })
			if err := conn.SetDeadline(time.Now().Add(2 * patience)); err != nil {
				t.Fatal(err)
			}
			all = append(all, conn)
		}
		return all
	}
	lives := func(what string, conn net.Conn) {
		t.Helper()
		var answer [1]byte
		if _, err := conn.Write([]byte("x")); err != nil {
			t.Errorf("%s: %v", what, err)
		} else if _, err := io.ReadFull(conn, answer[:]); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	ended := func(what string, conn net.Conn) {
		t.Helper()
		if n, err := io.Copy(io.Discard, conn); n > 0 || err == nil || !strings.Contains(err.Error(), "too many streams") {
			t.Errorf("%s: read %d bytes, %v; want an error about too many streams", what, n, err)
		}
	}
	anna := open("anna", "node", 256)
	ben := open("ben", "node", 1)
	ended("anna's oldest stream", anna[0])
	open("anna", "node", 1)
	ended("her next", anna[1])
	lives("ben's stream on a full node", ben[0])
	for _, host := range []string{"b", "c", "d"} {
		open("anna", host, 256)
	}
	lives("anna's third", anna[2])
	more := open("ben", "e", 1)
	ended("anna's third", anna[2])
	lives("ben's stream through a full gateway", ben[0])
	lives("ben's next stream through a full gateway", more[0])
}

// TestStreamFalse checks that a stream ends when its node sends invalid messages, and that the
// next stream works.
func TestStreamFalse(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	gate := join(t, fleet.Options{URL: url, Name: "gate"})
	evil, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer evil.Close()
	message := func(kind byte, n uint64, data string) []byte {
		return append(endian.BigEndian.AppendUint64([]byte{kind}, n), data...)
	}
	var answers atomic.Pointer[[][]byte]
	ends := make(chan string, 10) // the gateway's reason for ending each stream
	state := `{"name":"evil","instance":"i1","protocol":1}`
	for subject, handle := range map[string]nats.MsgHandler{
		"glasstty.to.evil._.who.*": func(msg *nats.Msg) { evil.Publish(msg.Reply, []byte(state)) },
		"glasstty.to.evil.i1.stream.*": func(msg *nats.Msg) {
			if len(msg.Data) >= 9 && msg.Data[0] == 'e' {
				ends <- string(msg.Data[9:])
			}
			if len(msg.Data) > 0 && msg.Data[0] == 'o' {
				for _, a := range *answers.Load() {
					evil.Publish(msg.Reply, a)
				}
			}
		},
	} {
		if _, err := evil.Subscribe(subject, handle); err != nil {
			t.Fatal(err)
		}
	}
	if err := evil.Flush(); err != nil {
		t.Fatal(err)
	}
	much := strings.Repeat("x", 100<<10)
	for name, bad := range map[string][][]byte{
		"a gap":          {message('t', 0, ""), message('d', 7, "late")},
		"twice":          {message('t', 0, ""), message('d', 0, "x"), message('d', 0, "x")},
		"out of order":   {message('t', 0, ""), message('d', 1, "y"), message('d', 0, "x")},
		"a flood":        {message('t', 0, ""), message('d', 0, much), message('d', 100<<10, much)},
		"never sent":     {message('t', 0, ""), message('t', 1000, "")},
		"an odd kind":    {message('t', 0, ""), message('?', 0, "")},
		"too short":      {message('t', 0, ""), []byte("d")},
		"an empty piece": {message('t', 0, ""), message('d', 0, "")},
	} {
		answers.Store(&bad)
		conn, err := gate.Dial(t.Context(), "evil", share.Owner{}, nil)
		// Nothing is read before the end, because a reader that keeps up makes room for more.
		select {
		case why := <-ends:
			if why == "" {
				t.Errorf("%s: the stream ended without a reason", name)
			}
		case <-time.After(patience):
			t.Fatalf("%s: the stream did not end", name)
		}
		if err != nil {
			continue // the stream ended before Dial returned
		}
		conn.SetReadDeadline(time.Now().Add(patience))
		n, err := io.Copy(io.Discard, conn)
		if n > 0 || err == nil || !strings.HasPrefix(err.Error(), "the connection to node evil broke: ") || !strings.HasSuffix(err.Error(), "; connect again") {
			t.Errorf("%s: %d bytes, %v", name, n, err)
		}
		conn.Close()
	}
	answers.Store(&[][]byte{message('e', 0, "not now")})
	if _, err := gate.Dial(t.Context(), "evil", share.Owner{}, nil); err == nil || err.Error() != "not now" {
		t.Errorf("a node that refuses: %v", err)
	}
}
