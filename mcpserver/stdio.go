package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage is the maximum size of a message that a lineConn reads, in bytes.
const maxMessage = 16 << 20

// idWindow is the number of bytes at each end of an overlong message that are searched for its id.
const idWindow = 4 << 10

// maxFlight is the maximum number of one client's unanswered requests.
const maxFlight = 1000

// codeBusy is the error code for a request beyond maxFlight. JSON-RPC 2.0 reserves the codes -32000
// to -32099 for servers.
const codeBusy = -32000

// answerGrace is how long calls may continue after the end of the input. So a script can write its
// requests, close its end of the connection and still get the answers.
const answerGrace = 500 * time.Millisecond

// A lineConn is a connection to a client that writes newline-delimited JSON. It answers
// lines that are not messages with an error, because the SDK would end the connection at the first
// error from Read.
type lineConn struct {
	in       io.ReadCloser
	buf      *bufio.Reader
	messages chan jsonrpc.Message // from receive to Read
	ended    chan struct{}        // closed when receive returns: after the end of the input and of drain, or after Close
	readErr  error                // why the input ended; set before ended is closed
	closed   chan struct{}        // closed by Close
	once     sync.Once            // makes further calls of Close do nothing

	mu     sync.Mutex // held during a write to out
	out    io.WriteCloser
	flight chan struct{} // has one element for each unanswered request
}

func newLineConn(in io.ReadCloser, out io.WriteCloser) *lineConn {
	return &lineConn{
		in: in, buf: bufio.NewReaderSize(in, 64<<10), messages: make(chan jsonrpc.Message),
		ended: make(chan struct{}), closed: make(chan struct{}),
		out: out, flight: make(chan struct{}, maxFlight),
	}
}

// Connect starts reading. It implements mcp.Transport.
func (c *lineConn) Connect(context.Context) (mcp.Connection, error) {
	go c.receive()
	return c, nil
}

// SessionID implements mcp.Connection.
func (*lineConn) SessionID() string { return "" }

// receive reads messages until the input ends. It may outlive Close, which cannot interrupt
// the read of every kind of file.
func (c *lineConn) receive() {
	defer close(c.ended)
	for {
		msg, err := c.readMessage()
		if err != nil {
			c.drain(answerGrace)
			if errors.Is(err, net.ErrClosed) {
				err = io.EOF // the server closed the input itself, so nothing is logged
			}
			c.readErr = err
			return
		}
		if msg == nil {
			continue
		}
		select {
		case c.messages <- msg:
			// The next read blocks this thread. Without Gosched, the goroutine that receives the
			// message may wait up to 10 ms, until the scheduler notices that the thread is blocked.
			runtime.Gosched()
		case <-c.closed:
			c.readErr = io.EOF
			return
		}
	}
}

// Read returns the next message.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case msg := <-c.messages:
		return msg, nil
	case <-c.ended:
		return nil, c.readErr
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write writes one message.
func (c *lineConn) Write(_ context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err == nil {
		err = c.write(data)
	}
	if _, ok := msg.(*jsonrpc.Response); ok {
		select {
		case <-c.flight:
		default: // admit has not counted the request
		}
	}
	return err
}

// write writes a line.
func (c *lineConn) write(data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.out.Write(append(data, '\n'))
	return err
}

// Close closes the input, which may be closed already, and the output.
func (c *lineConn) Close() (err error) {
	c.once.Do(func() {
		close(c.closed)
		if err = c.in.Close(); errors.Is(err, net.ErrClosed) {
			err = nil
		}
		err = errors.Join(err, c.out.Close())
	})
	return err
}

// readMessage reads one line and returns its message. It returns nil for a blank line. It also
// returns nil for a line that it answers with an error: the line is not a message, is too long, or
// has a request beyond maxFlight. The last line needs no newline.
func (c *lineConn) readMessage() (jsonrpc.Message, error) {
	line, size, err := c.readLine()
	if size == 0 && err != nil {
		return nil, err
	}
	if size > maxMessage {
		why := fmt.Sprintf("the message is %d bytes long, more than %d; send long text in pieces, or in a file that the program reads", size, maxMessage)
		return nil, c.refuse(idOf(line), jsonrpc.CodeInvalidRequest, why)
	}
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
		return nil, nil
	case !json.Valid(line):
		return nil, c.refuse(nil, jsonrpc.CodeParseError, "not JSON; send one JSON-RPC message a line")
	case line[0] == '[':
		return nil, c.refuse(nil, jsonrpc.CodeInvalidRequest, "batches are not supported; send one JSON-RPC message a line")
	}
	msg, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, c.refuse(idOf(line), jsonrpc.CodeInvalidRequest, "not a JSON-RPC 2.0 message: "+err.Error())
	}
	if req, ok := msg.(*jsonrpc.Request); ok && req.ID.IsValid() && !c.admit() {
		why := fmt.Sprintf("%d requests are unanswered, which is the maximum; read an answer first", maxFlight)
		id, err := json.Marshal(req.ID.Raw())
		return nil, errors.Join(err, c.refuse(id, codeBusy, why))
	}
	return msg, nil
}

// readLine reads one line and returns it with its full size. It keeps only both ends of an overlong
// line.
func (c *lineConn) readLine() (line []byte, size int, err error) {
	for {
		part, err := c.buf.ReadSlice('\n')
		size += len(part)
		if len(line)+len(part) > maxMessage {
			line = bothEnds(line, part)
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, size, err
		}
	}
}

// bothEnds returns the first and the last idWindow bytes of line and part together.
func bothEnds(line, part []byte) []byte {
	head := bytes.Clone(line[:min(idWindow, len(line))])
	tail := append(bytes.Clone(line[len(head):]), part...)
	return append(head, tail[max(0, len(tail)-idWindow):]...)
}

// anyID matches a message whose id is where SDKs write it: at the beginning, at the end, or before
// the version at the end.
var anyID = sync.OnceValue(func() *regexp.Regexp {
	const id, text = `"id"\s*:\s*("[^"\\]*"|-?[0-9]+)\s*`, `\s*:\s*"[^"\\]*"\s*`
	return regexp.MustCompile(`^\s*\{\s*(?:"(?:jsonrpc|method)"` + text + `,\s*)*` + id + `[,}]|` + id + `(?:,\s*"jsonrpc"` + text + `)?\}\s*$`)
})

// idOf returns the id of an invalid message, or of an overlong one from its two ends. It
// returns nil if it does not find the id.
func idOf(line []byte) json.RawMessage {
	if m := anyID().FindSubmatch(bothEnds(line, nil)); m != nil {
		return slices.Concat(m[1], m[2])
	}
	return nil
}

// admit counts a request that was read. It reports false if maxFlight requests are unanswered.
func (c *lineConn) admit() bool {
	select {
	case c.flight <- struct{}{}:
		return true
	default:
		return false
	}
}

// drain waits until all requests are answered, but not longer than limit. It fills flight, so
// that admit accepts no further request.
func (c *lineConn) drain(limit time.Duration) {
	timeout := time.After(limit)
	for range cap(c.flight) {
		select {
		case c.flight <- struct{}{}:
		case <-timeout:
			return
		}
	}
}

// refuse answers a message with an error. A nil id becomes null (JSON-RPC 2.0, section 5).
func (c *lineConn) refuse(id json.RawMessage, code int, why string) error {
	msg, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   jsonrpc.Error   `json:"error"`
	}{"2.0", id, jsonrpc.Error{Code: int64(code), Message: why}})
	if err != nil {
		return err
	}
	return c.write(msg)
}
