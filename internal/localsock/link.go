package localsock

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// pathOf returns the path of a file in the socket's directory.
func (l *Listener) pathOf(name string) string { return filepath.Join(filepath.Dir(l.path), name) }

// bind creates a socket in the directory and listens on it.
func (l *Listener) bind(name string) (*net.UnixListener, error) {
	unix, err := net.ListenUnix("unix", &net.UnixAddr{Name: l.pathOf(name), Net: "unix"})
	if err != nil {
		return nil, err
	}
	// Closing must not remove the file of a successor.
	unix.SetUnlinkOnClose(false)
	// Until this Chmod, the umask determines the mode. If another user connects in between, Accept
	// refuses the connection.
	if err := l.dir.Chmod(name, socketMode); err != nil {
		return nil, errors.Join(err, unix.Close())
	}
	return unix, nil
}

// tempNameLen is the length of the names that tempName returns.
const tempNameLen = 1 + 8

// tempName returns a temporary name for a server's socket, made from a hash of text.
func tempName(text string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // never fails
	return fmt.Sprintf(".%08x", h.Sum32())
}

// linkTries is the number of attempts to link to a name that other servers take and release.
const linkTries = 16

// linkTo gives the live socket temp a second name, if the name is free or a dead socket has it. If
// several servers find the same dead socket, only one replaces it: each first links its own socket
// to a name derived from the dead one (claimName). Then it checks that the dead socket still exists.
// The error is ErrInUse if another server has the name, or is replacing the dead socket. A file
// lock would be simpler, but a program that can only read the file could hold the lock.
func (l *Listener) linkTo(ctx context.Context, temp, name string) error {
	for range linkTries {
		err := l.dir.Link(temp, name)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		dead, err := l.deadSocket(ctx, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		}
		claim := claimName(dead)
		if err := l.linkTo(ctx, temp, claim); err != nil {
			return err
		}
		if info, err := l.dir.Lstat(name); err == nil && os.SameFile(info, dead) {
			return l.dir.Rename(claim, name)
		}
		if err := l.dir.Remove(claim); err != nil {
			return err
		}
	}
	return fmt.Errorf("other servers keep taking and releasing %s; try again", l.path)
}

// claimName returns the name that a server must link to before it replaces a dead socket.
func claimName(dead fs.FileInfo) string {
	st := dead.Sys().(*syscall.Stat_t)
	return tempName(fmt.Sprint(st.Dev, st.Ino, dead.ModTime().UnixNano()))
}

// deadSocket returns the dead socket with this name. The error is ErrInUse if a server listens on
// the socket.
func (l *Listener) deadSocket(ctx context.Context, name string) (fs.FileInfo, error) {
	info, err := l.dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return nil, fmt.Errorf("%s is not a socket and will not be replaced; choose another path", l.pathOf(name))
	}
	conn, err := Dial(ctx, l.pathOf(name))
	if err == nil {
		defer conn.Close()
		return nil, fmt.Errorf("%w: %s serves %s; end it, or choose another path", ErrInUse, peerName(conn), l.path)
	}
	if errors.Is(err, ErrNoServer) {
		err = nil
	}
	return info, err
}

// peerName returns a description of the process at the other end, for error messages.
func peerName(conn *net.UnixConn) string {
	_, pid, err := Peer(conn)
	if err != nil || pid == 0 {
		return "another server"
	}
	return fmt.Sprintf("the server with process id %d", pid)
}
