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

// version is the version of the protocol. Both sides must have the same.
const version = 3

// A kind is the kind of a frame.
type kind uint8

// The kinds of frames. The first group comes from the server; the keeper answers those
// that have a request number.
const (
	kindHello  kind = iota + 1 // both: hello, then welcome
	kindStart                  // start: spec
	kindAttach                 // begin the stream of a child
	kindWrite                  // child.Input
	kindResize                 // child.Size
	kindEnd                    // end
	kindNote                   // an eventlog.Event, unanswered
	kindKeep                   // the session's state, unanswered
	kindAck                    // bytes taken by the server, unanswered
	kindForget                 // the session was deleted
	kindBye                    // the server ends, and a keeper without children with it
	kindAnswer                 // answer

	kindOutput   // the child's bytes
	kindEvent    // another child.Event
	kindDrained  // there will be no more output
	kindExited   // child.Exit
	kindStatus   // logStatus, when it has changed
	kindReplaced // another server takes over
)

// Limits of the wire.
const (
	// maxFrame bounds a frame: a start with its environment, or a state.
	maxFrame = 16 << 20
	// headSize is the size of a frame's head: length, kind, child, request, and the
	// log offset after it.
	headSize = 4 + 1 + 4 + 4 + 8
)

// A frame is a message on the socket.
type frame struct {
	kind    kind
	child   uint32
	request uint32
	logged  int64 // of output: see child.Event
	data    []byte
}

// A link is a connection that carries frames. Frames may be sent by several
// goroutines at once; one receives.
type link struct {
	conn *net.UnixConn
	send sync.Mutex // held while a frame is written
	buf  []byte     // of what is sent; guarded by send

	in  []byte // received and not looked at yet
	fds []int  // received and not taken yet
	oob []byte
}

// newLink returns the link over a connection.
func newLink(conn *net.UnixConn) *link {
	return &link{conn: conn, oob: make([]byte, unix.CmsgSpace(4*maxPassed))}
}

// maxPassed bounds the descriptors that come with one message.
const maxPassed = 8

// write sends a frame, together with files.
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
			return nil // an empty write fails if the other side has closed the connection
		}
	}
	_, err := l.conn.Write(b)
	return err
}

// pass sends files with the beginning of b.
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

// writeJSON sends a frame whose data is v as JSON.
func (l *link) writeJSON(f frame, v any, files ...*os.File) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f.data = data
	return l.write(f, files...)
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

// fill receives until there are n bytes.
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

// file returns the next descriptor received, as a file; nil when none came.
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
	_ = l.conn.Close() // all frames have been written
}

// drop closes the descriptors that were not taken. Only the receiver may call it.
func (l *link) drop() {
	for _, fd := range l.fds {
		_ = unix.Close(fd)
	}
	l.fds = nil
}
