package live

import (
	"context"
	"errors"
	"net/http"

	"github.com/coder/websocket"
)

// A socket is a WebSocket (RFC 6455) with JSON messages. One goroutine may read while others write.
type socket struct{ ws *websocket.Conn }

// acceptSocket turns a request into a socket. If it returns an error, for example for a cross-origin
// request, it has sent an HTTP error.
func acceptSocket(w http.ResponseWriter, r *http.Request) (socket, error) {
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionNoContextTakeover})
	if err != nil {
		return socket{}, err
	}
	ws.SetReadLimit(maxMessage)
	return socket{ws}, nil
}

// dialSocket connects to an address through h. If the server refuses the request with a status and a
// text, the error is the text.
func dialSocket(ctx context.Context, address string, h *http.Client) (socket, error) {
	ws, res, err := websocket.Dial(ctx, address, &websocket.DialOptions{HTTPClient: h})
	if err != nil && res != nil && res.StatusCode >= http.StatusBadRequest {
		if text, readErr := errorText(res.Body); readErr == nil && text != "" {
			return socket{}, errors.New(text)
		}
	}
	if err != nil {
		return socket{}, err
	}
	ws.SetReadLimit(maxMessage)
	return socket{ws}, nil
}

// read waits for the next message. If the other side closes the socket with a reason, the error is the
// reason. If the connection ends without a reason, the error is ErrDisconnected, unless ctx has ended.
func (s socket) read(ctx context.Context) ([]byte, error) {
	_, data, err := s.ws.Read(ctx)
	var closed websocket.CloseError
	switch {
	case errors.As(err, &closed) && closed.Reason != "":
		return nil, errors.New(closed.Reason)
	case err != nil && ctx.Err() == nil:
		return nil, ErrDisconnected // the library's error does not help users
	case err != nil:
		return nil, err
	}
	return data, nil
}

// write writes one message.
func (s socket) write(ctx context.Context, data []byte) error {
	return s.ws.Write(ctx, websocket.MessageText, data)
}

// maxReason limits the reason for a refusal, in bytes. A close frame has room for 123 (RFC 6455,
// 5.5), and safeText adds "…", three bytes, to a text that it clips.
const maxReason = 120

// refuse closes the socket with a reason of at most maxReason bytes. The status is "try again later".
func (s socket) refuse(why string) error { return s.ws.Close(websocket.StatusTryAgainLater, why) }

// close closes the socket with the closing handshake.
func (s socket) close() error { return s.ws.Close(websocket.StatusNormalClosure, "") }

// drop closes the underlying connection without a handshake.
func (s socket) drop() error { return s.ws.CloseNow() }
