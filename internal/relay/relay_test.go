package relay

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/internal/need"
)

// TestMain runs the tests and fails if they leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(need.Home(m)) }

// A rig is a client with a relay, and the servers that the relay connects to.
type rig struct {
	t     *testing.T
	dials chan net.Conn // the servers' ends
	in    *io.PipeWriter
	out   *bufio.Reader
	done  chan error
}

// newRig starts a relay.
func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, dials: make(chan net.Conn, 1), done: make(chan error, 1)}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	r.in, r.out = inW, bufio.NewReader(outR)
	relay := New(Options{Dir: "/here", Dial: func(ctx context.Context) (net.Conn, error) {
		// A real socket: unlike a pipe, it buffers what is written.
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ours, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			return nil, err
		}
		theirs, err := l.Accept()
		if err != nil {
			return nil, err
		}
		r.dials <- theirs
		return ours, nil
	}})
	go func() {
		err := relay.Run(t.Context(), inR, outW)
		_ = outW.CloseWithError(err)
		r.done <- err
	}()
	return r
}

// A server is a server that the relay has connected to.
type server struct {
	net.Conn
	in *bufio.Reader
}

// server returns the next server that the relay connects to.
func (r *rig) server() *server {
	r.t.Helper()
	select {
	case c := <-r.dials:
		return &server{c, bufio.NewReader(c)}
	case <-time.After(time.Minute):
		r.t.Fatal("the relay does not connect")
		return nil
	}
}

// gets checks that the next message to a server contains want.
func (r *rig) gets(s *server, want string) {
	r.t.Helper()
	line, err := s.in.ReadString('\n')
	if err != nil || !strings.Contains(line, want) {
		r.t.Fatalf("the server got %q, %v; want %q", line, err, want)
	}
}

// says sends a line from the client or a server.
func (r *rig) says(w io.Writer, text string) {
	r.t.Helper()
	if _, err := io.WriteString(w, text+"\n"); err != nil {
		r.t.Fatal(err)
	}
}

// hears checks the next message to the client.
func (r *rig) hears(want string) {
	r.t.Helper()
	if line, err := r.out.ReadString('\n'); err != nil || strings.TrimSpace(line) != want {
		r.t.Fatalf("the client got %q, %v; want %q", line, err, want)
	}
}

// TestServerRestarts checks that a client does not notice that its server is restarted in
// the middle of a call, several times.
func TestServerRestarts(t *testing.T) {
	r := newRig(t)
	s := r.server()
	r.says(r.in, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`)
	r.gets(s, `"initialize"`)
	r.says(s, `{"jsonrpc":"2.0","id":0,"result":{}}`)
	r.hears(`{"jsonrpc":"2.0","id":0,"result":{}}`)
	r.says(r.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	r.gets(s, "initialized")
	r.says(r.in, `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"cli://s1/screen"}}`)
	r.gets(s, "subscribe")
	r.says(s, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	r.hears(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	r.says(r.in, `{"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"send_and_read","arguments":{"text":"<é>"},"_meta":{"progressToken":7}}}`)
	line, err := s.in.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var call struct {
		Params struct {
			Arguments struct{ Text string }
			Meta      map[string]any `json:"_meta"`
		}
	}
	if err := json.Unmarshal([]byte(line), &call); err != nil {
		t.Fatal(err)
	}
	if m := call.Params.Meta; m[MetaDir] != "/here" || m["progressToken"] != 7.0 || m[MetaCall] == "" || call.Params.Arguments.Text != "<é>" {
		t.Errorf("call %s", line)
	}
	for n := range 3 {
		_, _ = io.WriteString(s, `{"jsonrpc":"2.0","id":"two","resu`) // an incomplete answer
		_ = s.Close()
		s = r.server()
		r.gets(s, `"initialize"`)
		r.gets(s, "initialized")
		r.gets(s, "subscribe")
		want := strings.Replace(line, `"_meta":{`, `"_meta":{"glasstty/again":"SINCE",`, 1)
		again, err := s.in.ReadString('\n')
		again = since.ReplaceAllString(again, `${1}SINCE"`)
		if err != nil || again != want {
			t.Fatalf("server %d got %q, %v; want %q", n, again, err, want)
		}
	}
	for _, answer := range []string{`{"jsonrpc":"2.0","id":0,"result":{}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":"two","result":{"x":1}}`} {
		r.says(s, answer)
	}
	r.hears(`{"jsonrpc":"2.0","id":"two","result":{"x":1}}`)
	_ = r.in.Close()
	if err := <-r.done; err != nil {
		t.Error(err)
	}
	_ = s.Close()
}

// since matches the value of MetaWaited.
var since = regexp.MustCompile(`("glasstty/again":")[0-9.]+(?:ms|[µn]?s)"`)

// TestAnsweredBeforeTheEnd checks that a script gets its answers if it closes its output
// right after its requests.
func TestAnsweredBeforeTheEnd(t *testing.T) {
	r := newRig(t)
	s := r.server()
	r.says(r.in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	_ = r.in.Close()
	r.gets(s, "ping")
	r.says(s, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	r.hears(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	if err := <-r.done; err != nil {
		t.Error(err)
	}
	_ = s.Close()
}

// TestOddMessages checks that messages that are not requests with object parameters are
// passed on unchanged.
func TestOddMessages(t *testing.T) {
	for _, line := range []string{
		`nonsense`, `[]`, `{"method":"tools/call"}`, `{"id":1,"method":"tools/call","params":[]}`,
		`{"id":1,"method":"tools/call","params":{"_meta":3}}`,
	} {
		if got := withMeta([]byte(line+"\n"), map[string]string{"k": "v"}); string(got) != line+"\n" {
			t.Errorf("%s became %s", line, got)
		}
	}
}

// TestLongMessage checks that a message beyond the limit is an error.
func TestLongMessage(t *testing.T) {
	r := New(Options{})
	big := io.MultiReader(strings.NewReader(strings.Repeat("x", maxLine+1)), strings.NewReader("\n"))
	if err := r.fromClient(big); err == nil {
		t.Error("no error for a message beyond the limit")
	}
}

// TestNoServer checks that each waiting request is answered with an error if no server can be
// reached: neither the first one, nor one in place of a server that is gone.
func TestNoServer(t *testing.T) {
	for _, joined := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) { testNoServer(t, joined) })
	}
}

// testNoServer is TestNoServer for one case.
func testNoServer(t *testing.T, joined bool) {
	ours, theirs := net.Pipe()
	dials := 0
	relay := New(Options{
		Dial: func(context.Context) (net.Conn, error) {
			if dials++; joined && dials == 1 {
				return ours, nil
			}
			return nil, localsock.ErrNoServer
		},
		Start: func(context.Context) error {
			time.Sleep(time.Millisecond)
			return errors.New("started with --sandbox:\nstart it again")
		},
	})
	inR, inW := io.Pipe()
	var out strings.Builder
	done := make(chan error, 1)
	began := time.Now()
	go func() { done <- relay.Run(t.Context(), inR, &out) }()
	requests := []string{
		`{"jsonrpc":"2.0","id":"a","method":"tools/list"}`,
		`{"jsonrpc":"2.0","method":"notifications/other"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{}}`,
	}
	if !joined {
		requests = requests[:2]
	}
	in := bufio.NewReader(theirs)
	for _, line := range requests {
		if _, err := io.WriteString(inW, line+"\n"); err != nil {
			t.Fatal(err)
		}
		if joined {
			if _, err := in.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = theirs.Close()
	err := <-done
	if err == nil || !strings.Contains(err.Error(), "start it again") {
		t.Errorf("joined %v: Run returns %v", joined, err)
	}
	if took := time.Since(began); joined && took < ConnectTimeout || !joined && took > time.Second {
		t.Errorf("joined %v: gave up after %v", joined, took)
	}
	_ = inW.Close()
	const text = `no server answers this request: (the server is gone: EOF; )?started with --sandbox:; start it again`
	const next = `; when the server runs, connect this client again`
	want := `{"error":{"code":-32603,"message":"` + text + next + `"},"id":"a","jsonrpc":"2.0"}\n`
	if joined {
		want += `{"error":{"code":-32603,"message":"` + text + `; the call may have been made: look before you repeat it` + next + `"},"id":2,"jsonrpc":"2.0"}\n`
	}
	if !regexp.MustCompile("^" + want + "$").MatchString(out.String()) {
		t.Errorf("joined %v: the client got %s", joined, out.String())
	}
}
