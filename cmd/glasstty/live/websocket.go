package live

import (
	"context"
	"errors"
	"net/http"

	"github.com/coder/websocket"
)

// A socket is a WebSocket (RFC 6455) that carries JSON texts. One goroutine may
// read while others write. The library was chosen because reads and writes take a
// context, and it does nothing else.
type socket struct{ ws *websocket.Conn }

// acceptSocket turns a request into a socket. A request from a page of another
// host is refused and answered.
func acceptSocket(w http.ResponseWriter, r *http.Request) (socket, error) {
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionNoContextTakeover})
	if err != nil {
		return socket{}, err
	}
	ws.SetReadLimit(maxMessage)
	return socket{ws}, nil
}

// dialSocket connects to an address by way of h.
func dialSocket(ctx context.Context, address string, h *http.Client, header http.Header) (socket, error) {
	ws, _, err := websocket.Dial(ctx, address, &websocket.DialOptions{HTTPClient: h, HTTPHeader: header})
	if err != nil {
		return socket{}, err
	}
	ws.SetReadLimit(maxMessage)
	return socket{ws}, nil
}

// read waits for the next message. The error is the reason that the other side
// gave when it closed the socket, if it gave one.
func (s socket) read(ctx context.Context) ([]byte, error) {
	kind, data, err := s.ws.Read(ctx)
	var closed websocket.CloseError
	switch {
	case errors.As(err, &closed) && closed.Reason != "":
		return nil, errors.New(closed.Reason)
	case err != nil && ctx.Err() == nil:
		return nil, ErrCut // the library's words help nobody
	case err != nil:
		return nil, err
	case kind != websocket.MessageText:
		return nil, errors.Join(errNoText, s.ws.Close(websocket.StatusUnsupportedData, errNoText.Error()))
	}
	return data, nil
}

// write writes one message.
func (s socket) write(ctx context.Context, data []byte) error {
	return s.ws.Write(ctx, websocket.MessageText, data)
}

// refuse closes the socket and says why it cannot be served now.
func (s socket) refuse(why string) error { return s.ws.Close(websocket.StatusTryAgainLater, why) }

// close closes the socket in good order.
func (s socket) close() error { return s.ws.Close(websocket.StatusNormalClosure, "") }

// drop closes the connection below.
func (s socket) drop() error { return s.ws.CloseNow() }
