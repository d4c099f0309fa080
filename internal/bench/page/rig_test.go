package page

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session"
)

// A rig is a page and its sessions. Two people see the page under /ann/ and /bob/, and under
// /eve/ a person who may only watch.
type rig struct {
	mgr     *session.Manager
	page    atomic.Pointer[live.Server]
	restart func()      // replaces the page's server by a new one
	barred  atomic.Bool // no visitor is let in
	fleet   live.Fleet  // used by restart for the page's server
	conns   connections
	url     string
	dir     string // working directory of the programs
}

// newRig serves a page until the test ends.
func newRig(t *testing.T) *rig {
	t.Helper()
	checker, err := danger.New(strings.NewReader("deny word /forbidden/ names what is forbidden"))
	if err != nil {
		t.Fatal(err)
	}
	return rigOf(t, session.NewManager(session.Options{Danger: checker}))
}

// rigOf is like newRig with a given Manager, which it closes.
func rigOf(t *testing.T, mgr *session.Manager) *rig {
	t.Helper()
	r := &rig{mgr: mgr, dir: t.TempDir()}
	t.Cleanup(func() {
		if err := mgr.Close(); err != nil {
			t.Error(err)
		}
	})
	visitor := func(req *http.Request) (live.Visitor, error) {
		name := req.Header.Get("X-Person")
		if name == "" || r.barred.Load() {
			return live.Visitor{}, live.ErrVisitor
		}
		return live.Visitor{Person: session.Person{ID: name, Name: name}, MayType: name != "eve"}, nil
	}
	r.restart = func() {
		if old := r.page.Swap(live.New(live.Options{Manager: mgr, Visitor: visitor, Fleet: r.fleet})); old != nil {
			old.Close()
		}
	}
	r.restart()
	mux := http.NewServeMux()
	for _, name := range []string{"ann", "bob", "eve"} {
		mux.HandleFunc("/"+name+"/", func(w http.ResponseWriter, req *http.Request) {
			req.Header.Set("X-Person", name)
			http.StripPrefix("/"+name, r.page.Load()).ServeHTTP(w, req)
		})
	}
	srv := httptest.NewUnstartedServer(mux)
	r.conns.Listener = srv.Listener
	srv.Listener = &r.conns
	srv.Start()
	t.Cleanup(srv.Close)
	t.Cleanup(func() { r.page.Load().Close() })
	r.url = srv.URL
	return r
}

// start starts a program in a session of 24 rows and 80 columns.
func (r *rig) start(t *testing.T, command string, args ...string) *session.Session {
	t.Helper()
	s, err := r.mgr.Start(t.Context(), session.StartOptions{
		Command: need.Program(t, command), Args: args, Name: command, Dir: r.dir,
		Env:  map[string]string{"PS1": "$ ", "HOME": t.TempDir(), "LC_ALL": "C.UTF-8"},
		Size: emulator.Size{Rows: 24, Cols: 80},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// connections is a listener that remembers its connections.
type connections struct {
	net.Listener

	mu  sync.Mutex // guards all
	all []net.Conn

	frozen sync.RWMutex // held while the connections are frozen
}

// A stoppable connection transfers nothing while its listener is frozen, like the connections
// of a stopped server.
type stoppable struct {
	net.Conn
	frozen *sync.RWMutex
}

func (c *stoppable) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.frozen.RLock()
	defer c.frozen.RUnlock()
	return n, err
}

func (c *stoppable) Write(p []byte) (int, error) {
	c.frozen.RLock()
	defer c.frozen.RUnlock()
	return c.Conn.Write(p)
}

// Accept accepts a connection.
func (c *connections) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.all = append(c.all, conn)
		conn = &stoppable{conn, &c.frozen}
	}
	return conn, err
}

// cut closes all connections, as a network failure does.
func (c *connections) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.all {
		_ = conn.Close() // some are already closed
	}
	c.all = nil
}
