package httpserve

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// userTimeout is the time in milliseconds that sent data may stay unacknowledged before the
// kernel closes a connection; see TCP_USER_TIMEOUT in tcp(7). It is needed because no keep-alive
// probes are sent while data waits. Accepted sockets inherit the timeout from the listener.
const userTimeout = 30_000

// setUserTimeout sets userTimeout, for which net.ListenConfig has no field.
func setUserTimeout(_, _ string, c syscall.RawConn) error {
	var err error
	if cerr := c.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, userTimeout)
	}); cerr != nil {
		return cerr
	}
	return err
}

// lookupPeer returns the owner of the other end of a connection, from /proc/net/tcp; see
// proc_net(5). The error is errNotLocal if that end is not on this machine.
func lookupPeer(local, remote netip.AddrPort) (peer, error) {
	for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		p, err := findPeer(file, procAddrs(remote), procAddrs(local))
		if !errors.Is(err, errNotLocal) {
			return p, err
		}
	}
	return peer{}, errNotLocal
}

// findPeer returns the owner of the socket in file that has a local address in mine and a remote
// address in other. The error is errNotLocal if file has no such socket.
func findPeer(file string, mine, other []string) (peer, error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return peer{}, errNotLocal // the kernel has no IPv6
	}
	if err != nil {
		return peer{}, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		// sl local_address rem_address st queues timer retrnsmt uid timeout inode …
		fields := strings.Fields(lines.Text())
		if len(fields) < 10 || !slices.Contains(mine, fields[1]) || !slices.Contains(other, fields[2]) {
			continue
		}
		uid, err := strconv.ParseUint(fields[7], 10, 32)
		if err != nil {
			return peer{}, fmt.Errorf("%s: user %q", file, fields[7])
		}
		inode, err := strconv.ParseUint(fields[9], 10, 64)
		if err != nil {
			return peer{}, fmt.Errorf("%s: inode %q", file, fields[9])
		}
		return peer{uint32(uid), inode}, nil
	}
	if err := lines.Err(); err != nil {
		return peer{}, err
	}
	return peer{}, errNotLocal
}

// procAddrs returns the forms of an address in /proc/net. An IPv4 address may also appear
// mapped to IPv6. Each 32-bit word is in the machine's byte order.
func procAddrs(a netip.AddrPort) []string {
	addr := a.Addr().Unmap()
	v6 := addr.As16()
	forms := [][]byte{v6[:]}
	if addr.Is4() {
		v4 := addr.As4()
		forms = append(forms, v4[:])
	}
	var out []string
	for _, form := range forms {
		for i := 0; i < len(form); i += 4 {
			binary.NativeEndian.PutUint32(form[i:], binary.BigEndian.Uint32(form[i:]))
		}
		out = append(out, fmt.Sprintf("%X:%04X", form, a.Port()))
	}
	return out
}
