package localsock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// MaxPath is the longest path of a socket in bytes: the shortest limit among
// the systems we run on is macOS's 104 bytes with the final NUL.
const MaxPath = 103

// Modes of what Listen makes.
const (
	dirMode    = 0o700
	socketMode = 0o600
)

// dialLimit is how long connecting to a socket of this machine may take. A
// server whose queue is full would keep a caller for ever.
const dialLimit = 5 * time.Second

// A Listener accepts the connections of its own user. It is safe for concurrent
// use.
type Listener struct {
	unix *net.UnixListener
	path string
	file fs.FileInfo // of the socket, to know it again
}

// Listen makes a socket at path that only this user can reach. A directory that
// is missing is made, with mode 0700. The error is ErrInUse, with the process
// id, when a living server has the path, and ErrForeign when another user could
// put his own socket there. A file that is no socket is left alone.
func Listen(ctx context.Context, path string) (*Listener, error) {
	path, err := checkPath(path)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, fmt.Errorf("socket directory: %w", err)
	}
	unlock, err := lockDir(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := safeDir(dir); err != nil {
		return nil, err
	}
	if err := removeStale(ctx, path); err != nil {
		return nil, err
	}
	return bind(path)
}

// checkPath returns path as an absolute one that a socket can have.
func checkPath(path string) (string, error) {
	if path == "" {
		return "", errors.New("the socket's path is empty")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if len(abs) > MaxPath {
		return "", fmt.Errorf("socket path %s has %d bytes, at most %d; choose a shorter one", abs, len(abs), MaxPath)
	}
	return abs, nil
}

// safeDir refuses a directory in which another user could put a socket of his
// own: one that he owns, or that he may write to, unless its sticky bit keeps
// him from other people's files.
func safeDir(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	owner := info.Sys().(*syscall.Stat_t).Uid
	if !trusted(owner) {
		return fmt.Errorf("directory %s %w (uid %d); choose one of your own", dir, ErrForeign, owner)
	}
	if info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0 {
		return fmt.Errorf("directory %s can be written by other users (%v); chmod 700 it, or choose another", dir, info.Mode())
	}
	return nil
}

// removeStale removes a socket that a server left behind.
func removeStale(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("%s is no socket, and is left alone; choose another path", path)
	}
	conn, err := Dial(ctx, path)
	switch {
	case err == nil:
		defer conn.Close()
		return fmt.Errorf("%w: %s serves %s; end it, or choose another path", ErrInUse, peerName(conn), path)
	case errors.Is(err, ErrNoServer):
		return os.Remove(path)
	}
	return err
}

// peerName names the process at the other end.
func peerName(conn *net.UnixConn) string {
	p, err := peerOf(conn)
	if err != nil || p.pid == 0 {
		return "another server"
	}
	return fmt.Sprintf("the server with process id %d", p.pid)
}

// bind makes the socket. Between bind and chmod its mode is the umask's: who
// slips in there is stopped by the check of his uid.
func bind(path string) (*Listener, error) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	// Closing must not remove the file of a successor: Close looks first.
	l.SetUnlinkOnClose(false)
	err = os.Chmod(path, socketMode)
	if err != nil {
		return nil, errors.Join(err, l.Close(), os.Remove(path))
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &Listener{unix: l, path: path, file: info}, nil
}

// Addr returns the socket's address.
func (l *Listener) Addr() net.Addr { return l.unix.Addr() }

// Path returns the socket's absolute path.
func (l *Listener) Path() string { return l.path }

// Accept waits for the next connection. One of another user, or of a program in a
// sandbox, is closed, and the error is ErrForeign or ErrSandboxed: go on accepting. After Close it is net.ErrClosed.
func (l *Listener) Accept() (*net.UnixConn, error) {
	conn, err := l.unix.AcceptUnix()
	if err != nil {
		return nil, err
	}
	err = checkPeer(conn)
	if err == nil {
		err = checkFree(conn)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("refused a connection: %w", err), conn.Close())
	}
	return conn, nil
}

// Close ends Accept and removes the socket, unless another one is there by now.
func (l *Listener) Close() error {
	err := l.unix.Close()
	if info, serr := os.Lstat(l.path); serr == nil && os.SameFile(info, l.file) {
		err = errors.Join(err, os.Remove(l.path))
	}
	return err
}

// Dial connects to the server at path. The error is ErrNoServer when there is
// none, and ErrForeign when another user runs it.
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
