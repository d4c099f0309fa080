package relay

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"time"
)

// The keys in _meta of a tools/call. All are texts.
const (
	MetaCall = "glasstty/call" // a name that no other call has
	MetaDir  = "glasstty/cwd"  // the client's working directory

	MetaAgain = "glasstty/again" // the call was sent before, to a server that is gone
)

const (
	// maxLine bounds a message, in bytes; the server refuses shorter ones itself.
	maxLine = 64 << 20
	// maxPending bounds the requests without an answer that are sent again.
	maxPending = 1000
	// maxSubscribed bounds the subscriptions that are asked for again.
	maxSubscribed = 1000
	// RejoinLimit is how long a server may be away before its client is told.
	RejoinLimit = 30 * time.Second
	// rejoinPause is the time between two tries to connect.
	rejoinPause = 50 * time.Millisecond
	// startDelay is how long a server that has been there may be away before
	// another one is started.
	startDelay = time.Second
)

// methodCall is the method of tool calls.
const methodCall = "tools/call"

// Options configure a Relay.
type Options struct {
	Dial  func(context.Context) (net.Conn, error) // to the server; the error may wrap ErrNoServer
	Start func(context.Context) error             // starts a server; nil: nobody does
	Dir   string                                  // the client's working directory
}

// A Relay relays one client. It is for one call of Run.
type Relay struct {
	opt  Options
	out  io.Writer // to the client
	name string    // begins the names of its calls

	joined bool // a server has been there; of Run

	mu      sync.Mutex // guards what follows, and writing to conn
	conn    net.Conn   // nil while there is none
	calls   int
	intro   [][]byte // initialize, and notifications/initialized
	introID string   // the id of initialize
	level   []byte   // the last logging/setLevel
	subs    map[string][]byte
	pending []request // in the order they were sent
	mute    []string  // ids of answers that the client has had, or not asked for
	ended   bool      // the client's input has ended
}

// A request is one without an answer.
type request struct {
	id   string
	line []byte
	call bool // a tools/call
	sent bool // to a server
}

// New returns a Relay.
func New(o Options) *Relay {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return &Relay{opt: o, name: hex.EncodeToString(b), subs: map[string][]byte{}}
}

// Run relays between a client's in and out, and the server, until in ends and all
// is answered, ctx ends, or the server stays away for RejoinLimit.
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

// finished reports whether the client wants nothing any more.
func (r *Relay) finished() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended && len(r.pending) == 0
}

// hangUp ends the connection.
func (r *Relay) hangUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conn != nil {
		_ = r.conn.Close() // its reader sees it
	}
}

// join connects to a server and tells it what the one before knew.
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
		// A server that was there may be about to be restarted by somebody else.
		if errors.Is(err, ErrNoServer) && r.opt.Start != nil && (!r.joined || time.Since(began) > startDelay) {
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

// introduce makes conn the connection.
func (r *Relay) introduce(conn net.Conn) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := slices.Clone(r.intro)
	r.mute = nil
	if r.introID != "" && !r.waitsFor(r.introID) {
		r.mute = append(r.mute, r.introID)
	}
	if r.level != nil {
		lines = append(lines, r.level)
		r.mute = append(r.mute, idOf(r.level))
	}
	for _, line := range r.subs {
		lines = append(lines, line)
		r.mute = append(r.mute, idOf(line))
	}
	for i, p := range r.pending {
		if m := slices.Index(r.mute, p.id); m >= 0 {
			r.mute = slices.Delete(r.mute, m, m+1) // it is asked for again already
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

// again returns the request as the next server gets it.
func (p request) again() []byte {
	if !p.call || !p.sent {
		return p.line
	}
	return withMeta(p.line, map[string]string{MetaAgain: "true"})
}

// waitsFor reports whether a request has no answer.
func (r *Relay) waitsFor(id string) bool {
	return slices.ContainsFunc(r.pending, func(p request) bool { return p.id == id })
}

// message is what is looked at in a message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		URI       string          `json:"uri"`
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

// idOf returns the id of a message as text, "" when it has none.
func idOf(line []byte) string {
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(line, &m) != nil {
		return ""
	}
	return string(m.ID)
}

// fromClient passes on what the client says until its input ends.
func (r *Relay) fromClient(in io.Reader) error {
	b := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(b)
		if len(line) > 0 {
			r.say(line)
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// readLine reads a line with its end.
func readLine(b *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := b.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return nil, fmt.Errorf("a message is longer than %d bytes", maxLine)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(line) > 0:
			return append(line, '\n'), err
		}
		return line, err
	}
}

// say passes on a message of the client. While there is no connection it waits
// for the next one.
func (r *Relay) say(line []byte) {
	var m message
	_ = json.Unmarshal(line, &m) // what is not a message the server answers
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.Method == methodCall {
		line = r.named(line)
	}
	r.remember(&m, line)
	if r.conn != nil {
		// An error is seen by its reader too; the request is sent again.
		_, _ = r.conn.Write(line)
	}
}

// remember keeps what the next server must know.
func (r *Relay) remember(m *message, line []byte) {
	switch m.Method {
	case "initialize":
		r.intro, r.introID = [][]byte{line}, string(m.ID)
	case "notifications/initialized":
		r.intro = append(r.intro[:min(1, len(r.intro))], line)
	case "logging/setLevel":
		r.level = line
	case "resources/subscribe":
		if len(r.subs) < maxSubscribed {
			r.subs[m.Params.URI] = line
		}
	case "resources/unsubscribe":
		delete(r.subs, m.Params.URI)
	case "notifications/cancelled":
		r.answered(string(m.Params.RequestID))
	}
	if len(m.ID) > 0 && m.Method != "" && len(r.pending) < maxPending {
		r.pending = append(r.pending, request{string(m.ID), line, m.Method == methodCall, r.conn != nil})
	}
}

// answered forgets a request.
func (r *Relay) answered(id string) {
	r.pending = slices.DeleteFunc(r.pending, func(p request) bool { return p.id == id })
}

// named returns a tools/call with its name and the client's directory.
func (r *Relay) named(line []byte) []byte {
	r.calls++
	return withMeta(line, map[string]string{MetaCall: fmt.Sprintf("%s.%d", r.name, r.calls), MetaDir: r.opt.Dir})
}

// withMeta returns a request with keys added to its params._meta, or as it is
// when it is not as it should be: the server says so.
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
		text, err := json.Marshal(v)
		if err != nil {
			return line
		}
		meta[k] = text
	}
	var err error
	if params["_meta"], err = json.Marshal(meta); err != nil {
		return line
	}
	if req["params"], err = json.Marshal(params); err != nil {
		return line
	}
	out, err := json.Marshal(req)
	if err != nil {
		return line
	}
	return append(out, '\n')
}

// fromServer passes on what the server says until the connection ends.
func (r *Relay) fromServer() error {
	r.mu.Lock()
	conn := r.conn
	r.mu.Unlock()
	b := bufio.NewReaderSize(conn, 64<<10)
	for {
		line, err := b.ReadBytes('\n')
		if err != nil {
			// A line without its end was not said.
			r.mu.Lock()
			r.conn = nil
			r.mu.Unlock()
			return errors.Join(err, conn.Close())
		}
		if err := r.heard(line); err != nil {
			return errors.Join(err, conn.Close())
		}
		if r.finished() {
			return conn.Close()
		}
	}
}

// heard passes on a message of the server, unless the client has had it from
// another one.
func (r *Relay) heard(line []byte) error {
	var m message
	if json.Unmarshal(line, &m) == nil && m.Method == "" && len(m.ID) > 0 && r.unwanted(string(m.ID)) {
		return nil
	}
	if _, err := r.out.Write(bytes.TrimLeft(line, "\n")); err != nil {
		return fmt.Errorf("%w: %w", errClient, err)
	}
	if m.Method == "" && len(m.ID) > 0 {
		r.mu.Lock()
		r.answered(string(m.ID))
		r.mu.Unlock()
	}
	return nil
}

// unwanted reports whether the answer to a request is not for the client.
func (r *Relay) unwanted(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.mute, id); i >= 0 {
		r.mute = slices.Delete(r.mute, i, i+1)
		return true
	}
	return false
}
