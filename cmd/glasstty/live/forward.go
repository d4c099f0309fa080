package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
)

// A node is not trusted. To a browser, a node's response comes from the gateway's origin, whose
// page controls all nodes. The gateway therefore writes each response itself. It passes on the
// fields that this version knows, the status and the text of an error, and images as image/png.

// maxImage is the maximum size of a node's image, in bytes. The rest of a larger image is dropped.
const maxImage = 64 << 20

// responseTypes has, for each request with a JSON response, a function that returns a value to decode into.
var responseTypes = map[string]func() any{
	"sessions": func() any { return &[]Facts{} },
	"lines":    func() any { return &history{} },
	"at":       func() any { return &screenAtResponse{} },
	"search":   func() any { return &searchResponse{} },
	"inputs":   func() any { return &[]input{} },
	"timeline": func() any { return &activity{} },
	"moment":   func() any { return &momentResponse{} },
}

// errorText reads the text of an error response, at most maxLine bytes, and makes it safe to show.
func errorText(body io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(body, maxLine))
	return safeText(strings.TrimSpace(string(text)), maxLine), err
}

// parameters lists the query parameters that are forwarded to a node.
var parameters = []string{"me", "as", "conn", "id", "rows", "t", "q", "re", "line", "text", "n", "v"}

// A forwarding is a request that is forwarded to the page of a node.
type forwarding struct {
	node, name string // names of the node and of the request, such as build7 and sessions
	transport  *http.Transport
	failed     atomic.Pointer[error] // why the stream could not be opened, or why it broke; nil without such an error
}

// Forward forwards a request to the page of a node, over a stream that dial opens. If Forward
// returns an error, it has written no response.
func Forward(w http.ResponseWriter, r *http.Request, node string, dial func() (net.Conn, error)) error {
	f := &forwarding{node: node, name: strings.TrimPrefix(r.URL.Path, "/")}
	if responseTypes[f.name] == nil && !slices.Contains([]string{"ws", "events", "act", "image"}, f.name) {
		return fmt.Errorf("request %q is not available for sessions on other nodes", f.name)
	}
	f.transport = &http.Transport{
		DisableKeepAlives: true, // the stream belongs to one visitor
		// A short compressed body could become very long.
		DisableCompression:     true,
		MaxResponseHeaderBytes: 16 << 10,
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			conn, err := dial()
			if err != nil {
				f.failed.Store(&err)
			}
			return streamConn{conn, f}, err
		},
	}
	query := "?" + firstValues(r.URL.Query(), parameters...).Encode()
	if f.name == "ws" || f.name == "events" {
		return f.stream(w, r, "http://node/ws"+query)
	}
	method, body := http.MethodGet, io.Reader(nil)
	if f.name == "act" {
		method, body = http.MethodPost, http.MaxBytesReader(w, r.Body, maxMessage)
	}
	req, err := http.NewRequestWithContext(r.Context(), method, "http://node/"+f.name+query, body)
	if err != nil {
		return err
	}
	res, err := f.transport.RoundTrip(req)
	if err != nil {
		return f.failure(f.invalidResponse(err))
	}
	defer res.Body.Close()
	return f.answer(w, r, res)
}

// A streamConn is a stream to a node. It records in forwarding.failed why it broke.
type streamConn struct {
	net.Conn
	forwarding *forwarding
}

// Read implements net.Conn.
func (c streamConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil && err != io.EOF && !errors.Is(err, net.ErrClosed) {
		c.forwarding.failed.Store(&err)
	}
	return n, err
}

// failure returns why the stream could not be opened or why it broke, or err if that is unknown.
func (f *forwarding) failure(err error) error {
	if why := f.failed.Load(); why != nil {
		return *why
	}
	return err
}

// answer checks the node's response and writes it to w.
func (f *forwarding) answer(w http.ResponseWriter, r *http.Request, res *http.Response) error {
	done := http.StatusOK
	if f.name == "act" {
		done = http.StatusNoContent
	}
	switch {
	case res.StatusCode >= http.StatusBadRequest:
		text, err := errorText(res.Body)
		if err != nil {
			return f.invalidResponse(err)
		}
		http.Error(w, text, res.StatusCode)
		return nil
	case res.StatusCode != done:
		return f.invalidResponse(fmt.Errorf("status %d", res.StatusCode))
	case f.name == "act":
		w.WriteHeader(done)
		return nil
	case f.name == "image":
		w.Header().Set("Content-Type", "image/png")
		w.Header().Set("Cache-Control", "private, max-age=3600")
		_, _ = io.Copy(w, io.LimitReader(res.Body, maxImage)) // an error means that one side has disconnected
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxMessage+1))
	if err == nil && len(text) > maxMessage {
		err = fmt.Errorf("more than %d MB", maxMessage>>20)
	}
	data := responseTypes[f.name]()
	if err == nil {
		err = json.Unmarshal(text, data)
	}
	if err == nil {
		err = sanitize(reflect.ValueOf(data), maxShown)
	}
	if err != nil {
		return f.invalidResponse(err)
	}
	answer(w, data)
	return nil
}

// invalidResponse returns the error for an invalid response from the node.
func (f *forwarding) invalidResponse(err error) error {
	return fmt.Errorf("invalid response from node %s to %s (is its version the same?): %w", f.node, f.name, err)
}

// filtered returns a message from the node, sanitized and with only the fields that this version
// knows. It returns nil for a message of an unknown type.
func (f *forwarding) filtered(data []byte) ([]byte, error) {
	m, err := parse(data)
	if err != nil {
		return nil, f.invalidResponse(err)
	}
	if m == nil {
		return nil, nil
	}
	return json.Marshal(m)
}

// stream forwards a connection to the page of a node until one side ends it. The connection to the
// node is a WebSocket; the browser's is a WebSocket or an event stream.
func (f *forwarding) stream(w http.ResponseWriter, r *http.Request, url string) error {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	node, err := dialSocket(ctx, url, &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     f.transport,
	})
	if err != nil {
		return f.failure(fmt.Errorf("request to node %s: %w", f.node, err)) // for example, the node has refused it
	}
	defer node.drop()
	write, refuse := eventWriter(w, writeLimit), func(string) error { return nil } // an event stream ends without a reason, and the page reconnects
	if f.name == "ws" {
		browser, err := acceptSocket(w, r)
		if err != nil {
			return nil // acceptSocket has sent the HTTP error
		}
		defer browser.drop()
		write, refuse = browser.write, browser.refuse
		go func() {
			defer cancel()
			for {
				data, err := browser.read(ctx)
				if err != nil || node.write(ctx, data) != nil {
					return
				}
			}
		}()
	} else {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	for {
		data, err := node.read(ctx)
		if err == nil {
			data, err = f.filtered(data)
		}
		if err == nil && data != nil {
			limited, end := context.WithTimeout(ctx, writeLimit)
			err = write(limited, data)
			end()
		}
		if errors.Is(err, ErrDisconnected) {
			err = f.failure(err)
		}
		switch {
		case err == nil:
		case ctx.Err() != nil, err == ErrDisconnected:
			return nil
		default:
			_ = refuse(safeText(err.Error(), maxReason)) // an error means that the browser has disconnected
			return nil
		}
	}
}

// check implements untrusted.
func (h *history) check() error {
	if h.Frame == nil {
		return errors.New("no screen")
	}
	if len(h.Lines) > maxScrollback {
		return fmt.Errorf("%d rows above the screen; the maximum is %d", len(h.Lines), maxScrollback)
	}
	return checkLines(h.Lines, h.Inks, h.Frame.Cols)
}

// check implements untrusted.
func (p *screenAtResponse) check() error {
	if p.Frame == nil {
		return errors.New("no screen")
	}
	return nil
}
