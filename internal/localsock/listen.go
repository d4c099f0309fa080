package localsock

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/internal/owned"
)

// MaxPath is the maximum length of a socket's path in bytes. macOS has the lowest limit of the
// supported systems: 104 bytes with the final NUL.
const MaxPath = 103

// socketMode is the mode of a socket.
const socketMode = 0o600

// dialLimit is the time limit for connecting to a local socket. Without it, a server whose queue
// is full would block the caller forever.
const dialLimit = 5 * time.Second

// A Listener accepts the connections of its own user and of root. It is safe for concurrent
// use.
type Listener struct {
	unix *net.UnixListener
	dir  *os.Root // the socket's directory
	path string
	file fs.FileInfo // the socket's file, to recognise a file that has replaced it
}

// Listen creates a socket at path, with mode 0600. It creates a missing directory
// with mode 0700. The error is ErrInUse if a running server has the path, and ErrForeign if that
// server or the directory belongs to another user. Other users may write to the directory only if it
// is sticky. Listen never removes a file that is not a socket.
func Listen(ctx context.Context, path string) (*Listener, error) {
	path, err := checkPath(path)
	if err != nil {
		return nil, err
	}
	dir, err := OpenDir(path)
	if err != nil {
		return nil, err
	}
	l := &Listener{dir: dir, path: path}
	if err := l.listen(ctx); err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return l, nil
}

// OpenDir opens the directory of a socket, and creates it if it is missing. It refuses a directory
// of another user, and one in which other users can remove this user's files.
func OpenDir(socket string) (*os.Root, error) {
	dir, err := owned.Open(filepath.Dir(socket))
	if err != nil {
		return nil, err
	}
	if err := owned.CheckPrivate(dir); err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}

// checkPath returns the absolute path of a socket, or an error if path is empty or too long.
func checkPath(path string) (string, error) {
	if path == "" {
		return "", errors.New("the socket's path is empty")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if n := max(len(abs), len(filepath.Dir(abs))+1+tempNameLen); n > MaxPath {
		return "", fmt.Errorf("socket path %s has %d bytes, at most %d; choose a shorter one", abs, n, MaxPath)
	}
	return abs, nil
}

// listen creates the socket, and replaces a dead one. The socket accepts connections before it gets
// its name, so that no server takes it for a dead one.
func (l *Listener) listen(ctx context.Context) error {
	temp, name := tempName(rand.Text()), filepath.Base(l.path)
	var err error
	if l.unix, err = l.bind(temp); err != nil {
		return err
	}
	if l.file, err = l.dir.Lstat(temp); err == nil {
		err = l.linkTo(ctx, temp, name)
	}
	if rerr := l.dir.Remove(temp); !errors.Is(rerr, fs.ErrNotExist) {
		err = errors.Join(err, rerr)
	}
	if err != nil {
		return errors.Join(err, l.unix.Close())
	}
	return nil
}

// RemoveDead removes the socket at path. The error is ErrInUse if a server listens on it.
func RemoveDead(ctx context.Context, path string) error {
	l, err := Listen(ctx, path) // replaces a dead socket with one that Close removes
	if err != nil {
		return err
	}
	return l.Close()
}

// Path returns the socket's absolute path.
func (l *Listener) Path() string { return l.path }

// Accept waits for the next connection. It closes a connection from another user or from a
// program in a sandbox, and returns ErrForeign or ErrSandboxed; the caller should continue to
// accept. After Close, the error is net.ErrClosed.
func (l *Listener) Accept() (*net.UnixConn, error) {
	conn, err := l.unix.AcceptUnix()
	if err != nil {
		return nil, err
	}
	err = checkPeer(conn)
	if err == nil {
		err = checkNotSandboxed(conn)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("refused a connection: %w", err), conn.Close())
	}
	return conn, nil
}

// Close ends Accept and removes the socket's file, unless another file has replaced it. It removes the
// file first: another server could replace a closed socket, and then Close would remove the new file.
func (l *Listener) Close() error {
	var err error
	name := filepath.Base(l.path)
	if info, serr := l.dir.Lstat(name); serr == nil && os.SameFile(info, l.file) {
		err = l.dir.Remove(name)
	}
	return errors.Join(err, l.unix.Close(), l.dir.Close())
}

// Dial connects to the server at path. The error is ErrNoServer if no server listens there, and
// ErrForeign if the server belongs to another user.
func Dial(ctx context.Context, path string) (*net.UnixConn, error) {
	path, err := checkPath(path)
	if err != nil {
		return nil, err
	}
	d := net.Dialer{Timeout: dialLimit}
	conn, err := d.DialContext(ctx, "unix", path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOTDIR):
		return nil, fmt.Errorf("%s: %w", path, ErrNoServer)
	case err != nil:
		return nil, err
	}
	unix := conn.(*net.UnixConn)
	if err := checkPeer(unix); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: the server %w", path, err), unix.Close())
	}
	return unix, nil
}
