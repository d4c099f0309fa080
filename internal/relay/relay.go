package relay

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/glasstty/glasstty/internal/localsock"
)

// Keys in the _meta of a tools/call. The values are strings.
const (
	MetaCall = "glasstty/call" // the unique name of the call
	MetaDir  = "glasstty/cwd"  // the client's working directory

	MetaAgain = "glasstty/again" // set if the call was sent before, to a server that is gone
)

const (
	// maxLine is the greatest length of a message in bytes. The server's own limit is lower.
	maxLine = 64 << 20
	// maxPending is the largest number of unanswered requests, which are sent to the next server.
	maxPending = 1000
	// maxSubscribed is the largest number of subscriptions that are renewed.
	maxSubscribed = 1000
	// RejoinLimit is the time to connect to a server before Run gives up.
	RejoinLimit = 30 * time.Second
	// rejoinPause is the time between two attempts to connect.
	rejoinPause = 50 * time.Millisecond
	// startDelay is the time after a server's end before another one is started, in case
	// something else restarts it.
	startDelay = time.Second
)

// errClient reports that the client no longer reads messages.
var errClient = errors.New("the client is gone")

// methodCall is the method of tool calls.
const methodCall = "tools/call"

// Options configure a Relay.
type Options struct {
	Dial  func(context.Context) (net.Conn, error) // to the server; the error may wrap localsock.ErrNoServer
	Start func(context.Context) error             // starts a server; may be nil
	Dir   string                                  // the client's working directory
}

// A Relay connects one client to a server. Run may be called once.
type Relay struct {
	opt  Options
	out  io.Writer // to the client
	name string    // prefix of the names of its calls

	joined bool // a server was connected before; used only by Run

	writing sync.Mutex // held while a message is written to out

	mu      sync.Mutex // guards the fields below, and writing to conn
	conn    net.Conn   // nil while there is no connection
	calls   int
	intro   [][]byte           // initialize and notifications/initialized
	introID string             // the id of initialize
	setting map[string]request // subscriptions by URI, and the last logging/setLevel at ""
	pending []request          // unanswered requests, in the order of the client
	mute    []string           // ids of answers that the client must not get
	ended   bool               // the client's input has ended
}

// A request is a request of the client that is kept for the next server.
type request struct {
	id   string
	line []byte
	call bool // it is a tools/call
	sent bool // it was sent to a server
}

// New returns a Relay.
func New(o Options) *Relay {
	return &Relay{opt: o, name: rand.Text(), setting: map[string]request{}}
}

// Run relays messages between the client on in and out and the server. It returns when in has
// ended and all requests are answered, when ctx ends, or if no server can be reached for
// RejoinLimit.
func (r *Relay) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	r.out = out
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := r.join(ctx); err != nil {
		return err
	}
	read := make(chan error, 1)
	go func() {
		read <- r.fromClient(in)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ended = true
		if len(r.pending) == 0 {
			stop()
		}
	}()
	defer context.AfterFunc(ctx, r.hangUp)()
	for {
		err := r.fromServer()
		if ctx.Err() != nil || r.finished() || errors.Is(err, errClient) {
			return nil
		}
		select {
		case rerr := <-read:
			if rerr != nil {
				return rerr
			}
			read = nil
		default:
		}
		if jerr := r.join(ctx); jerr != nil {
			return errors.Join(fmt.Errorf("the server is gone: %w", err), jerr)
		}
	}
}

// finished reports whether the client's input has ended and all requests are answered.
func (r *Relay) finished() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended && len(r.pending) == 0
}

// hangUp closes the connection.
func (r *Relay) hangUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conn != nil {
		_ = r.conn.Close() // fromServer sees an error
	}
}

// join connects to a server, and starts one if necessary.
func (r *Relay) join(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, RejoinLimit)
	defer cancel()
	began := time.Now()
	for {
		conn, err := r.opt.Dial(limited)
		if err == nil {
			if err = r.introduce(conn); err == nil {
				r.joined = true
				return nil
			}
		}
		// Something else may be about to restart a server that was connected before.
		if errors.Is(err, localsock.ErrNoServer) && r.opt.Start != nil && (!r.joined || time.Since(began) > startDelay) {
			if err = r.opt.Start(limited); err == nil {
				continue
			}
			if !r.joined {
				return err
			}
		}
		select {
		case <-limited.Done():
			return err
		case <-time.After(rejoinPause):
		}
	}
}

// introduce makes conn the connection. It sends the client's initialization, settings and
// unanswered requests again.
func (r *Relay) introduce(conn net.Conn) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := slices.Clone(r.intro)
	r.mute = nil
	if r.introID != "" && !r.waitsFor(r.introID) {
		r.mute = append(r.mute, r.introID)
	}
	for _, s := range r.setting {
		lines = append(lines, s.line)
		r.mute = append(r.mute, s.id)
	}
	for i, p := range r.pending {
		if m := slices.Index(r.mute, p.id); m >= 0 {
			r.mute = slices.Delete(r.mute, m, m+1) // lines contains it already, and the client waits
		} else if p.id != r.introID {
			lines = append(lines, p.again())
			r.pending[i].sent = true
		}
	}
	for _, line := range lines {
		if _, err := conn.Write(line); err != nil {
			return errors.Join(err, conn.Close())
		}
	}
	r.conn = conn
	return nil
}

// again returns the line that sends the request to the next server.
func (p request) again() []byte {
	if !p.call || !p.sent {
		return p.line
	}
	return withMeta(p.line, map[string]string{MetaAgain: "true"})
}

// waitsFor reports whether a request is unanswered.
func (r *Relay) waitsFor(id string) bool {
	return slices.ContainsFunc(r.pending, func(p request) bool { return p.id == id })
}

// message contains the fields of a message that the relay uses.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		URI       string          `json:"uri"`
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

// fromClient forwards the client's messages until its input ends.
func (r *Relay) fromClient(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	for lines.Scan() {
		if id := r.say(append(bytes.Clone(lines.Bytes()), '\n')); id != nil {
			r.refuse(id)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a message is longer than %d bytes", maxLine)
	}
	return lines.Err()
}

// say forwards a message of the client. If there is no connection, only what remember keeps
// reaches the next server. If there are too many requests to keep another one, say returns its
// id instead.
func (r *Relay) say(line []byte) (refused json.RawMessage) {
	var m message
	_ = json.Unmarshal(line, &m) // the server answers an invalid message
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.Method == methodCall {
		line = r.named(line)
	}
	if len(m.ID) > 0 && m.Method != "" && len(r.pending) >= maxPending {
		return m.ID
	}
	r.remember(&m, line)
	if r.conn != nil {
		// fromServer sees the error too, and the request is sent again.
		_, _ = r.conn.Write(line)
	}
	return nil
}

// remember keeps the parts of the client's messages that the next server needs.
func (r *Relay) remember(m *message, line []byte) {
	req := request{string(m.ID), line, m.Method == methodCall, r.conn != nil}
	switch m.Method {
	case "initialize":
		r.intro, r.introID = [][]byte{line}, req.id
	case "notifications/initialized":
		r.intro = append(r.intro[:min(1, len(r.intro))], line)
	case "logging/setLevel":
		r.setting[""] = req
	case "resources/subscribe":
		if len(r.setting) < maxSubscribed && m.Params.URI != "" {
			r.setting[m.Params.URI] = req
		}
	case "resources/unsubscribe":
		delete(r.setting, m.Params.URI)
	case "notifications/cancelled":
		r.answered(string(m.Params.RequestID))
	}
	if len(m.ID) > 0 && m.Method != "" {
		r.pending = append(r.pending, req)
	}
}

// refuse answers a request that say has refused.
func (r *Relay) refuse(id json.RawMessage) {
	why := fmt.Sprintf("%d requests are unanswered, the most that are kept; wait for some of them", maxPending)
	answer := map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": -32603, "message": why}}
	_ = r.write(append(encoded(answer), '\n')) // Run sees that the client is gone
}

// write writes a message to the client.
func (r *Relay) write(line []byte) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	_, err := r.out.Write(line)
	return err
}

// answered removes a request from pending.
func (r *Relay) answered(id string) {
	r.pending = slices.DeleteFunc(r.pending, func(p request) bool { return p.id == id })
}

// named returns a tools/call with its name and the client's directory.
func (r *Relay) named(line []byte) []byte {
	r.calls++
	return withMeta(line, map[string]string{MetaCall: fmt.Sprintf("%s.%d", r.name, r.calls), MetaDir: r.opt.Dir})
}

// withMeta returns a request with keys added to its params._meta. It returns an invalid request
// unchanged, because the server reports the error.
func withMeta(line []byte, add map[string]string) []byte {
	var req, params, meta map[string]json.RawMessage
	if json.Unmarshal(line, &req) != nil || json.Unmarshal(req["params"], &params) != nil || params == nil {
		return line
	}
	if old, ok := params["_meta"]; ok && json.Unmarshal(old, &meta) != nil {
		return line
	}
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}
	for k, v := range add {
		meta[k] = encoded(v)
	}
	params["_meta"] = encoded(meta)
	req["params"] = encoded(params)
	return append(encoded(req), '\n')
}

// encoded returns v as JSON. v must be a string or an object of decoded values.
func encoded(v any) json.RawMessage {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot happen for such values
	}
	return out
}

// fromServer forwards the server's messages until the connection ends.
func (r *Relay) fromServer() error {
	r.mu.Lock()
	conn := r.conn
	r.mu.Unlock()
	b := bufio.NewReaderSize(conn, 64<<10)
	for {
		line, err := b.ReadBytes('\n')
		if err != nil {
			// An incomplete line is dropped.
			r.mu.Lock()
			r.conn = nil
			r.mu.Unlock()
			return errors.Join(err, conn.Close())
		}
		if err := r.toClient(line); err != nil {
			return errors.Join(err, conn.Close())
		}
		if r.finished() {
			return conn.Close()
		}
	}
}

// toClient forwards a message of the server, unless it is an answer that the client must not
// get.
func (r *Relay) toClient(line []byte) error {
	var m message
	if json.Unmarshal(line, &m) == nil && m.Method == "" && len(m.ID) > 0 && r.unwanted(string(m.ID)) {
		return nil
	}
	if err := r.write(bytes.TrimLeft(line, "\n")); err != nil {
		return fmt.Errorf("%w: %w", errClient, err)
	}
	if m.Method == "" && len(m.ID) > 0 {
		r.mu.Lock()
		r.answered(string(m.ID))
		r.mu.Unlock()
	}
	return nil
}

// unwanted reports whether the client must not get the answer to a request, and removes the
// request from mute.
func (r *Relay) unwanted(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.mute, id); i >= 0 {
		r.mute = slices.Delete(r.mute, i, i+1)
		return true
	}
	return false
}
