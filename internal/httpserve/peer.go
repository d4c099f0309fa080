package httpserve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
)

// A peer is the process at the other end of a connection. Where no token is required it
// must be this user's, as with the local socket: every user of the machine can reach the
// loopback address.
type peer struct {
	local, remote net.Addr
	look          func(local, remote netip.AddrPort) (holder, error)
	names         func() []int // the processes of Options.Within; may be nil

	once sync.Once
	err  error

	asked  sync.Once
	inside bool
}

// A holder is the owner of the socket at the other end.
type holder struct {
	uid   uint32
	inode uint64 // of the socket
}

// peerKey is the context's key of the peer.
type peerKey struct{}

// peers returns a function that adds the peer of a connection to its context.
func peers(names func() []int) func(context.Context, net.Conn) context.Context {
	return func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, peerKey{}, &peer{local: conn.LocalAddr(), remote: conn.RemoteAddr(), look: peerHolder, names: names})
	}
}

// checkPeer returns an error unless the sender of a request without a token is a process of
// this user or of root, outside of all sandboxes. It asks the kernel once for each
// connection.
func checkPeer(ctx context.Context) error {
	p, ok := ctx.Value(peerKey{}).(*peer)
	if !ok {
		return errNoConn
	}
	p.once.Do(func() { p.err = p.check() })
	return p.err
}

// within reports whether the process at the other end is one of names. It asks the kernel
// once for each connection.
func (p *peer) within() bool {
	p.asked.Do(func() {
		if p.names == nil {
			return
		}
		h, err := p.holder()
		if errors.Is(err, errNoPeer) {
			return // on another machine
		}
		p.inside = err != nil || heldWithin(h, p.names())
	})
	return p.inside
}

// holder asks the kernel for the owner of the other end.
func (p *peer) holder() (holder, error) {
	local, err := netip.ParseAddrPort(p.local.String())
	if err != nil {
		return holder{}, err
	}
	remote, err := netip.ParseAddrPort(p.remote.String())
	if err != nil {
		return holder{}, err
	}
	return p.look(local, remote)
}

// check returns the reason why the other end needs a token, nil when it needs none.
func (p *peer) check() error {
	h, err := p.holder()
	switch {
	case err != nil:
		return fmt.Errorf("%w: without a token only this user's programs are served; start the server with one", err)
	case h.uid != 0 && int64(h.uid) != int64(os.Geteuid()):
		return fmt.Errorf("%w (uid %d); start the server with a token", errOtherUser, h.uid)
	}
	return checkHolder(h.inode)
}
