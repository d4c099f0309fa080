package live

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// A Client connects to the server of a live page as a browser does, for the commands attach and watch.
// Next must be called by one goroutine at a time; the other methods are safe for concurrent use.
type Client struct {
	ws   socket
	node string
}

// A Message is a message from the server. Type determines which other fields are set.
type Message struct {
	Type  string `json:"t"`                           // "hello", "session", "gone", "none" (there is no session), "frame", "done", "failed"
	ID    string `json:"id,omitempty"`                // the session, for "session", "frame" and "gone"; the session in which this client runs, for "hello"
	N     int64  `json:"n,omitempty"`                 // the number of the request, for "done" and "failed"
	Error string `json:"error,omitempty" text:"line"` // the error, for "failed"; why this client may not type, for "hello"
	Facts *Facts `json:"-"`                           // for "session": on the wire, the message is the Facts
	Frame *Frame `json:"-"`                           // for "frame": on the wire, the message is the Frame
}

// An Action is a client's request. take takes the keyboard, give releases it or ends a pause, approve and refuse
// decide about held input, end ends the program, forget deletes the session. Pages also send mouse and ping.
type Action struct {
	N     int64    `json:"n,omitempty"`     // the request's number, which the answer repeats
	Do    string   `json:"do"`              // type, paste, secret, watch, resize, pause, or one of those above
	ID    string   `json:"id,omitempty"`    // the session; ignored for watch
	Text  string   `json:"text,omitempty"`  // what to type; for approve and refuse: Held.Text; for give: a note
	Keys  []Key    `json:"keys,omitempty"`  // for type: keys to press
	Force bool     `json:"force,omitempty"` // for take and give: even if another person has the keyboard
	Rows  int      `json:"rows,omitempty"`  // for resize
	Cols  int      `json:"cols,omitempty"`  // for resize
	Large string   `json:"large,omitempty"` // for watch: the session shown large
	Small []string `json:"small,omitempty"` // for watch: the sessions shown small
}

// Dial connects to the live page at path through h, whose transport determines the server. name is the
// person's name, and me distinguishes this client from others of the same user. If node is not "", the
// server forwards to that node's page, and the sessions' IDs and names get the node's name as a prefix.
func Dial(ctx context.Context, h *http.Client, path, node, me, name string) (*Client, error) {
	q := url.Values{"me": {me}, "as": {name}}
	if node != "" {
		q.Set("node", node)
	}
	u := url.URL{Scheme: "ws", Host: "localhost", Path: path + "ws", RawQuery: q.Encode()}
	ws, err := dialSocket(ctx, u.String(), h)
	if err != nil {
		return nil, err
	}
	return &Client{ws, node}, nil
}

// Send sends a request. Next returns the answer, as a Message of the type "done" or "failed".
func (c *Client) Send(ctx context.Context, a Action) error {
	a.ID, a.Large = c.withoutNode(a.ID), c.withoutNode(a.Large)
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return c.ws.write(ctx, data)
}

// Next waits for the next message. It returns ErrDisconnected if the connection ends without a reason.
func (c *Client) Next(ctx context.Context) (*Message, error) {
	data, err := c.ws.read(ctx)
	if err != nil {
		return nil, err
	}
	got, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("the server's message: %w", err)
	}
	switch got := got.(type) {
	case *hello: // the ID is that of a session of the dialed server, not of the node
		return &got.Message, nil
	case *Facts:
		got.SetNode(c.node)
		return &Message{Type: got.Type, ID: got.ID, Facts: got}, nil
	case *Frame:
		got.ID = withNode(c.node, got.ID)
		return &Message{Type: got.Type, ID: got.ID, Frame: got}, nil
	case *Message:
		got.ID = withNode(c.node, got.ID)
		return got, nil
	}
	return &Message{}, nil // callers ignore a message without a type
}

// withoutNode returns the ID that a session has on its node. It is the inverse of withNode.
func (c *Client) withoutNode(id string) string {
	if c.node == "" {
		return id
	}
	return strings.TrimPrefix(id, c.node+"/")
}

// withNode returns the ID or name of a node's session on other servers, such as build7/s3. It
// returns name unchanged if node or name is "".
func withNode(node, name string) string {
	if node == "" || name == "" {
		return name
	}
	return node + "/" + name
}

// SetNode prefixes the session's id and name with the node's name, unless node is "".
func (f *Facts) SetNode(node string) { f.ID, f.Name = withNode(node, f.ID), withNode(node, f.Name) }

// Close ends the connection.
func (c *Client) Close() error { return c.ws.close() }
