package keeper

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
)

// TestMain fails if a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(need.Home(m)) }

// A rig runs a keeper in this process for any number of servers.
type rig struct {
	t      *testing.T
	dir    string
	ended  chan error // of the running keeper
	stop   context.CancelFunc
	starts int
	keeper *Keeper       // the running keeper
	hold   chan struct{} // no keeper ends until it is closed
}

// newRig returns a rig whose keeper is started by the first server.
func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), hold: make(chan struct{})}
	if err := os.Mkdir(filepath.Join(r.dir, "sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	close(r.hold)
	t.Cleanup(func() {
		if r.stop != nil {
			r.stop()
			if err := <-r.ended; err != nil {
				t.Errorf("keeper: %v", err)
			}
		}
	})
	return r
}

// A heldListener is a Listener whose Close waits for hold, so that the keeper cannot end before.
type heldListener struct {
	*localsock.Listener
	hold <-chan struct{}
}

func (l heldListener) Close() error {
	<-l.hold
	return l.Listener.Close()
}

// exit closes the connection that a real keeper keeps until its process ends, after Serve.
func (k *Keeper) exit() {
	if k.last != nil {
		k.last.link.close()
	}
}

// spawn starts a keeper.
func (r *rig) spawn(context.Context) error {
	r.starts++
	if r.ended != nil {
		<-r.ended
	}
	k, err := New(Options{Dir: r.dir})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	l, err := localsock.Listen(ctx, filepath.Join(r.dir, SocketName))
	if err != nil {
		stop()
		return err
	}
	r.stop, r.ended, r.keeper = stop, make(chan error, 1), k
	go func() {
		defer k.exit()
		r.ended <- k.Serve(ctx, heldListener{l, r.hold})
	}()
	return nil
}

// open connects a server.
func (r *rig) open(replace bool) *Owner {
	r.t.Helper()
	o, err := Open(r.t.Context(), OwnerOptions{Dir: r.dir, Spawn: r.spawn, Replace: replace})
	if err != nil {
		r.t.Fatal(err)
	}
	return o
}

// closeOwner ends a server's connection.
func closeOwner(t *testing.T, o *Owner) {
	t.Helper()
	if err := o.Close(); err != nil {
		t.Error(err)
	}
}

// sh starts a shell script.
func (r *rig) sh(o *Owner, id, script string) child.Child {
	r.t.Helper()
	c, err := o.Start(child.Spec{
		ID: id, Path: need.Program(r.t, "sh"), Args: []string{"sh", "-c", script},
		Env: []string{"PATH=/usr/bin:/bin"}, Size: child.Size{Rows: 24, Cols: 80}, State: []byte("begun " + id),
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// readTo reads output until it ends in text, or to its end if text is empty.
func readTo(t *testing.T, c child.Child, text string) []byte {
	t.Helper()
	var b []byte
	for text == "" || !bytes.HasSuffix(b, []byte(text)) {
		e, err := c.Read()
		if err == io.EOF && text == "" {
			return b
		}
		if err != nil {
			t.Fatalf("after %q: %v", b, err)
		}
		if e.Kind == child.Output {
			b = append(b, e.Data...)
		}
	}
	return b
}

// finish kills and closes a child.
func finish(t *testing.T, c child.Child) {
	t.Helper()
	if err := c.End(t.Context(), syscall.SIGKILL, 0); err != nil {
		t.Error(err)
	}
	c.Wait()
	c.Close()
}

// TestTakeOver checks that servers that come and go while a child counts see all of its output
// exactly once: the log up to the beginning of the stream, and then the stream.
func TestTakeOver(t *testing.T) {
	r := newRig(t)
	o := r.open(false)
	c := r.sh(o, "s1", "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo $i; done; echo end; read x; exit 7")
	c.Keep([]byte("kept"))
	for n := 0; ; n++ {
		closeOwner(t, o)
		o = r.open(false)
		all, err := o.TakeOver(t.Context())
		if err != nil || len(all) != 1 || all[0].ID != "s1" || string(all[0].State) != "kept" {
			t.Fatalf("adopted %+v, %v", all, err)
		}
		c = all[0].Child
		seen := r.logged("s1", all[0].LogOffset)
		if int64(len(seen)) != all[0].Total {
			t.Fatalf("the log has %d bytes before the stream, the keeper says %d", len(seen), all[0].Total)
		}
		if !bytes.Contains(seen, []byte("end")) {
			e, err := c.Read()
			if err != nil {
				t.Fatal(err)
			}
			seen = append(seen, e.Data...)
		}
		var want bytes.Buffer
		for i := range 3000 {
			fmt.Fprintf(&want, "%d\r\n", i+1)
		}
		want.WriteString("end\r\n")
		if !bytes.HasPrefix(want.Bytes(), seen) {
			t.Fatalf("server %d saw %q", n, seen[max(0, len(seen)-100):])
		}
		if bytes.HasSuffix(seen, []byte("end\r\n")) {
			break
		}
	}
	// The exit status stays available to later servers.
	if _, err := c.Write(child.Input{Data: []byte("\r")}); err != nil {
		t.Error(err)
	}
	if exit := c.Wait(); exit.Code != 7 {
		t.Errorf("exit %+v", exit)
	}
	closeOwner(t, o)
	o = r.open(false)
	all, err := o.TakeOver(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("adopted %+v, %v", all, err)
	}
	if exit := all[0].Child.Wait(); exit.Code != 7 {
		t.Errorf("exit after a restart: %+v", exit)
	}
	all[0].Child.Close()
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	if err := <-r.ended; err != nil || r.starts != 1 {
		t.Errorf("the keeper ended with %v; %d were started", err, r.starts)
	}
	r.stop()
	r.stop = nil
}

// TestGoneBeforeItsAnswers checks that the keeper keeps what a server has sent even if the server
// leaves before its earlier requests are answered.
func TestGoneBeforeItsAnswers(t *testing.T) {
	r := newRig(t)
	o := r.open(false)
	r.sh(o, "s1", "read x").Keep([]byte("before"))
	closeOwner(t, o)
	conn, err := localsock.Dial(t.Context(), filepath.Join(r.dir, SocketName))
	if err != nil {
		t.Fatal(err)
	}
	l := newLink(conn)
	if err := l.write(message{Body: hello{Version: version, PID: os.Getpid()}}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := l.read(); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if err := l.write(message{Child: 1, Request: uint32(i + 1), Body: attach}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.write(message{Child: 1, Body: state{[]byte("after")}}, nil); err != nil {
		t.Fatal(err)
	}
	l.close()
	l.closeUntaken()
	o = r.open(false)
	all, err := o.TakeOver(t.Context())
	if err != nil || len(all) != 1 || string(all[0].State) != "after" {
		t.Fatalf("adopted %+v, %v", all, err)
	}
	finish(t, all[0].Child)
	if err := o.Close(); err != nil {
		t.Error(err)
	}
}

// logged returns the output in a log before an offset.
func (r *rig) logged(id string, before int64) []byte {
	r.t.Helper()
	store, _ := eventlog.OpenStore(r.dir, id)
	l, err := eventlog.Open(store)
	if err != nil {
		r.t.Fatal(err)
	}
	var b []byte
	for e, err := range l.Events() {
		if err != nil {
			r.t.Fatal(err)
		}
		if e.Kind == eventlog.Output && e.Next <= before {
			b = append(b, e.Data...)
		}
	}
	return b
}

// TestRepeated checks that input that a server repeats is not typed twice if the server before it
// has typed it.
func TestRepeated(t *testing.T) {
	r := newRig(t)
	o := r.open(false)
	c := r.sh(o, "s1", "stty -echo; echo up; while read x; do echo got $x; done")
	readTo(t, c, "up\r\n")
	in := child.Input{Call: "a", Data: []byte("one\r")}
	if n, err := c.Write(in); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	closeOwner(t, o)
	o = r.open(false)
	all, err := o.TakeOver(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c = all[0].Child
	if n, err := c.Write(in); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	if _, err := c.Write(child.Input{Call: "b", Data: []byte("two\r")}); err != nil {
		t.Fatal(err)
	}
	out := append(r.logged("s1", all[0].LogOffset), readTo(t, c, "two\r\n")...)
	if string(out) != "up\r\ngot one\r\ngot two\r\n" {
		t.Errorf("output %q", out)
	}
	finish(t, c)
	_ = o.Close()
}

// TestOneServer checks that a second server is refused with the process ID of the first, and that a
// server that replaces the first gets its children.
func TestOneServer(t *testing.T) {
	r := newRig(t)
	first := r.open(false)
	c := r.sh(first, "s1", "echo up; read x")
	readTo(t, c, "up\r\n")
	_, err := Open(t.Context(), OwnerOptions{Dir: r.dir, Spawn: r.spawn})
	if want := fmt.Sprintf("another server uses the keeper: process %d", os.Getpid()); !errors.Is(err, ErrBusy) || !bytes.Contains([]byte(err.Error()), []byte(want)) {
		t.Errorf("second server: %v", err)
	}
	second := r.open(true)
	<-first.Replaced()
	if _, err := first.Start(child.Spec{}); !errors.Is(err, ErrReplaced) {
		t.Errorf("Start on the replaced server: %v", err)
	}
	if exit := c.Wait(); !exit.Lost {
		t.Errorf("the first server's child: %+v", exit)
	}
	all, err := second.TakeOver(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	finish(t, all[0].Child)
	closeOwner(t, first)
	_ = second.Close()
}

// TestRedactedLogs checks that a server that wants secrets hidden in the logs is refused by a keeper
// that logs them, and that the connected server stays.
func TestRedactedLogs(t *testing.T) {
	r := newRig(t)
	first := r.open(false)
	c := r.sh(first, "s1", "echo up; read x")
	readTo(t, c, "up\r\n")
	if _, err := Open(t.Context(), OwnerOptions{Dir: r.dir, Spawn: r.spawn, Redact: true, Replace: true}); !errors.Is(err, ErrUnredacted) {
		t.Errorf("a server with Redact: %v", err)
	}
	select {
	case <-first.Replaced():
		t.Error("the refused server has replaced the first")
	default:
	}
	finish(t, c)
	_ = first.Close()
}

// TestReplacedBusy checks that the keeper handles everything that a replaced server has sent before
// it tells the next server which children there are.
func TestReplacedBusy(t *testing.T) {
	r := newRig(t)
	first := r.open(false)
	c := r.sh(first, "s1", "echo up; read x")
	readTo(t, c, "up\r\n")
	held := r.keeper.kid(c.(*remote).Number)
	held.mu.Lock() // blocks the keeper at the first of these
	for n := range 100 {
		c.Keep(fmt.Appendf(nil, "state %d", n))
	}
	old := r.keeper.seated()
	second := make(chan *Owner)
	go func() { second <- r.open(true) }()
	for r.keeper.seated() == old {
		runtime.Gosched()
	}
	held.mu.Unlock()
	o := <-second
	all, err := o.TakeOver(t.Context())
	if err != nil || len(all) != 1 || string(all[0].State) != "state 99" {
		t.Fatalf("found %v, %v; want the last state", all, err)
	}
	finish(t, all[0].Child)
	closeOwner(t, first)
	_ = o.Close()
}

// TestTakeOverCancelled checks a TakeOver whose context ends before the keeper has answered, as
// after a signal: the child keeps running, and the next server finds it.
func TestTakeOverCancelled(t *testing.T) {
	r := newRig(t)
	first := r.open(false)
	readTo(t, r.sh(first, "s1", "echo up; read x"), "up\r\n")
	closeOwner(t, first)
	second := r.open(false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	held := r.keeper.kid(1)
	held.mu.Lock() // the keeper cannot answer
	_, err := second.TakeOver(ctx)
	held.mu.Unlock()
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("TakeOver: %v", err)
	}
	other := r.sh(second, "s2", "echo up; read x") // answered after the late answer to TakeOver
	readTo(t, other, "up\r\n")
	finish(t, other)
	closeOwner(t, second)
	third := r.open(false)
	all, err := third.TakeOver(t.Context())
	if err != nil || len(all) != 1 || all[0].ID != "s1" {
		t.Fatalf("found %v, %v; want s1", all, err)
	}
	finish(t, all[0].Child)
	_ = third.Close()
}

// TestByeAndGarbage checks that garbage collection does not close a server's connection before the
// keeper has ended. A keeper takes a while to end if the machine runs many processes, and a server
// that has ended its programs waits for it.
func TestByeAndGarbage(t *testing.T) {
	r := newRig(t)
	r.hold = make(chan struct{})
	o := r.open(false)
	closed := make(chan struct{})
	go func() { defer close(closed); _ = o.Close() }()
	for r.keeper.seated() != nil {
		runtime.Gosched()
	}
	for range 3 {
		finalized(t)
	}
	select {
	case <-o.client.gone:
		t.Error("the connection ended before the keeper")
	default:
	}
	close(r.hold)
	<-closed
}

// finalized collects garbage until an unreferenced connection has been closed.
func finalized(t *testing.T) {
	t.Helper()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(pair[0])
	f := os.NewFile(uintptr(pair[1]), "pair")
	if _, err := net.FileConn(f); err != nil { // not kept, so that the collector closes it
		t.Fatal(err)
	}
	f.Close()
	for {
		runtime.GC()
		if n, _, err := syscall.Recvfrom(pair[0], make([]byte, 1), syscall.MSG_DONTWAIT); n == 0 && err == nil {
			return
		}
		runtime.Gosched()
	}
}

// seated returns the server that the keeper serves.
func (k *Keeper) seated() *peer {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.peer
}

// TestWindow checks that a child waits for a server that reads nothing, and goes on when that
// server is gone: no server can block a child for ever.
func TestWindow(t *testing.T) {
	r := newRig(t)
	o := r.open(false)
	size := 8 * window
	c := r.sh(o, "s1", fmt.Sprintf("stty raw; head -c %d /dev/zero; echo done; read x", size))
	limit := time.After(30 * time.Second)
	for !c.Ahead(window - 1) { // the first read
		select {
		case <-limit:
			t.Fatal("no output")
		default:
		}
	}
	if err := c.Resize(child.Size{Rows: 10, Cols: 10}); err != nil { // answered even so
		t.Error(err)
	}
	if total := c.(*remote).gauge.Total(); total > window+64<<10 {
		t.Errorf("%d bytes ahead of a server that reads nothing", total)
	}
	closeOwner(t, o)
	o = r.open(false)
	all, err := o.TakeOver(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := int(all[0].Total)
	for n < size+5 {
		e, err := all[0].Child.Read()
		if err != nil {
			t.Fatal(err)
		}
		n += len(e.Data)
	}
	finish(t, all[0].Child)
	_ = o.Close()
}

// TestKeeperGone checks that a server whose keeper ends sees its children as lost or hung up, and
// gets a new keeper for its next child.
func TestKeeperGone(t *testing.T) {
	r := newRig(t)
	o := r.open(false)
	c := r.sh(o, "s1", "read x")
	r.stop()
	if exit := c.Wait(); !exit.Lost && exit.Code != 128+int(syscall.SIGHUP) {
		t.Errorf("exit %+v", exit)
	}
	if _, err := c.Read(); err != io.EOF {
		t.Errorf("Read: %v", err)
	}
	o.mu.Lock()
	gone := o.client.gone
	o.mu.Unlock()
	<-gone
	if _, err := c.Write(child.Input{Data: []byte("x")}); !errors.Is(err, child.ErrLost) {
		t.Errorf("Write: %v", err)
	}
	d := r.sh(o, "s2", "echo up; read x")
	readTo(t, d, "up\r\n")
	if r.starts != 2 {
		t.Errorf("%d keepers were started", r.starts)
	}
	finish(t, d)
	_ = o.Close()
}

// TestStrangers checks that the keeper hangs up on clients that do not speak its protocol, and that
// its server and children are not affected.
func TestStrangers(t *testing.T) {
	r := newRig(t)
	o := r.open(false)
	c := r.sh(o, "s1", "echo up; read x")
	readTo(t, c, "up\r\n")
	for _, say := range []string{"", "GET / HTTP/1.1\r\n\r\n", "\xff\xff\xff\xff\x01", "\xfc\x3f\xff\xff\xff\x01", "\x00\x00\x00\x15\x01aaaabbbbcccccccc{}"} {
		conn, err := localsock.Dial(t.Context(), filepath.Join(r.dir, SocketName))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, say); err != nil {
			t.Error(err)
		}
		_ = conn.CloseWrite()
		if _, err := io.ReadAll(conn); err != nil && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%q: %v", say, err)
		}
		_ = conn.Close()
	}
	if _, err := c.Write(child.Input{Data: []byte("\r")}); err != nil {
		t.Error(err)
	}
	c.Wait()
	c.Close()
	_ = o.Close()
}

// TestVersion checks that a server of another version is told the keeper's version, and does not
// disturb the keeper.
func TestVersion(t *testing.T) {
	r := newRig(t)
	o := r.open(false)
	conn, err := localsock.Dial(t.Context(), filepath.Join(r.dir, SocketName))
	if err != nil {
		t.Fatal(err)
	}
	l := newLink(conn)
	defer l.close()
	if err := l.write(message{Body: hello{Version: version + 1}}, nil); err != nil {
		t.Fatal(err)
	}
	m, err := l.read()
	if w, ok := m.Body.(welcome); err != nil || !ok || w.Version != version {
		t.Errorf("%+v, %v", m, err)
	}
	c := r.sh(o, "s1", "exit 3")
	if exit := c.Wait(); exit.Code != 3 {
		t.Errorf("exit %+v", exit)
	}
	c.Close()
	_ = o.Close()
}

// TestMany checks many children that are started at the same time.
func TestMany(t *testing.T) {
	r := newRig(t)
	o := r.open(false)
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			c := r.sh(o, fmt.Sprintf("s%d", n), fmt.Sprintf("stty -echo; echo up; read x; echo $x; exit %d", n))
			readTo(t, c, "up\r\n")
			if _, err := c.Write(child.Input{Data: fmt.Appendf(nil, "hello %d\r", n)}); err != nil {
				t.Error(err)
			}
			if got := string(readTo(t, c, "")); got != fmt.Sprintf("hello %d\r\n", n) {
				t.Errorf("%d: %q", n, got)
			}
			if exit := c.Wait(); exit.Code != n {
				t.Errorf("%d: %+v", n, exit)
			}
			c.Close()
		})
	}
	all.Wait()
	_ = o.Close()
}
