package session

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/keeper"
	"github.com/glasstty/glasstty/session/state"
)

// A house is a keeper in this process and the Managers that use it one after another.
type house struct {
	t     testing.TB
	dir   string
	stop  context.CancelFunc
	ended chan error
	owner *keeper.Owner
	opt   Options // of its Managers
	// saveStates makes the keeper begin a segment after each piece of output, and restart save
	// the state at the beginning of the last one.
	saveStates bool
	m          *Manager
}

// A processListener is the Listener of a keeper in this process. It closes its connections when the
// keeper ends, as the end of a process does.
type processListener struct {
	*localsock.Listener
	conns []*net.UnixConn
}

func (l *processListener) Accept() (*net.UnixConn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		l.conns = append(l.conns, conn)
	}
	return conn, err
}

// exit closes the connections after Serve.
func (l *processListener) exit() {
	for _, c := range l.conns {
		c.Close()
	}
}

// newHouse returns a house with its first Manager.
func newHouse(t testing.TB) *house { return houseOf(t, false) }

// houseOf returns a house with its first Manager.
func houseOf(t testing.TB, saveStates bool) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir(), saveStates: saveStates}
	if err := os.Mkdir(filepath.Join(h.dir, "sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	h.open()
	t.Cleanup(func() {
		if err := h.m.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		h.stop()
		if err := <-h.ended; err != nil {
			t.Errorf("keeper: %v", err)
		}
	})
	return h
}

// spawn starts a keeper once the previous one has ended.
func (h *house) spawn(context.Context) error {
	if h.ended != nil {
		if err := <-h.ended; err != nil {
			return err
		}
	}
	o := keeper.Options{Dir: h.dir}
	if h.saveStates {
		o.Log.SegmentBytes = 1
	}
	k, err := keeper.New(o)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	l, err := localsock.Listen(ctx, filepath.Join(h.dir, keeper.SocketName))
	if err != nil {
		stop()
		return err
	}
	h.stop, h.ended = stop, make(chan error, 1)
	served := &processListener{Listener: l}
	go func() {
		defer served.exit()
		h.ended <- k.Serve(ctx, served)
	}()
	return nil
}

// leave closes the Manager and leaves its programs running.
func (h *house) leave() {
	h.t.Helper()
	if err := h.m.Leave(); err != nil {
		h.t.Fatal(err)
	}
}

// open creates a Manager and lets it take over the running programs.
func (h *house) open() {
	h.t.Helper()
	var err error
	h.owner, err = keeper.Open(h.t.Context(), keeper.OwnerOptions{Dir: h.dir, Spawn: h.spawn})
	if err != nil {
		h.t.Fatal(err)
	}
	o := h.opt
	o.Children, o.Outlive = h.owner, true
	h.m = NewManager(o)
	found, err := h.owner.TakeOver(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	if err := h.m.TakeOver(found, nil); err != nil {
		h.t.Fatal(err)
	}
}

// restart replaces the Manager and returns its session with the given ID.
func (h *house) restart(id string) *Session {
	h.t.Helper()
	if h.saveStates {
		h.saveState(id)
	}
	h.leave()
	h.open()
	s, err := h.m.Session(id)
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

// saveState saves a session's state at the beginning of the last segment, as the session does if
// no call is typing when the segment begins.
func (h *house) saveState(id string) {
	h.t.Helper()
	s, err := h.m.Session(id)
	if err != nil {
		h.t.Fatal(err)
	}
	for limit := time.Now().Add(patience); time.Now().Before(limit); {
		s.log.states.wait()
		l, err := eventlog.Open(s.child.Log())
		if err != nil {
			h.t.Fatal(err)
		}
		last := l.Segments[len(l.Segments)-1]
		s.mu.Lock()
		parts, err := s.state.Encode()
		due := s.queue.Idle() && s.state.Raw.Total == last.Output
		s.mu.Unlock()
		if err == nil && due {
			err = eventlog.SaveState(s.child.Log(), last.Offset, parts)
		}
		if err != nil {
			h.t.Fatal(err)
		}
		if due {
			return
		}
	}
	h.t.Fatal("the state cannot be saved")
}

// withSavedStates runs a test twice: with sessions that are rebuilt from their whole logs, and from
// saved states.
func withSavedStates(t *testing.T, test func(*testing.T, *house)) {
	for name, saveStates := range map[string]bool{"log": false, "saved state": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, houseOf(t, saveStates))
		})
	}
}

// TestServerRestarts checks that a restart of the server in the middle of a shell's life changes
// nothing in the session.
func TestServerRestarts(t *testing.T) {
	t.Parallel()
	need.Program(t, "bash")
	withSavedStates(t, testServerRestarts)
}

func testServerRestarts(t *testing.T, h *house) {
	s, r := launch(t, h.m, "bash", "--norc")
	if r.Reason != detect.Prompt {
		t.Fatalf("start: %s %+v", r.Reason, r.Explain)
	}
	expect(t, say(t, s, "echo one; x=5"), detect.Prompt, "one")
	expect(t, say(t, s, `printf '\e[31mred\e[0m\n\e]0;title\a'; seq 50`), detect.Prompt, "red\n"+numbers(1, 50))
	second, err := s.AddReader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Resize(30, 90); err != nil {
		t.Fatal(err)
	}
	exchange(t, s, Input{Text: "sleep 0.3; echo unread", Enter: true}, Wait{Until: UntilNone})
	for range 2 { // a second restart makes no difference
		s.mu.Lock()
		offset := s.state.Raw.Total
		s.mu.Unlock()
		before, messages := s.Info(), messageList(t, s)
		s = h.restart(s.ID())
		after := s.Info()
		if before.PID != after.PID || before.Name != after.Name || !slices.Equal(before.Readers, after.Readers) ||
			before.Size != after.Size || after.Status != StatusRunning || !before.CreatedAt.Equal(after.CreatedAt) || after.Title != before.Title {
			t.Errorf("before %+v\nafter  %+v", before, after)
		}
		if got := messageList(t, s); !strings.HasPrefix(strings.Join(got, "|"), strings.Join(messages[:len(messages)-1], "|")) {
			t.Errorf("messages before %q\nafter %q", messages, got)
		}
		if after.BytesOut < offset {
			t.Errorf("BytesOut %d after the restart, want at least %d", after.BytesOut, offset)
		}
	}
	r = exchange(t, s, Input{}, Wait{Pattern: literal("unread\n"), Timeout: patience})
	r2 := exchange(t, s, Input{}, Wait{Timeout: patience, Explain: true})
	if got := r.Output + r2.Output; !strings.HasPrefix(got, "unread") || r2.Reason != detect.Prompt {
		t.Errorf("after the restart %q, %s %+v", got, r2.Reason, r2.Explain)
	}
	if len(r.Notes) == 0 || !strings.Contains(r.Notes[0], "the server was restarted") {
		t.Errorf("notes %q", r.Notes)
	}
	expect(t, say(t, s, "echo $x"), detect.Prompt, "5")
	all := exchange(t, s, Input{}, Wait{Timeout: patience, Reader: second, MaxOutputChars: 1 << 20})
	if want := "one\nred\n" + numbers(1, 50) + "\nunread\n5"; all.Output != want {
		t.Errorf("the second reader got %q, want %q", all.Output, want)
	}
	r = exchange(t, s, Input{Text: "exit 3", Enter: true}, Wait{Until: UntilExit, Timeout: patience})
	if r.ExitCode == nil || *r.ExitCode != 3 {
		t.Errorf("exit: %+v", r)
	}
	s = h.restart(s.ID())
	<-s.loops.exited
	if info := s.Info(); info.ExitCode == nil || *info.ExitCode != 3 || info.Status != StatusExited {
		t.Errorf("exit after a restart: %+v", info)
	}
	if err := h.m.Delete(s.ID()); err != nil {
		t.Error(err)
	}
	next, err := h.m.Start(t.Context(), StartOptions{Command: need.Program(t, "cat")})
	if err != nil || next.ID() != "s2" {
		t.Errorf("the next session: %v, %v", next, err)
	}
}

// TestReadersAtOnce checks that a reader registered right before a restart is still there, and that
// a reader removed right before one is not.
func TestReadersAtOnce(t *testing.T) {
	h := newHouse(t)
	s, err := h.m.Start(t.Context(), StartOptions{Command: need.Program(t, "cat")})
	if err != nil {
		t.Fatal(err)
	}
	id, err := s.AddReader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s = h.restart(s.ID())
	if _, _, err := s.Read(t.Context(), ReadOptions{}, Wait{Until: UntilNone, Reader: id}, nil); err != nil {
		t.Errorf("read with the registered reader: %v", err)
	}
	if err := s.RemoveReader(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	s = h.restart(s.ID())
	if err := s.RemoveReader(t.Context(), id); !errors.Is(err, ErrNoReader) {
		t.Errorf("remove the removed reader: error %v, want ErrNoReader", err)
	}
	if next, err := s.AddReader(t.Context()); next != id+1 || err != nil {
		t.Errorf("the next reader is %d, %v; want %d", next, err, id+1)
	}
}

// messageList returns a session's messages.
func messageList(t *testing.T, s *Session) []string {
	t.Helper()
	list, _, err := s.Messages("", state.MaxMessages)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range list {
		out = append(out, fmt.Sprint(m.ID, m.Type, m.Size))
	}
	return out
}

// TestCallAgain checks that calls repeated because the server restarted before it could answer type
// nothing twice, lose no output and start no program twice.
func TestCallAgain(t *testing.T) {
	t.Parallel()
	need.Program(t, "sh")
	withSavedStates(t, testCallAgain)
}

func testCallAgain(t *testing.T, h *house) {
	start := StartOptions{Command: "sh", Args: []string{"-c", "stty -echo; n=0; while read x; do n=$((n+1)); echo $n $x; done"}}
	named := WithCall(t.Context(), "c1")
	s, err := h.m.Start(named, start)
	if err != nil {
		t.Fatal(err)
	}
	say := func(ctx context.Context, text string) string {
		t.Helper()
		r, err := s.Exchange(ctx, Input{Text: text, Enter: true}, Wait{Pattern: literal(text), Timeout: patience}, nil)
		if err != nil {
			t.Fatal(err)
		}
		rest, err := s.Exchange(t.Context(), Input{}, Wait{Until: UntilNone}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(r.Output + rest.Output)
	}
	_ = exchange(t, s, Input{}, Wait{Timeout: patience})
	if got := say(WithCall(t.Context(), "c2"), "one"); got != "1 one" {
		t.Errorf("got %q", got)
	}
	// The answer to c3 is lost.
	r, err := s.Exchange(WithCall(t.Context(), "c3"), Input{Text: "two", Enter: true}, Wait{Timeout: patience}, nil)
	if err != nil || r.Output != "2 two" {
		t.Fatalf("%+v, %v", r, err)
	}
	s = h.restart(s.ID())
	again, err := s.Exchange(WithCall(t.Context(), "c3"), Input{Text: "two", Enter: true}, Wait{Timeout: patience, Explain: true}, nil)
	if err != nil || again.Output != r.Output || again.Reason != r.Reason {
		t.Errorf("again %q %s %+v, first %q %s, %v", again.Output, again.Reason, again.Explain, r.Output, r.Reason, err)
	}
	if got := say(WithCall(t.Context(), "c4"), "three"); got != "3 three" {
		t.Errorf("got %q", got)
	}
	if other, err := h.m.Start(named, start); err != nil || other != s {
		t.Errorf("start again: %v, %v", other, err)
	}
}

// TestTurnsOutlive checks that after a restart of the server a person still holds the keyboard, a
// command still waits for confirmation and an unread note is still delivered.
func TestTurnsOutlive(t *testing.T) {
	t.Parallel()
	need.Program(t, "bash")
	withSavedStates(t, testTurnsOutlive)
}

func testTurnsOutlive(t *testing.T, h *house) {
	h.opt.Danger = new(danger.Checker)
	h.m.opt.Danger = h.opt.Danger
	s, _ := launch(t, h.m, "bash", "--norc")
	ann, bob := Person{ID: "ann", Name: "Ann"}, Person{ID: "bob", Name: "Bob"}
	const dangerous = "rm -rf /glasstty-test/*"
	if _, err := s.Exchange(t.Context(), Input{Text: dangerous, Enter: true}, Wait{}, nil); !isHeld(err) {
		t.Fatalf("%q: %v", dangerous, err)
	}
	if err := s.As(ann).TakeOver(false); err != nil {
		t.Fatal(err)
	}
	s = h.restart(s.ID())
	k := s.Facts().Keyboard
	if k.State != KeyboardHeld || k.By != ann || k.FreeAt.IsZero() {
		t.Errorf("the keyboard after a restart: %+v", k)
	}
	if err := s.As(bob).TakeOver(false); !errors.Is(err, ErrNoKeyboard) {
		t.Errorf("takeover by another person: error %v, want ErrNoKeyboard", err)
	}
	leave := s.As(ann).Attend()
	defer leave()
	if k := s.Facts().Keyboard; !k.FreeAt.IsZero() {
		t.Errorf("the keyboard after Ann's return: %+v", k)
	}
	if held := s.Held(); len(held) != 1 || held[0].Text != dangerous || len(held[0].Why) == 0 {
		t.Errorf("held after a restart: %+v", held)
	}
	if err := s.As(ann).GiveBack("mind the gap", false); err != nil {
		t.Fatal(err)
	}
	s = h.restart(s.ID())
	if k := s.Facts().Keyboard; k.State != KeyboardFree {
		t.Errorf("the keyboard after a restart: %+v, want it free", k)
	}
	r, err := confirm(t, s, dangerous, false, Wait{Timeout: patience, Explain: true})
	if err != nil || r.Reason != detect.Prompt {
		t.Fatalf("confirm: %+v, %v", r, err)
	}
	notes := strings.Join(r.Notes, "\n")
	if strings.Count(notes, "the server was restarted") != 2 || !strings.Contains(notes, "mind the gap") {
		t.Errorf("notes %q", r.Notes)
	}
	// Notes that were delivered are not delivered again, and new ones are.
	s = h.restart(s.ID())
	r = exchange(t, s, Input{}, Wait{Timeout: patience})
	if notes := strings.Join(r.Notes, "\n"); strings.Count(notes, "the server was restarted") != 1 || strings.Contains(notes, "gap") {
		t.Errorf("notes after a further restart %q", r.Notes)
	}
	if again := say(t, s, "x=rm"); again.Reason != detect.Prompt {
		t.Errorf("%+v", again)
	}
	s = h.restart(s.ID())
	if _, err := s.Exchange(t.Context(), Input{Text: "$x -rf /glasstty-test/*", Enter: true}, Wait{}, nil); !isHeld(err) {
		t.Errorf("the danger check has lost the value of x: %v", err)
	}
	if err := s.As(ann).Refuse("$x -rf /glasstty-test/*"); err != nil {
		t.Fatal(err)
	}
	s = h.restart(s.ID())
	if a := s.Facts().Answers; len(a) != 1 || a[0].By != "Ann" || a[0].Allowed || a[0].At.IsZero() {
		t.Errorf("answers after a restart: %+v", a)
	}
}

// isHeld reports whether the danger check has held input.
func isHeld(err error) bool {
	var held *HeldError
	return errors.As(err, &held)
}

// TestLost checks that a session whose keeper has ended is not running and accepts no input.
func TestLost(t *testing.T) {
	h := newHouse(t)
	s, _ := launch(t, h.m, "cat")
	h.stop()
	<-s.loops.exited
	r := exchange(t, s, Input{}, Wait{Timeout: patience})
	if r.Status == StatusRunning {
		t.Errorf("%+v", r)
	}
	_, err := s.Type(t.Context(), Input{Text: "x"})
	if err == nil {
		t.Error("typed to a lost session")
	}
	select {
	case <-h.ended:
		h.ended <- nil
	case <-time.After(patience):
		t.Error("the keeper has not ended")
	}
}

// TestLastActivityStays checks that a restart of the server does not count as activity.
func TestLastActivityStays(t *testing.T) {
	t.Parallel()
	for _, saveStates := range []bool{false, true} {
		h := houseOf(t, saveStates)
		s, _ := launch(t, h.m, need.Program(t, "sh"), "-c", "stty -echo; echo up; read x; printf got; read x")
		exchange(t, s, Input{Text: "hello", Enter: true}, Wait{Pattern: literal("got"), Timeout: patience})
		for s.Info().BytesIn == 0 {
			runtime.Gosched() // BytesIn grows after the input is written
		}
		before := time.Now()
		if got := h.restart(s.ID()).Info().LastActivity; got.After(before) || !got.After(s.created) {
			t.Errorf("saved states %v: begun at %v, after a restart at %v the last activity is at %v", saveStates, s.created, before, got)
		}
	}
}

// TestActivityToCome checks that LastActivity is never in the future, even if a damaged log says
// so.
func TestActivityToCome(t *testing.T) {
	h := newHouse(t)
	s, _ := launch(t, h.m, "cat")
	s.mu.Lock()
	s.state.Activity = time.Now().Add(time.Hour)
	s.mu.Unlock()
	if at := s.Info().LastActivity; at.After(time.Now()) {
		t.Errorf("the last activity was at %v", at)
	}
}

// TestEndStays checks that if a program's end was reported before a restart, the next server knows
// at once when the program ended.
func TestEndStays(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for range need.Few(t, 5, 20) {
		s, err := h.m.Start(t.Context(), StartOptions{Command: need.Program(t, "cat")})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Terminate(t.Context(), TerminateOptions{Force: true}); err != nil {
			t.Fatal(err)
		}
		before := time.Now()
		if at := h.restart(s.ID()).Info().LastActivity; at.After(before) {
			t.Fatalf("it ended at %v, after a restart at %v", at, before)
		}
		if err := h.m.Delete(s.ID()); err != nil {
			t.Fatal(err)
		}
	}
}
