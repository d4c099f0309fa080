package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session/eventlog"
)

// killsVar says how often TestSurvive kills the server:
//
//	GLASSTTY_KILLS=200 go test -run TestSurvive -timeout 30m -v ./cmd/glasstty
const killsVar = "GLASSTTY_KILLS"

// defaultKills is how often TestSurvive kills the server without killsVar.
const defaultKills = 5

// longestLife is the longest time a server runs before it is killed. Some are killed while
// they take over from the previous one.
const longestLife = 600 * time.Millisecond

// TestSurvive kills the server at random moments while clients type into programs that
// count. It checks that no byte of output is missing or duplicated in what the clients
// have read, in the history and in the log, and that nothing was typed twice.
func TestSurvive(t *testing.T) {
	t.Parallel()
	need.Program(t, "sh")
	kills := defaultKills
	if text := os.Getenv(killsVar); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	d := newDaemonRig(t)
	stop := make(chan struct{})
	var all sync.WaitGroup
	typists := make([]*typist, 3)
	for i := range typists {
		typists[i] = newTypist(d, i)
		all.Go(func() { typists[i].work(stop) })
	}
	count := newCounter(d)
	all.Go(func() { count.work(stop) })
	d.killServers(kills)
	close(stop)
	all.Wait()
	for _, w := range typists {
		w.check()
	}
	count.check()
	t.Logf("%d kills; %d lines typed by %d clients, %d lines counted", kills, typists[0].typed+typists[1].typed+typists[2].typed, len(typists), len(count.lines))
}

// killServers kills the server and starts another one, n times. The clients start the last
// one.
func (d *daemonRig) killServers(n int) {
	d.t.Helper()
	for i := range n {
		time.Sleep(rand.N(longestLife))
		for killed := false; !killed; {
			// The server that has the lock is the last one started here, or one that a
			// client has started.
			d.await("a server", func() bool { return d.server() > 0 })
			err := kill(d.server(), syscall.SIGKILL)
			if killed = err == nil; err != nil && !errors.Is(err, syscall.ESRCH) {
				d.t.Errorf("kill %d: %v", i, err)
				return
			}
		}
		if i == n-1 {
			return
		}
		cmd := exec.Command(binary, "serve", "--no-http", "--socket", filepath.Join(d.home, "socket"), "--data-dir", filepath.Join(d.home, "data"))
		cmd.Env = append(os.Environ(), markVar+"="+d.mark, "HOME="+d.home, "LANG=C.UTF-8")
		cmd.Dir = d.home
		if err := cmd.Start(); err != nil {
			d.t.Error(err)
			return
		}
		go func() { _ = cmd.Wait() }() // it is killed, or another server was faster
	}
}

// A typist types lines into a program that numbers them.
type typist struct {
	d     *daemonRig
	a     *agent
	id    string
	name  string
	typed int
	read  []string
}

func newTypist(d *daemonRig, n int) *typist {
	w := &typist{d: d, a: d.client(d.home), name: fmt.Sprintf("w%d", n)}
	w.id = w.a.call("start_process", args{
		"command": "sh", "name": w.name,
		"args": []string{"-c", `stty -echo; n=0; while read x; do n=$((n+1)); echo "$n $x"; done`},
	}).SessionID
	return w
}

// work types until stop is closed.
func (w *typist) work(stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		w.typed++
		token := fmt.Sprintf("%s-%d", w.name, w.typed)
		r, err := w.a.try("send_and_read", args{"session_id": w.id, "text": token, "press_enter": true, "wait_for": token + "$", "timeout": 30})
		if err != nil {
			w.d.t.Errorf("%s: %v", token, err)
			return
		}
		w.read = append(w.read, lines(r.Output)...)
	}
}

// check compares what was read, the history and the log with what was typed.
func (w *typist) check() {
	t := w.d.t
	var want []string
	for n := range w.typed {
		want = append(want, fmt.Sprintf("%d %s-%d", n+1, w.name, n+1))
	}
	same(t, w.name+" has read", w.read, want)
	w.d.checkKept(w.a, w.id, want)
	if err := w.a.session.Close(); err != nil {
		t.Errorf("a client ended with %v", err)
	}
}

// checkKept compares a session's history, screen and log with its output.
func (d *daemonRig) checkKept(a *agent, id string, want []string) {
	d.t.Helper()
	r := a.call("read_output", args{"session_id": id, "from_line": 0, "max_output_chars": 10_000_000})
	same(d.t, id+"'s history", lines(r.Output), want[max(0, len(want)-len(lines(r.Output))):])
	screen := lines(a.call("snapshot", args{"session_id": id}).Screen)
	same(d.t, id+"'s screen", screen, want[max(0, len(want)-len(screen)):])
	l, err := eventlog.Open(eventlog.DirStore(filepath.Join(d.home, "data", "sessions", id)))
	if err != nil {
		d.t.Error(err)
		return
	}
	var logged bytes.Buffer
	for e, err := range l.Events() {
		if err != nil {
			d.t.Error(err)
		}
		if e.Kind == eventlog.Output {
			logged.Write(e.Data)
		}
	}
	if want := strings.Join(want, "\r\n") + "\r\n"; logged.String() != want {
		d.t.Errorf("%s's log has %d bytes, want %d", id, logged.Len(), len(want))
	}
}

// lines returns the lines of a text, or nil if it is empty.
func lines(text string) []string {
	if text = strings.TrimRight(text, "\n"); text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// same reports the first difference.
func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Errorf("%s: %d lines, want %d; from line %d: %q, want %q", what, len(got), len(want), i,
				got[min(i, len(got)):min(i+3, len(got))], want[min(i, len(want)):min(i+3, len(want))])
			return
		}
	}
}

// A counter reads the output of a program that counts, whether or not it is read.
type counter struct {
	d     *daemonRig
	a     *agent
	id    string
	lines []string
}

func newCounter(d *daemonRig) *counter {
	c := &counter{d: d, a: d.client(d.home)}
	r := c.a.call("start_process", args{
		"command": "sh", "name": "count", "until": "none",
		"args": []string{"-c", `i=0; while [ ! -e stop ]; do i=$((i+1)); echo $i; sleep 0.01; done`}, "cwd": d.home,
	})
	c.id, c.lines = r.SessionID, lines(r.InitialOutput)
	return c
}

// work reads until stop is closed, and then to the program's end.
func (c *counter) work(stop chan struct{}) {
	for ended := false; !ended; {
		select {
		case <-stop:
			if err := os.WriteFile(filepath.Join(c.d.home, "stop"), nil, 0o600); err != nil {
				c.d.t.Error(err)
			}
		default:
		}
		r, err := c.a.try("read_output", args{"session_id": c.id, "timeout": 5, "max_output_chars": 1_000_000})
		if err != nil {
			c.d.t.Errorf("count: %v", err)
			return
		}
		c.lines = append(c.lines, lines(r.Output)...)
		ended = r.Status == "exited"
	}
	r, err := c.a.try("read_output", args{"session_id": c.id, "until": "none", "max_output_chars": 1_000_000})
	if err != nil {
		c.d.t.Error(err)
	}
	c.lines = append(c.lines, lines(r.Output)...)
}

// check checks that the lines read are the numbers from 1 on, in what was read, the
// history and the log.
func (c *counter) check() {
	want := make([]string, len(c.lines))
	for i := range want {
		want[i] = strconv.Itoa(i + 1)
	}
	same(c.d.t, "the counter has read", c.lines, want)
	c.d.checkKept(c.a, c.id, want)
	if err := c.a.session.Close(); err != nil {
		c.d.t.Errorf("a client ended with %v", err)
	}
}
