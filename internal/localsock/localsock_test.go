package localsock

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/need"
)

// listen listens and accepts connections until the test ends.
func listen(t *testing.T, path string) *Listener {
	t.Helper()
	l, err := Listen(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err == nil {
				fmt.Fprint(conn, "hello")
				conn.Close()
			}
		}
	}()
	return l
}

func TestListen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "sock")
	if _, err := Dial(t.Context(), path); !errors.Is(err, ErrNoServer) {
		t.Fatalf("dial without a server: %v", err)
	}
	l := listen(t, path)
	for name, want := range map[string]fs.FileMode{path: socketMode, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	conn, err := Dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var b [5]byte
	if _, err := conn.Read(b[:]); err != nil || string(b[:]) != "hello" {
		t.Errorf("read %q, %v", b, err)
	}
	conn.Close()
	_, err = Listen(t.Context(), path)
	if !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("a second listener: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is left behind: %v", err)
	}
}

// TestStale checks that a server can listen where a killed server has left its socket.
func TestStale(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sock")
	leave(t, path)
	if _, err := Dial(t.Context(), path); !errors.Is(err, ErrNoServer) {
		t.Errorf("dial a dead socket: %v", err)
	}
	listen(t, path)
	conn, err := Dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

// TestRemoveDead checks that the socket of a killed server is removed, and nothing else.
func TestRemoveDead(t *testing.T) {
	dir := t.TempDir()
	dead, alive, file, link := filepath.Join(dir, "dead"), filepath.Join(dir, "alive"), filepath.Join(dir, "file"), filepath.Join(dir, "link")
	leave(t, dead)
	listen(t, alive)
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Symlink(alive, link)); err != nil {
		t.Fatal(err)
	}
	if err := RemoveDead(t.Context(), dead); err != nil {
		t.Error(err)
	}
	if err := RemoveDead(t.Context(), alive); !errors.Is(err, ErrInUse) {
		t.Errorf("socket of a running server: %v", err)
	}
	for _, path := range []string{file, link} {
		if err := RemoveDead(t.Context(), path); err == nil || !strings.Contains(err.Error(), "is not a socket") {
			t.Errorf("%s: %v", path, err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 3 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestSuccessor checks that closing a listener leaves its path alone if another listener
// has taken it.
func TestSuccessor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sock")
	first := listen(t, path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	listen(t, path)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	conn, err := Dial(t.Context(), path)
	if err != nil {
		t.Fatalf("the successor's socket is gone: %v", err)
	}
	conn.Close()
}

// TestRace starts many servers at once, also where killed ones have left their sockets or
// were killed while they started. It checks that exactly one gets the path and can be
// reached there, and that nothing else is left in the directory.
func TestRace(t *testing.T) {
	for _, dead := range []int{0, 1, 2, 3} {
		for range 50 {
			race(t, dead)
		}
	}
}

// race is one such start in a directory with this number of dead sockets: the first is at the path,
// and each of the others has the name by which a server claims the one before (claimName).
func race(t *testing.T, dead int) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sock")
	if dead > 0 {
		leave(t, path)
	}
	for at := path; dead > 1; dead-- { // left by a server that was killed while it started
		info, err := os.Lstat(at)
		if err != nil {
			t.Fatal(err)
		}
		at = filepath.Join(dir, claimName(info))
		leave(t, at)
	}
	var wg sync.WaitGroup
	listeners, results := make(chan *Listener, 8), make(chan error, 8)
	for range cap(results) {
		wg.Go(func() {
			l, err := Listen(t.Context(), path)
			if err == nil {
				listeners <- l
			}
			results <- err
		})
	}
	wg.Wait()
	close(results)
	for err := range results {
		if err != nil && !errors.Is(err, ErrInUse) {
			t.Error(err)
		}
	}
	if len(listeners) != 1 {
		t.Fatalf("%d listeners, want 1", len(listeners))
	}
	l := <-listeners
	conn, err := Dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// leave creates a socket that nobody listens on.
func leave(t *testing.T, path string) {
	t.Helper()
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	dead.Close()
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "notes")
	if err := os.WriteFile(file, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(dir, "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ path, want string }{
		{"", "empty"},
		{filepath.Join(dir, strings.Repeat("x", MaxPath)), "at most 103"},
		{file, "is not a socket"},
		{filepath.Join(file, "sock"), "directory"},
		{filepath.Join(open, "sock"), "chmod 700"},
	} {
		if l, err := Listen(t.Context(), tt.path); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, %v", tt.path, l, err)
		}
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "mine" {
		t.Errorf("the file was changed to %q, %v", data, err)
	}
}

// TestForeignDirectory checks that a directory of another user is rejected. Only root can
// give a directory to another user.
func TestForeignDirectory(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not root")
	}
	dir := filepath.Join(t.TempDir(), "theirs")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, 4711, 4711); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(t.Context(), filepath.Join(dir, "sock")); !errors.Is(err, ErrForeign) {
		t.Errorf("error %v, want %v", err, ErrForeign)
	}
}

// TestLockedDirectory checks that a server can start while another program holds a lock on
// the directory, which any program that can read it may do.
func TestLockedDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sock")
	leave(t, path)
	f, err := os.Open(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	listen(t, path)
}

// TestForeignPeer checks that a connection of another user is rejected by its uid, even if
// the socket's mode allows it. Only root can run a program as another user.
func TestForeignPeer(t *testing.T) {
	const python = "/usr/bin/python3" // a Python that every user may run
	need.Program(t, python)
	if os.Geteuid() != 0 {
		t.Skip("not root")
	}
	dir, err := os.MkdirTemp("/tmp", "localsock")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "sock")
	l, err := Listen(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := errors.Join(os.Chmod(dir, 0o755), os.Chmod(path, 0o777)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", "import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\nprint(s.recv(9))", path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 4711, Gid: 4711}}
	cmd.Dir = "/"
	accepted := make(chan error, 1)
	go func() {
		_, err := l.Accept()
		accepted <- err
	}()
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "b''\n" {
		t.Errorf("the other user got %q, %v", out, err)
	}
	l.Close() // ends Accept if there was no connection
	if err := <-accepted; !errors.Is(err, ErrForeign) {
		t.Errorf("Accept: error %v, want %v", err, ErrForeign)
	}
}
