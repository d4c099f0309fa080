package localsock

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// A place is the path of a socket and its open directory.
type place struct {
	dir  *os.Root
	path string
}

// at returns the path of the file name in the directory.
func (p *place) at(name string) string { return filepath.Join(filepath.Dir(p.path), name) }

// bind creates a socket in the directory and listens on it.
func (p *place) bind(name string) (*net.UnixListener, error) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.at(name), Net: "unix"})
	if err != nil {
		return nil, err
	}
	// Closing must not remove the file of a successor.
	l.SetUnlinkOnClose(false)
	// Before this Chmod, the umask determines the mode. Accept refuses other users who connect
	// in between.
	if err := p.dir.Chmod(name, socketMode); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// ownLen is the length of the names that ownName returns.
const ownLen = 1 + 8

// ownName returns a name for a server's temporary socket, made from a hash of text.
func ownName(text string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // never fails
	return fmt.Sprintf(".%08x", h.Sum32())
}

// gate returns the name of the lock: a socket that a server holds while it creates the one at
// the path.
func (p *place) gate() string { return ownName(filepath.Base(p.path)) }

// enter keeps other servers from creating the socket until leave is called. The error is
// ErrInUse if another server is creating it. The lock is a socket that answers. A file lock is
// not used, because a program with only read permission could hold it.
func (p *place) enter(ctx context.Context) (leave func(), err error) {
	own := ownName(rand.Text())
	alive, err := p.bind(own)
	if err != nil {
		return nil, err
	}
	err = p.take(ctx, own, p.gate())
	if rerr := p.dir.Remove(own); !errors.Is(rerr, fs.ErrNotExist) {
		err = errors.Join(err, rerr)
	}
	if err != nil {
		return nil, errors.Join(err, alive.Close())
	}
	return func() {
		_ = p.dir.Remove(p.gate()) // if it stays, it is dead, and the next server replaces it
		_ = alive.Close()          // its name was removed above
	}, nil
}

// takeTries is the number of attempts to take a name that other servers take and release.
const takeTries = 16

// take links the live socket own to a second name, which must be free or belong to a dead
// socket. If several servers find the same dead socket, only one replaces it: each must first
// take a name derived from that socket, and then check that the dead socket still exists.
func (p *place) take(ctx context.Context, own, name string) error {
	for range takeTries {
		err := p.dir.Link(own, name)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		dead, err := p.deadAt(ctx, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		}
		claim := claimName(dead)
		if err := p.take(ctx, own, claim); err != nil {
			return err
		}
		if info, err := p.dir.Lstat(name); err == nil && os.SameFile(info, dead) {
			return p.dir.Rename(claim, name)
		}
		if err := p.dir.Remove(claim); err != nil {
			return err
		}
	}
	return fmt.Errorf("other servers keep taking and releasing %s; try again", p.path)
}

// claimName returns the name that a server must take to replace a dead socket.
func claimName(dead fs.FileInfo) string {
	st := dead.Sys().(*syscall.Stat_t)
	return ownName(fmt.Sprint(st.Dev, st.Ino, dead.ModTime().UnixNano()))
}

// deadAt returns the dead socket with this name. The error is ErrInUse if a server listens on
// it.
func (p *place) deadAt(ctx context.Context, name string) (fs.FileInfo, error) {
	info, err := p.dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return nil, fmt.Errorf("%s is not a socket, and is left alone; choose another path", p.at(name))
	}
	conn, err := Dial(ctx, p.at(name))
	if err == nil {
		defer conn.Close()
		return nil, fmt.Errorf("%w: %s serves %s; end it, or choose another path", ErrInUse, peerName(conn), p.path)
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
