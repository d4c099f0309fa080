package live

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// A Client is the other end of the page's connection, for a terminal. Next is for
// one goroutine; the others may be called at any time.
type Client struct {
	ws   socket
	node string
}

// A Message is what a server says. Of the fields, those are set that its Type has.
type Message struct {
	Type  string // "hello", "session", "gone", "none", "frame", "done", "failed"
	ID    string // of the session, for "gone"; for "hello" of that in which this program runs
	N     int64  // of the request, for "done" and "failed"
	Error string // for "failed"; for "hello" why one may not type, "" when one may
	Facts *Facts
	Frame *Frame
}

// An Action is what a client asks for; see the server's request of the same fields.
type Action struct {
	N     int64    `json:"n,omitempty"` // comes back with the answer
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

// Dial connects to the page's server at path by way of h, which reaches it
// whatever the address says, as one person called name. me tells this client from
// others of the same user. The page may be that of a node of the server's fleet, "" for
// the server's own; its sessions' ids and names begin with the node's name then.
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

// Send asks for something. The answer comes as a Message.
func (c *Client) Send(ctx context.Context, a Action) error {
	a.ID, a.Large = c.there(a.ID), c.there(a.Large)
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
		m.Frame.ID = onNode(c.node, m.Frame.ID)
	}
	if head.Type != "hello" { // whose session is one of the server's own
		m.ID = onNode(c.node, m.ID)
	}
	return m, err
}

// there returns a session's id as its node has it.
func (c *Client) there(id string) string {
	if c.node == "" {
		return id
	}
	return strings.TrimPrefix(id, c.node+"/")
}

// onNode returns what a session of a node is called elsewhere.
func onNode(node, name string) string {
	if node == "" || name == "" {
		return name
	}
	return node + "/" + name
}

// On gives the session of a node, "" for none, the id and name that it has elsewhere.
func (f *Facts) On(node string) { f.ID, f.Name = onNode(node, f.ID), onNode(node, f.Name) }

// Close ends the connection.
func (c *Client) Close() error { return c.ws.close() }
