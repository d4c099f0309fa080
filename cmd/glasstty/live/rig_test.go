package live

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session"
)

// patience is how long a client and a program may take together.
const patience = 30 * time.Second

// A rig is a server of pages and the sessions that it shows. Two people see them under
// /ann/ and /bob/. Under /eve/, a person may only watch.
type rig struct {
	mgr  *session.Manager
	page *Server
	url  string
}

// newRig serves pages until the test ends.
func newRig(t *testing.T) *rig {
	t.Helper()
	return rigWith(t, Options{})
}

// rigWith is newRig with options. It creates a Manager unless o has one.
func rigWith(t *testing.T, o Options) *rig {
	t.Helper()
	checker, err := danger.New(strings.NewReader("deny word /forbidden/ names what is forbidden"))
	if err != nil {
		t.Fatal(err)
	}
	if o.Manager == nil {
		o.Manager = session.NewManager(session.Options{Danger: checker})
	}
	t.Cleanup(func() {
		if err := o.Manager.Close(); err != nil {
			t.Error(err)
		}
	})
	o.Visitor = func(req *http.Request) (Visitor, error) {
		name := req.Header.Get("X-Person")
		if name == "" {
			return Visitor{}, ErrVisitor
		}
		return Visitor{Person: session.Person{ID: name, Name: name}, MayType: name != "eve"}, nil
	}
	r := &rig{mgr: o.Manager, page: New(o)}
	mux := http.NewServeMux()
	for _, name := range []string{"ann", "bob", "eve"} {
		mux.HandleFunc("/"+name+"/", func(w http.ResponseWriter, req *http.Request) {
			req.Header.Set("X-Person", name)
			http.StripPrefix("/"+name, r.page).ServeHTTP(w, req)
		})
	}
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	t.Cleanup(r.page.Close)
	r.url = srv.URL
	return r
}

// start starts a program in a session of 24 rows and 80 columns.
func (r *rig) start(t *testing.T, command string, args ...string) *session.Session {
	t.Helper()
	s, err := r.mgr.Start(t.Context(), session.StartOptions{
		Command: need.Program(t, command), Args: args, Name: command, Dir: t.TempDir(),
		Env:  map[string]string{"PS1": "$ ", "HOME": t.TempDir(), "LC_ALL": "C.UTF-8"},
		Size: emulator.Size{Rows: 24, Cols: 80},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// agentTypes types a line as a tool call does and returns the reply.
func agentTypes(t *testing.T, s *session.Session, line string) (*session.Reply, error) {
	t.Helper()
	return s.Exchange(t.Context(), session.Input{Text: line, Enter: true}, session.Wait{Timeout: patience / 2}, nil)
}
