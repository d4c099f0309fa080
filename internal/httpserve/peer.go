package httpserve

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
)

// A peer is the process at the other end of a connection. Where no token is
// asked for it must be this user's, as with the local socket: the loopback
// address belongs to everybody on the machine.
type peer struct {
	local, remote net.Addr
	look          func(local, remote netip.AddrPort) (holder, error)

	once sync.Once
	err  error
}

// A holder is who has the socket at the other end.
type holder struct {
	uid   uint32
	inode uint64 // of the socket
}

// peerKey is the context's key of the peer.
type peerKey struct{}

// withPeer adds the peer of a connection to its context.
func withPeer(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, peerKey{}, &peer{local: conn.LocalAddr(), remote: conn.RemoteAddr(), look: peerHolder})
}

// checkPeer returns an error unless the sender of a request without a token is
// this user, or root, who can do everything that we can, and in no sandbox. The
// kernel is asked once a connection.
func checkPeer(ctx context.Context) error {
	p, ok := ctx.Value(peerKey{}).(*peer)
	if !ok {
		return errNoConn
	}
	p.once.Do(func() { p.err = p.check() })
	return p.err
}

// check asks the kernel.
func (p *peer) check() error {
	local, err := netip.ParseAddrPort(p.local.String())
	if err != nil {
		return err
	}
	remote, err := netip.ParseAddrPort(p.remote.String())
	if err != nil {
		return err
	}
	h, err := p.look(local, remote)
	switch {
	case err != nil:
		return fmt.Errorf("%w: without a token only this user's programs are served; start the server with one", err)
	case h.uid != 0 && int64(h.uid) != int64(os.Geteuid()):
		return fmt.Errorf("%w (uid %d); start the server with a token", errOtherUser, h.uid)
	}
	return checkHolder(h.inode)
}
