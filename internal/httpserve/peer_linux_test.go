package httpserve

import (
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/need"
)

// TestOtherUser checks that another local user needs a token. Only root can run this test,
// because it changes its user.
func TestOtherUser(t *testing.T) {
	const python = "/usr/bin/python3" // a Python that every user may run
	need.Program(t, python)
	if os.Geteuid() != 0 {
		t.Skip("not root")
	}
	ask := func(r *rig, header string) string {
		t.Helper()
		cmd := exec.Command(python, "-c", `
import sys, urllib.request, urllib.error
q = urllib.request.Request(sys.argv[1])
if sys.argv[2]: q.add_header("Authorization", sys.argv[2])
try: print(urllib.request.urlopen(q).status)
except urllib.error.HTTPError as e: print(e.code, e.read().decode())
`, r.url+"/metrics", header)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 4711, Gid: 4711}}
		cmd.Dir = "/"
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	r := newRig(t, Options{})
	if got := ask(r, ""); !strings.HasPrefix(got, "403 ") || !strings.Contains(got, "uid 4711") {
		t.Errorf("another user without a token: %s", got)
	}
	if status, _, body := r.ask("GET", "/metrics", ""); status != 200 {
		t.Errorf("our own user: %d %s", status, body)
	}
	if got := ask(newRig(t, Options{Keys: keys(t)}), "Bearer "+tokenRead); got != "200\n" {
		t.Errorf("another user with a token: %s", got)
	}
}

// TestPeerHolder checks the holder of real connections, and that a connection that does
// not exist has none.
func TestPeerHolder(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "::1", "::"} {
		l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		if err != nil {
			t.Logf("%s: %v", host, err) // a machine without IPv6
			continue
		}
		defer l.Close()
		target := l.Addr().String()
		if host == "::" {
			target = "127.0.0.1" + target[strings.LastIndexByte(target, ':'):]
		}
		conn, err := net.Dial("tcp", target)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		local, remote := netip.MustParseAddrPort(conn.RemoteAddr().String()), netip.MustParseAddrPort(conn.LocalAddr().String())
		if h, err := lookupPeer(local, remote); err != nil || int(h.uid) != os.Geteuid() || h.inode == 0 || checkNotSandboxed(h.inode) != nil {
			t.Errorf("%s: %+v, %v", host, h, err)
		}
		if h, err := lookupPeer(local, netip.AddrPortFrom(remote.Addr(), 1)); err == nil {
			t.Errorf("%s: holder of an unknown connection: %+v", host, h)
		}
	}
}

// TestSocketOptions checks that accepted connections have the socket options of the
// listener.
func TestSocketOptions(t *testing.T) {
	s, err := New(Options{Host: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Listen(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) {
		for option, want := range map[int]int{unix.TCP_USER_TIMEOUT: userTimeout, unix.TCP_KEEPIDLE: 15, unix.TCP_KEEPINTVL: 5, unix.TCP_KEEPCNT: 3} {
			if got, err := unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, option); err != nil || got != want {
				t.Errorf("option %d is %d, %v; want %d", option, got, err, want)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
}
