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

// at returns the path of the file name in the directory.
func (l *Listener) at(name string) string { return filepath.Join(filepath.Dir(l.path), name) }

// bind creates a socket in the directory and listens on it.
func (l *Listener) bind(name string) (*net.UnixListener, error) {
	unix, err := net.ListenUnix("unix", &net.UnixAddr{Name: l.at(name), Net: "unix"})
	if err != nil {
		return nil, err
	}
	// Closing must not remove the file of a successor.
	unix.SetUnlinkOnClose(false)
	// Before this Chmod, the umask determines the mode. Accept refuses other users who connect
	// in between.
	if err := l.dir.Chmod(name, socketMode); err != nil {
		return nil, errors.Join(err, unix.Close())
	}
	return unix, nil
}

// ownLen is the length of the names that ownName returns.
const ownLen = 1 + 8

// ownName returns a temporary name for a server's socket, made from a hash of text.
func ownName(text string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // never fails
	return fmt.Sprintf(".%08x", h.Sum32())
}

// takeTries is the number of attempts to take a name that other servers take and release.
const takeTries = 16

// take links the live socket own to a second name, which must be free or belong to a dead
// socket. If several servers find the same dead socket, only one replaces it: each must first
// take a name derived from that socket, and then check that the dead socket still exists. The
// error is ErrInUse if another server has the name, or is replacing the dead socket. A file lock
// would be simpler, but a program with only read permission could hold it.
func (l *Listener) take(ctx context.Context, own, name string) error {
	for range takeTries {
		err := l.dir.Link(own, name)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		dead, err := l.deadAt(ctx, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		}
		claim := claimName(dead)
		if err := l.take(ctx, own, claim); err != nil {
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

// claimName returns the name that a server must take to replace a dead socket.
func claimName(dead fs.FileInfo) string {
	st := dead.Sys().(*syscall.Stat_t)
	return ownName(fmt.Sprint(st.Dev, st.Ino, dead.ModTime().UnixNano()))
}

// deadAt returns the dead socket with this name. The error is ErrInUse if a server listens on
// it.
func (l *Listener) deadAt(ctx context.Context, name string) (fs.FileInfo, error) {
	info, err := l.dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return nil, fmt.Errorf("%s is not a socket, and is left alone; choose another path", l.at(name))
	}
	conn, err := Dial(ctx, l.at(name))
	if err == nil {
		defer conn.Close()
		return nil, fmt.Errorf("%w: %s serves %s; end it, or choose another path", ErrInUse, peerName(conn), l.path)
	}
	if errors.Is(err, ErrNoServer) {
		err = nil
	}
	return info, err
}

// peerName describes the process at the other end for an error.
func peerName(conn *net.UnixConn) string {
	p, err := peerOf(conn)
	if err != nil || p.pid == 0 {
		return "another server"
	}
	return fmt.Sprintf("the server with process id %d", p.pid)
}
