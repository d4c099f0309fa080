package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxMessage is the longest message taken from a client on stdio, in bytes.
const maxMessage = 16 << 20

// idWindow is how many bytes at either end of an overlong message are searched
// for its id.
const idWindow = 4 << 10

// maxFlight is how many requests of one client may be under way at once.
const maxFlight = 1000

// codeBusy is the error code for a request beyond maxFlight, in the range that JSON-RPC 2.0
// reserves for servers.
const codeBusy = -32000

// answerGrace is how long calls may be answered after the end of the input, so that a
// script that writes its requests and closes gets its answers.
const answerGrace = 500 * time.Millisecond

// A lineReader passes on the JSON-RPC messages of a client, and answers other lines with an
// error: the SDK ends the connection, and with it all sessions, at the first invalid line.
type lineReader struct {
	in      io.ReadCloser
	buf     *bufio.Reader
	out     *lineWriter
	pending []byte // the unread rest of the present line
	ended   chan struct{}
	once    sync.Once // closes ended
}

func newLineReader(in io.ReadCloser, out *lineWriter) *lineReader {
	return &lineReader{in: in, buf: bufio.NewReaderSize(in, 64<<10), out: out, ended: make(chan struct{})}
}

// Close closes the input, which may be closed already.
func (r *lineReader) Close() error {
	if err := r.in.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Read reads from the next valid line. It is not safe for concurrent use.
func (r *lineReader) Read(p []byte) (int, error) {
	for len(r.pending) == 0 {
		line, err := r.line()
		if err != nil {
			r.out.drain(answerGrace)
			r.once.Do(func() { close(r.ended) })
			if errors.Is(err, net.ErrClosed) {
				err = io.EOF // closed by the server itself: nothing to log
			}
			return 0, err
		}
		r.pending = line
	}
	n := copy(p, r.pending)
	r.pending = r.pending[n:]
	return n, nil
}

// line reads one line and returns it when it is a message; otherwise it answers with an
// error and returns nothing. The last line may lack its newline.
func (r *lineReader) line() ([]byte, error) {
	line, size, err := r.raw()
	if size == 0 && err != nil {
		return nil, err
	}
	if size > maxMessage {
		why := fmt.Sprintf("the message is %d bytes long, more than %d; send long text in pieces, or in a file that the program reads", size, maxMessage)
		return nil, r.out.refuse(overlongID(line), jsonrpc.CodeInvalidRequest, why)
	}
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
		return nil, nil
	case !json.Valid(line):
		return nil, r.out.refuse(nil, jsonrpc.CodeParseError, "not JSON; send one JSON-RPC message a line")
	case line[0] == '[':
		return nil, r.out.refuse(nil, jsonrpc.CodeInvalidRequest, "batches are not supported; send one JSON-RPC message a line")
	}
	msg, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, r.out.refuse(headID(line), jsonrpc.CodeInvalidRequest, "no JSON-RPC 2.0 message: "+err.Error())
	}
	if req, ok := msg.(*jsonrpc.Request); ok && req.ID.IsValid() && !r.out.take() {
		why := fmt.Sprintf("%d requests are not answered yet, the most there may be; read an answer first", maxFlight)
		return nil, r.out.refuse(headID(line), codeBusy, why)
	}
	return append(line, '\n'), nil
}

// raw reads one line and returns its size. It keeps only the two ends of an overlong line.
func (r *lineReader) raw() (line []byte, size int, err error) {
	for {
		part, err := r.buf.ReadSlice('\n')
		size += len(part)
		if len(line)+len(part) > maxMessage {
			line = ends(line, part)
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, size, err
		}
	}
}

// ends returns the first and the last idWindow bytes of line and part together.
func ends(line, part []byte) []byte {
	head := bytes.Clone(line[:min(idWindow, len(line))])
	tail := append(bytes.Clone(line[len(head):]), part...)
	return append(head, tail[max(0, len(tail)-idWindow):]...)
}

// headID finds the id of a message when it comes before the invalid part.
func headID(line []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil
		}
		if key == "id" {
			return scalarID(value)
		}
	}
	return nil
}

// scalarID returns an id when it is a string or a number, as JSON-RPC requires.
func scalarID(value json.RawMessage) json.RawMessage {
	if len(value) > idWindow || describe(value) != "a string" && describe(value) != "a number" {
		return nil
	}
	return value
}

// lastID matches an id that is a message's last field, or the last but the
// version: the order in which the TypeScript SDK writes.
var lastID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"id"\s*:\s*("[^"\\]*"|-?[0-9]+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
})

// overlongID finds the id of a message of which only the ends were kept.
func overlongID(line []byte) json.RawMessage {
	if id := headID(line); id != nil {
		return id
	}
	if m := lastID().FindSubmatch(line); m != nil {
		return m[1]
	}
	return nil
}

// A lineWriter writes whole messages from several goroutines.
type lineWriter struct {
	mu     sync.Mutex // held during a write
	out    io.WriteCloser
	flight chan struct{} // holds one element for each request that is not answered yet
}

func newLineWriter(out io.WriteCloser) *lineWriter {
	return &lineWriter{out: out, flight: make(chan struct{}, maxFlight)}
}

// take counts a request that was read, and reports whether there is room for it.
func (w *lineWriter) take() bool {
	select {
	case w.flight <- struct{}{}:
		return true
	default:
		return false
	}
}

// drain waits until all requests are answered, at most for limit. No request is taken
// afterwards.
func (w *lineWriter) drain(limit time.Duration) {
	over := time.After(limit)
	for range cap(w.flight) {
		select {
		case w.flight <- struct{}{}:
		case <-over:
			return
		}
	}
}

// Write writes one message, or several; the SDK calls it with whole ones.
func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.out.Write(p)
	if msg, bad := jsonrpc.DecodeMessage(bytes.TrimSpace(p)); bad == nil {
		if _, ok := msg.(*jsonrpc.Response); ok {
			select {
			case <-w.flight:
			default: // no request that was read: nothing to count
			}
		}
	}
	return n, err
}

// Close closes the output.
func (w *lineWriter) Close() error { return w.out.Close() }

// refuse answers a message that was not passed on. The id is null when none was found
// (JSON-RPC 2.0, 5).
func (w *lineWriter) refuse(id json.RawMessage, code int, why string) error {
	type rpcError struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	msg, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   rpcError        `json:"error"`
	}{"2.0", id, rpcError{code, why}})
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = w.out.Write(append(msg, '\n'))
	return err
}
