package live

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// A Client connects to a live page's server in place of a browser, for glasstty attach
// and watch. Next must be called by one goroutine at a time; the other methods are safe
// for concurrent use.
type Client struct {
	ws   socket
	node string
}

// A Message is a message of the server. Its Type decides which other fields are set.
type Message struct {
	Type  string // "hello", "session", "gone", "none", "frame", "done", "failed"
	ID    string // the session, for "gone"; the session that this program runs in, for "hello"
	N     int64  // the number of the request, for "done" and "failed"
	Error string // the error, for "failed"; why this client may not type, for "hello"
	Facts *Facts
	Frame *Frame
}

// An Action is a client's request; type request describes the fields.
type Action struct {
	N     int64    `json:"n,omitempty"` // a number that the answer repeats
	Do    string   `json:"do"`          // watch, take, give, pause, type, paste, secret, approve, refuse, resize, end, forget
	ID    string   `json:"id,omitempty"`
	Text  string   `json:"text,omitempty"`
	Keys  []Key    `json:"keys,omitempty"`
	Force bool     `json:"force,omitempty"`
	Rows  int      `json:"rows,omitempty"`
	Cols  int      `json:"cols,omitempty"`
	Large string   `json:"large,omitempty"`
	Small []string `json:"small,omitempty"`
}

// Dial connects to the live page at path. The transport of h chooses the server; the host
// in the address is ignored. name is the person's name, and me distinguishes this client
// from others of the same user. node selects the page of a node of the server's fleet, ""
// the server's own; the ids and names of a node's sessions get the node's name in front.
func Dial(ctx context.Context, h *http.Client, path, node, me, name string) (*Client, error) {
	q := url.Values{"me": {me}, "as": {name}}
	if node != "" {
		q.Set("node", node)
	}
	u := url.URL{Scheme: "ws", Host: "localhost", Path: path + "ws", RawQuery: q.Encode()}
	ws, err := dialSocket(ctx, u.String(), h, nil)
	if err != nil {
		return nil, err
	}
	return &Client{ws, node}, nil
}

// Send sends a request. The answer comes as a Message.
func (c *Client) Send(ctx context.Context, a Action) error {
	a.ID, a.Large = c.withoutNode(a.ID), c.withoutNode(a.Large)
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return c.ws.write(ctx, data)
}

// Next waits for the next message.
func (c *Client) Next(ctx context.Context) (*Message, error) {
	data, err := c.ws.read(ctx)
	if err != nil {
		return nil, err
	}
	var head struct {
		Type  string `json:"t"`
		ID    string `json:"id"`
		N     int64  `json:"n"`
		Error string `json:"error"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("the server's message: %w", err)
	}
	m := &Message{Type: head.Type, ID: head.ID, N: head.N, Error: head.Error}
	switch head.Type {
	case "session":
		m.Facts = &Facts{}
		err = json.Unmarshal(data, m.Facts)
		m.Facts.On(c.node)
	case "frame":
		m.Frame = &Frame{}
		err = json.Unmarshal(data, m.Frame)
		m.Frame.ID = withNode(c.node, m.Frame.ID)
	}
	if head.Type != "hello" { // its session is not on the node but on the server that was dialed
		m.ID = withNode(c.node, m.ID)
	}
	return m, err
}

// withoutNode returns a session's id as its own node has it: it undoes withNode.
func (c *Client) withoutNode(id string) string {
	if c.node == "" {
		return id
	}
	return strings.TrimPrefix(id, c.node+"/")
}

// withNode returns the id or name that a node's session has outside its node, such as
// build7/s3. An empty node or name is left as it is.
func withNode(node, name string) string {
	if node == "" || name == "" {
		return name
	}
	return node + "/" + name
}

// On puts the node's name in front of the session's id and name; node "" changes nothing.
func (f *Facts) On(node string) { f.ID, f.Name = withNode(node, f.ID), withNode(node, f.Name) }

// Close ends the connection.
func (c *Client) Close() error { return c.ws.close() }
