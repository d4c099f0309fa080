package keeper

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// version is the version of the protocol. Both ends must have the same version.
const version = 3

// A kind is the kind of a frame.
type kind uint8

// The kinds of frames. The first group comes from the server; the keeper answers those
// that have a request number.
const (
	kindHello  kind = iota + 1 // from both ends: hello, then welcome
	kindStart                  // child.Spec
	kindAttach                 // begin the stream of a child
	kindWrite                  // child.Input
	kindResize                 // child.Size
	kindEnd                    // end
	kindNote                   // an eventlog.Event, unanswered
	kindKeep                   // the session's state, unanswered
	kindAck                    // bytes taken by the server, unanswered
	kindForget                 // the session was deleted
	_                          // unused; older servers with this protocol version send it before they disconnect
	kindAnswer                 // answer

	kindOutput   // the child's bytes
	kindEvent    // another child.Event
	kindDrained  // there will be no more output
	kindExited   // child.Exit
	kindStatus   // eventlog.Status, when it has changed
	kindReplaced // another server takes over
)

// Sizes of frames.
const (
	// maxFrame is the maximum size of a frame: large enough for a start with its
	// environment, or a state.
	maxFrame = 16 << 20
	// headSize is the size of a frame's head: length, kind, child, request and log offset.
	headSize = 4 + 1 + 4 + 4 + 8
)

// A frame is a message on the socket.
type frame struct {
	kind    kind
	child   uint32
	request uint32
	logged  int64 // log offset of output, see child.Event
	data    []byte
}

// with returns f with v, one of our own types, as its data.
func (f frame) with(v any) frame {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("keeper: encode %T: %v", v, err))
	}
	f.data = data
	return f
}

// A link is a connection that carries frames. Several goroutines may send at once, but only
// one may receive.
type link struct {
	conn *net.UnixConn
	send sync.Mutex // held while a frame is written
	buf  []byte     // buffer for sending; guarded by send

	in  []byte // received bytes not yet decoded
	fds []int  // received descriptors not yet taken
	oob []byte
}

// newLink returns the link over a connection.
func newLink(conn *net.UnixConn) *link {
	return &link{conn: conn, oob: make([]byte, unix.CmsgSpace(4*maxPassed))}
}

// maxPassed is the maximum number of descriptors passed with one message.
const maxPassed = 8

// write sends a frame, and passes files with it.
func (l *link) write(f frame, files ...*os.File) error {
	if len(f.data) > maxFrame-headSize {
		return fmt.Errorf("%w: %d bytes; at most %d", errFrame, len(f.data), maxFrame-headSize)
	}
	l.send.Lock()
	defer l.send.Unlock()
	b := binary.BigEndian.AppendUint32(l.buf[:0], uint32(headSize+len(f.data)))
	b = append(b, byte(f.kind))
	b = binary.BigEndian.AppendUint32(b, f.child)
	b = binary.BigEndian.AppendUint32(b, f.request)
	b = binary.BigEndian.AppendUint64(b, uint64(f.logged))
	b = append(b, f.data...)
	if cap(b) <= 64<<10 {
		l.buf = b
	}
	if len(files) > 0 {
		n, err := l.pass(b, files)
		if err != nil {
			return err
		}
		if b = b[n:]; len(b) == 0 {
			return nil // an empty write fails if the other end has closed the connection
		}
	}
	_, err := l.conn.Write(b)
	return err
}

// pass sends the beginning of b together with files. It returns the number of bytes sent.
func (l *link) pass(b []byte, files []*os.File) (int, error) {
	fds := make([]int, len(files))
	var rights []byte
	for i, f := range files {
		conn, err := f.SyscallConn()
		if err != nil {
			return 0, err
		}
		if err := conn.Control(func(fd uintptr) { fds[i] = int(fd) }); err != nil {
			return 0, err
		}
	}
	// The owner of the files keeps them open until write returns.
	rights = unix.UnixRights(fds...)
	n, _, err := l.conn.WriteMsgUnix(b, rights, nil)
	return n, err
}

// read receives the next frame. Its data is valid until the next read.
func (l *link) read() (frame, error) {
	if err := l.fill(4); err != nil {
		return frame{}, err
	}
	n := int(binary.BigEndian.Uint32(l.in))
	if n < headSize || n > maxFrame {
		return frame{}, fmt.Errorf("%w: its length is %d", errFrame, n)
	}
	if err := l.fill(n); err != nil {
		return frame{}, err
	}
	b := l.in[:n]
	l.in = l.in[n:]
	return frame{
		kind:    kind(b[4]),
		child:   binary.BigEndian.Uint32(b[5:]),
		request: binary.BigEndian.Uint32(b[9:]),
		logged:  int64(binary.BigEndian.Uint64(b[13:])),
		data:    b[headSize:],
	}, nil
}

// fill receives until l.in has n bytes.
func (l *link) fill(n int) error {
	for len(l.in) < n {
		if room := cap(l.in) - len(l.in); room < 4096 || cap(l.in) < n {
			l.in = append(make([]byte, 0, max(n, 2*len(l.in), 128<<10)), l.in...)
		}
		free := l.in[len(l.in):cap(l.in)]
		got, oobn, _, _, err := l.conn.ReadMsgUnix(free, l.oob)
		if oobn > 0 {
			l.take(l.oob[:oobn])
		}
		if err != nil {
			return err
		}
		if got == 0 {
			return io.EOF
		}
		l.in = l.in[:len(l.in)+got]
	}
	return nil
}

// take stores the descriptors that came with a message.
func (l *link) take(oob []byte) {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return
	}
	for _, m := range messages {
		if fds, err := unix.ParseUnixRights(&m); err == nil {
			l.fds = append(l.fds, fds...)
		}
	}
}

// file returns the next received descriptor as a file, or nil if there is none.
func (l *link) file(name string) *os.File {
	if len(l.fds) == 0 {
		return nil
	}
	fd := l.fds[0]
	l.fds = l.fds[1:]
	unix.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), name)
}

// close ends the link.
func (l *link) close() {
	_ = l.conn.Close() // frames are not buffered, so nothing is lost
}

// drop closes the received descriptors that were not taken. Only the receiver may call it.
func (l *link) drop() {
	for _, fd := range l.fds {
		_ = unix.Close(fd)
	}
	l.fds = nil
}
