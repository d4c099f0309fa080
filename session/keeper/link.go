package keeper

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"errors"
	"io"
	"net"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
)

// A link is a connection that carries messages, encoded by package gob. Several goroutines may
// send at once, but only one may receive.
type link struct {
	conn *net.UnixConn
	send sync.Mutex   // locked while a message is sent
	buf  bytes.Buffer // the encoded message; guarded by send
	enc  *gob.Encoder // guarded by send

	dec *gob.Decoder
	fds []int // received descriptors that file has not returned yet; used by the receiver
}

// newLink returns the link over a connection.
func newLink(conn *net.UnixConn) *link {
	for _, body := range []any{
		hello{}, welcome{}, end{}, answer{}, state{}, ack(0), attach, child.Spec{}, child.Input{}, child.Size{},
		child.Event{}, child.Exit{}, eventlog.Event{},
	} {
		gob.Register(body)
	}
	l := &link{conn: conn}
	l.enc, l.dec = gob.NewEncoder(&l.buf), gob.NewDecoder(bufio.NewReaderSize(receiver{l}, readSize))
	return l
}

const (
	// readSize is the number of bytes that are received at once.
	readSize = 64 << 10
	// maxKept is the greatest length of a message whose buffer is used again for the next message.
	maxKept = 64 << 10
)

// write sends a message, and passes file with it unless file is nil.
func (l *link) write(m message, file *os.File) error {
	l.send.Lock()
	defer l.send.Unlock()
	l.buf.Reset()
	if err := l.enc.Encode(m); err != nil {
		return err
	}
	b := l.buf.Bytes()
	if len(b) > maxKept {
		l.buf = bytes.Buffer{}
	}
	if file != nil {
		n, err := l.pass(b, file)
		if b = b[n:]; err != nil || len(b) == 0 {
			return err // do not write 0 bytes: that fails if the other end has closed the connection
		}
	}
	_, err := l.conn.Write(b)
	return err
}

// pass sends the beginning of b together with a file. It returns the number of bytes sent.
func (l *link) pass(b []byte, file *os.File) (n int, err error) {
	conn, err := file.SyscallConn()
	if err != nil {
		return 0, err
	}
	closed := conn.Control(func(fd uintptr) { n, _, err = l.conn.WriteMsgUnix(b, unix.UnixRights(int(fd)), nil) })
	return n, errors.Join(err, closed)
}

// read receives the next message.
func (l *link) read() (m message, err error) {
	err = l.dec.Decode(&m)
	return m, err
}

// A receiver is the io.Reader from which the messages of a link are decoded.
type receiver struct{ *link }

// Read receives bytes, and stores the descriptors that were passed with them.
func (r receiver) Read(p []byte) (int, error) {
	oob := make([]byte, unix.CmsgSpace(4)) // room for one descriptor, because a message passes at most one
	n, oobn, _, _, err := r.conn.ReadMsgUnix(p, oob)
	if parts, err := unix.ParseSocketControlMessage(oob[:oobn]); err == nil {
		for _, part := range parts {
			fds, _ := unix.ParseUnixRights(&part) // none if part is another kind of control message
			r.fds = append(r.fds, fds...)
		}
	}
	if n == 0 && err == nil {
		err = io.EOF
	}
	return max(n, 0), err // n is -1 on an error
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
	_ = l.conn.Close() // messages are not buffered, so nothing is lost
}

// closeUntaken closes the received descriptors that file has not returned. Only the goroutine that
// receives may call it.
func (l *link) closeUntaken() {
	for _, fd := range l.fds {
		_ = unix.Close(fd)
	}
	l.fds = nil
}
