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
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/glasstty/glasstty/internal/localsock"
)

// Keys in the _meta of a tools/call. The values are strings.
const (
	MetaCall = "glasstty/call" // the unique name of the call
	MetaDir  = "glasstty/cwd"  // the client's working directory

	// MetaWaited is set if the call was already sent to a server that is gone. Its value is the time
	// since the call was first sent, in the format of time.Duration.
	MetaWaited = "glasstty/again"
)

const (
	// maxLine is the maximum length of a client's message, in bytes. The server's own limit is lower.
	maxLine = 64 << 20
	// ConnectTimeout is the time after which Run stops trying to connect to a server.
	ConnectTimeout = 30 * time.Second
	// connectPause is the time between two attempts to connect.
	connectPause = 50 * time.Millisecond
	// startDelay is how long the relay waits, after a connection to a server has ended, before it
	// starts a server. In this time, a service manager may restart the old one.
	startDelay = time.Second
)

// ClientID returns the ID that a call's name starts with, or "" if the call has no name from a
// relay. The ID stays the same when the server is restarted.
func ClientID(call string) string {
	id, _, found := strings.Cut(call, callSeparator)
	if !found {
		return ""
	}
	return id
}

// callSeparator separates a relay's ID from the number of a call.
const callSeparator = "."

// errClientGone reports that a message could not be written to the client.
var errClientGone = errors.New("the client is gone")

// methodCall is the method of tool calls.
const methodCall = "tools/call"

// Options configure a Relay.
type Options struct {
	Dial  func(context.Context) (net.Conn, error) // to the server; the error may wrap localsock.ErrNoServer
	Start func(context.Context) error             // starts a server; may be nil
	Dir   string                                  // the client's working directory
}

// A Relay connects one client to a server. Run may be called only once.
type Relay struct {
	opt Options
	out io.Writer // to the client
	id  string    // see ClientID

	hadServer bool // a server has been connected; only Run's goroutine writes it, so it may read it without mu

	mu       sync.Mutex    // guards hadServer, the fields below, and writing to conn
	conn     net.Conn      // nil while there is no connection
	calls    int           // number of tools/call messages from the client
	kept     []keptMessage // in the order in which the client sent them
	ended    bool          // the client's input has ended or failed
	inputErr error         // why the client's input could not be read; nil if it ended
}

// A keptMessage is a message of the client that the relay sends to the next server: an unanswered request, a
// message with a lasting effect (such as a subscription) or, before the first connection, any message.
type keptMessage struct {
	id      string    // the ID of a request, as JSON; "" for other messages
	line    []byte    // the message and its line feed
	effect  string    // names its lasting effect; "" if it has none, or if a later message ended or repeated the effect
	waiting bool      // the message is a request that is not answered
	call    bool      // the message is a tools/call
	sent    time.Time // when the message was first sent to a server; zero if it was not sent
}

// New returns a Relay.
func New(o Options) *Relay {
	return &Relay{opt: o, id: rand.Text()}
}

// Run relays messages between the client, which writes to in and reads from out, and the server.
// It returns when in has ended and all requests are answered, when in or out fails, or when ctx
// ends. It also returns if it cannot reach a server for ConnectTimeout, or if Start fails before the
// first connection; in both cases, it first answers the waiting requests with an error.
func (r *Relay) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	r.out = out
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		err := r.fromClient(in)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ended, r.inputErr = true, err
		if r.hadServer && r.finishedLocked() {
			stop()
		}
	}()
	if err := r.connect(ctx); err != nil {
		return r.fail(ctx, err)
	}
	if finished, _ := r.finished(); finished {
		stop()
	}
	defer context.AfterFunc(ctx, r.closeConn)()
	for {
		err := r.fromServer()
		if finished, inputErr := r.finished(); finished || ctx.Err() != nil || errors.Is(err, errClientGone) {
			return inputErr
		}
		if cerr := r.connect(ctx); cerr != nil {
			return r.fail(ctx, errors.Join(fmt.Errorf("the server is gone: %w", err), cerr))
		}
	}
}

// codeInternal is the code of JSON-RPC for an internal error.
const codeInternal = -32603

// fail answers the waiting requests with err, and returns err. If ctx has ended, it answers nothing.
func (r *Relay) fail(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	why := "no server answers this request: " + strings.ReplaceAll(err.Error(), "\n", "; ")
	for _, k := range r.kept {
		if !k.waiting {
			continue
		}
		text := why
		if k.call && !k.sent.IsZero() {
			text += "; the call may have been made: look before you repeat it"
		}
		answer := map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(k.id), "error": map[string]any{
			"code": codeInternal, "message": text + "; when the server runs, connect this client again",
		}}
		if _, werr := r.out.Write(append(encoded(answer), '\n')); werr != nil {
			return errors.Join(err, werr)
		}
	}
	return err
}

// finished reports whether Run must end because of the client's input. If the input could not be
// read, inputErr is the reason.
func (r *Relay) finished() (finished bool, inputErr error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.finishedLocked(), r.inputErr
}

// finishedLocked reports whether the client's input has ended and all requests are answered, or
// the input could not be read.
func (r *Relay) finishedLocked() bool {
	waits := slices.ContainsFunc(r.kept, func(k keptMessage) bool { return k.waiting })
	return r.ended && (r.inputErr != nil || !waits)
}

// closeConn closes the connection.
func (r *Relay) closeConn() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conn != nil {
		_ = r.conn.Close() // fromServer sees an error
	}
}

// connect connects to a server, and starts one if necessary.
func (r *Relay) connect(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, ConnectTimeout)
	defer cancel()
	began := time.Now()
	var latest error // the latest error of an attempt; not one that is due to the end of limited, except the first
	for {
		conn, err := r.opt.Dial(limited)
		if err == nil {
			if err = r.attach(conn); err == nil {
				return nil
			}
		}
		// Something else may be about to restart a server that was connected before.
		if errors.Is(err, localsock.ErrNoServer) && r.opt.Start != nil && (!r.hadServer || time.Since(began) > startDelay) {
			if err = r.opt.Start(limited); err == nil {
				continue
			}
			if !r.hadServer {
				return err
			}
		}
		if latest == nil || limited.Err() == nil {
			latest = err
		}
		select {
		case <-limited.Done():
			return latest
		case <-time.After(connectPause):
		}
	}
}

// attach sends the kept messages to conn and makes conn the connection.
func (r *Relay) attach(conn net.Conn) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, k := range r.kept {
		line := k.line
		if k.sent.IsZero() {
			r.kept[i].sent = time.Now()
		} else if k.call {
			line = withMeta(line, map[string]string{MetaWaited: time.Since(k.sent).String()})
		}
		if _, err := conn.Write(line); err != nil {
			return errors.Join(err, conn.Close())
		}
	}
	r.conn, r.hadServer = conn, true
	r.dropUnneeded()
	return nil
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
		r.toServer(append(bytes.Clone(lines.Bytes()), '\n'))
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a message is longer than %d bytes", maxLine)
	}
	return lines.Err()
}

// toServer forwards a message of the client. Without a connection, a message that remember keeps is
// sent to the next server, and any other is dropped.
func (r *Relay) toServer(line []byte) {
	var m message
	_ = json.Unmarshal(line, &m) // the server answers an invalid message
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.Method == methodCall {
		line = r.addName(line)
	}
	r.remember(&m, line)
	if r.conn != nil {
		// After an error, fromServer fails too, and the next server gets the kept messages.
		_, _ = r.conn.Write(line)
	}
}

// remember keeps a message of the client if the next server may need the message.
func (r *Relay) remember(m *message, line []byte) {
	k := keptMessage{id: string(m.ID), line: line, waiting: len(m.ID) > 0 && m.Method != "", call: m.Method == methodCall}
	if r.conn != nil {
		k.sent = time.Now()
	}
	switch m.Method {
	case "initialize", "notifications/initialized", "logging/setLevel":
		k.effect = m.Method
	case "resources/subscribe":
		k.effect = "subscribe " + m.Params.URI
	case "resources/unsubscribe":
		r.endEffect("subscribe " + m.Params.URI)
	case "notifications/cancelled":
		r.markAnswered(string(m.Params.RequestID))
	}
	if k.effect != "" {
		r.endEffect(k.effect)
	}
	if k.waiting || k.effect != "" || !r.hadServer {
		r.kept = append(r.kept, k)
	}
}

// endEffect removes a lasting effect from the messages that have it.
func (r *Relay) endEffect(effect string) {
	for i := range r.kept {
		if r.kept[i].effect == effect {
			r.kept[i].effect = ""
		}
	}
	r.dropUnneeded()
}

// dropUnneeded removes the messages that the next server does not need. Before the first connection, it
// removes none.
func (r *Relay) dropUnneeded() {
	if !r.hadServer {
		return
	}
	r.kept = slices.DeleteFunc(r.kept, func(k keptMessage) bool { return !k.waiting && k.effect == "" })
}

// markAnswered records that a request was answered or cancelled. It reports whether the client needs the answer:
// a request with a lasting effect is sent to each server, and the client gets only the first answer.
func (r *Relay) markAnswered(id string) bool {
	known := false
	for i, k := range r.kept {
		if k.id == id && k.waiting {
			r.kept[i].waiting = false
			r.dropUnneeded()
			return true
		}
		known = known || k.id == id
	}
	return !known
}

// addName returns a tools/call message with a name and the client's directory added.
func (r *Relay) addName(line []byte) []byte {
	r.calls++
	return withMeta(line, map[string]string{MetaCall: r.id + callSeparator + strconv.Itoa(r.calls), MetaDir: r.opt.Dir})
}

// withMeta returns a request with the keys and values of add in its params._meta. It returns an
// invalid request unchanged, because the server reports the error.
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

// encoded returns v as JSON. v must be a string, or an object of strings, numbers and decoded
// values.
func encoded(v any) json.RawMessage {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot happen for such values
	}
	return out
}

// fromServer forwards the server's messages until the connection ends, the client no longer reads,
// or Run must end. It closes the connection.
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
		if finished, _ := r.finished(); finished {
			return conn.Close()
		}
	}
}

// toClient forwards a message of the server, unless it is an answer to a request that is already
// answered.
func (r *Relay) toClient(line []byte) error {
	var m message
	if json.Unmarshal(line, &m) == nil && m.Method == "" && len(m.ID) > 0 {
		r.mu.Lock()
		wanted := r.markAnswered(string(m.ID))
		r.mu.Unlock()
		if !wanted {
			return nil
		}
	}
	if _, err := r.out.Write(bytes.TrimLeft(line, "\n")); err != nil {
		return fmt.Errorf("%w: %w", errClientGone, err)
	}
	return nil
}
