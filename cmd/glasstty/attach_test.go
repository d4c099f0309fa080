package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session"
)

// An attached test has a session, and a shell in an emulator of ours from which a person
// attaches to the session.
type attached struct {
	t           *testing.T
	mgr, own    *session.Manager // the server's sessions, and the person's
	page        *livePage
	inner, desk *session.Session
	socket      string
}

// newAttached starts both. The shell's terminal has the size desk, which should leave room
// for the session and the status line.
func newAttached(t *testing.T, desk emulator.Size, command string, args ...string) *attached {
	t.Helper()
	a := &attached{t: t}
	a.mgr, a.page, a.socket = watched(t)
	a.own = guestManager()
	t.Cleanup(func() {
		if err := a.own.Close(); err != nil {
			t.Error(err)
		}
	})
	a.inner = a.start(a.mgr, "inner", emulator.Size{Rows: 24, Cols: 80}, command, args...)
	a.desk = a.start(a.own, "desk", desk, "bash", "--norc")
	return a
}

// start starts a program and waits until it is ready.
func (a *attached) start(m *session.Manager, name string, size emulator.Size, command string, args ...string) *session.Session {
	a.t.Helper()
	s, err := m.Start(a.t.Context(), session.StartOptions{
		Command: need.Program(a.t, command), Args: args, Name: name, Dir: a.t.TempDir(), Size: size, NoMarks: true,
		Env: map[string]string{"PS1": "$ ", "HOME": a.t.TempDir(), "LC_ALL": "C.UTF-8"},
	})
	if err != nil {
		a.t.Fatal(err)
	}
	a.wait(s, session.Wait{Timeout: patience / 8})
	return s
}

// wait waits on a session.
func (a *attached) wait(s *session.Session, w session.Wait) *session.Reply {
	a.t.Helper()
	return a.exchange(s, session.Input{}, w)
}

// exchange types into a session and waits.
func (a *attached) exchange(s *session.Session, in session.Input, w session.Wait) *session.Reply {
	a.t.Helper()
	r, err := s.Exchange(a.t.Context(), in, w, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	return r
}

// at types into the person's shell and waits until its screen shows a text.
func (a *attached) at(in session.Input, text string) {
	a.t.Helper()
	r := a.exchange(a.desk, in, session.Wait{Pattern: regexp.MustCompile(regexp.QuoteMeta(text)), Timeout: patience / 8})
	if r.Reason != "matched" {
		a.t.Fatalf("%s; %q is not on the person's screen:\n%s", r.Reason, text, a.desk.Snapshot(0).Text())
	}
}

// attach runs glasstty attach in the person's shell, and waits until the screen shows a
// text.
func (a *attached) attach(flags string, shows string) {
	a.t.Helper()
	a.at(session.Input{Text: fmt.Sprintf("%s attach inner --socket %s %s; stty -a | grep -o '.icanon'", binary, a.socket, flags), Enter: true}, shows)
}

// same waits until the person's screen shows the session's screen.
func (a *attached) same() {
	a.t.Helper()
	for {
		inner, desk := a.inner.Snapshot(0), a.desk.Snapshot(0)
		row, what := differ(inner, desk)
		if row < 0 {
			return
		}
		r := a.wait(a.desk, session.Wait{Until: session.UntilChange, Since: &desk.Revision, Timeout: patience / 4})
		if r.Reason == "timeout" {
			a.t.Fatalf("row %d differs in %s:\nsession %q\nperson  %q", row, what, inner.Screen[row].Text(), desk.Screen[row].Text())
		}
	}
}

// differ returns the first row in which the two screens differ and what differs, or -1.
func differ(inner, desk *emulator.Snapshot) (row int, what string) {
	const looks = emulator.Bold | emulator.Italic | emulator.Strike
	for i := range inner.Screen {
		for j, c := range inner.Screen[i].Cells {
			d := desk.Screen[i].Cells[j]
			text := func(c emulator.Cell) string { return strings.TrimSpace(c.Text) }
			switch {
			case text(c) != text(d) || text(c) != "" && c.Width != d.Width:
				return i, "text"
			case text(c) != "" && c.Style.Attrs&looks != d.Style.Attrs&looks, c.Style.Underline != d.Style.Underline && text(c) != "":
				return i, "style"
			}
		}
	}
	if inner.Cursor.Point != desk.Cursor.Point || inner.Cursor.Visible != desk.Cursor.Visible {
		return inner.Cursor.Row, "cursor"
	}
	return -1, ""
}

// TestAttach checks that a person can work in a shell and in vim through attach, sees the
// same screen as the session, and has the terminal restored afterwards.
func TestAttach(t *testing.T) {
	t.Parallel()
	need.Program(t, "vim")
	a := newAttached(t, emulator.Size{Rows: 25, Cols: 80}, "bash", "--norc")
	a.attach("--note 'all done'", "you type")
	a.at(session.Input{Text: "printf '\\033[1;31mred\\033[m 日本語 e\\314\\201\\n'", Enter: true}, "red 日本語")
	a.same()
	a.at(session.Input{Text: "vim -u NONE -N file", Enter: true}, `"file" [New`)
	a.at(session.Input{Text: "ione", Keys: keysOf(t, "enter", "t", "w", "o", "up", "end", "!", "escape")}, "one!")
	a.same()
	a.at(session.Input{Text: ":wq", Enter: true}, "-N file\n$")
	if k := a.inner.Facts().Keyboard; k.State != session.KeyboardHeld {
		t.Errorf("keyboard state %s, want held", k.State)
	}
	a.at(session.Input{Keys: keysOf(t, "ctrl+]")}, " icanon")
	if r := a.exchange(a.inner, session.Input{Text: "cat file", Enter: true}, session.Wait{Timeout: patience / 8}); !strings.Contains(r.Output, "one!\ntwo") || !strings.Contains(strings.Join(r.Notes, " "), "all done") {
		t.Errorf("output %q, notes %q", r.Output, r.Notes)
	}
}

// keysOf returns the key presses with these names.
func keysOf(t *testing.T, names ...string) []session.KeyPress {
	t.Helper()
	var keys []session.KeyPress
	for _, name := range names {
		k, n, err := emulator.ParseKey(name)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, session.KeyPress{Key: k, Repeat: n})
	}
	return keys
}

// TestAttachReadOnly checks that attach --read-only shows the session and types nothing.
func TestAttachReadOnly(t *testing.T) {
	t.Parallel()
	a := newAttached(t, emulator.Size{Rows: 25, Cols: 80}, "bash", "--norc")
	a.attach("--read-only", "you watch")
	a.exchange(a.desk, session.Input{Text: "not typed"}, session.Wait{Until: session.UntilNone})
	a.exchange(a.inner, session.Input{Text: "echo by the agent", Enter: true}, session.Wait{Timeout: patience / 8})
	a.at(session.Input{}, "\nby the agent")
	a.same()
	if text := a.inner.Snapshot(0).Text(); strings.Contains(text, "not typed") {
		t.Errorf("attach --read-only typed:\n%s", text)
	}
	a.at(session.Input{Keys: keysOf(t, "ctrl+]")}, " icanon")
}

// TestAttachSmall checks that a terminal of 3 rows and 10 columns shows the part of the
// screen around the cursor.
func TestAttachSmall(t *testing.T) {
	a := newAttached(t, emulator.Size{Rows: 3, Cols: 10}, "bash", "--norc")
	a.attach("", "ctrl+]") // the key that detaches is shown first
	a.at(session.Input{Text: "echo 123456789_123456789_123456789_END"}, "END")
	a.at(session.Input{Keys: keysOf(t, "home")}, "echo 1234")
	a.at(session.Input{Keys: keysOf(t, "ctrl+]")}, "icanon")
}

// TestAttachEnds checks that attach reports the end of the program and the end of the
// server, and restores the terminal.
func TestAttachEnds(t *testing.T) {
	t.Parallel()
	a := newAttached(t, emulator.Size{Rows: 25, Cols: 80}, "bash", "--norc")
	a.attach("", "you type")
	a.at(session.Input{Text: "exit 3", Enter: true}, "exited with code 3")
	a.at(session.Input{}, " icanon")
	a.wait(a.desk, session.Wait{Timeout: patience / 8})

	a.inner = a.start(a.mgr, "other", emulator.Size{Rows: 24, Cols: 80}, "bash", "--norc")
	a.at(session.Input{Text: fmt.Sprintf("clear; %s attach other --socket %s; stty -a | grep -o '.icanon'", binary, a.socket), Enter: true}, "you type")
	a.page.page.Close()
	a.at(session.Input{}, "the server is gone")
	a.at(session.Input{}, " icanon")
}

// TestNotFound checks that the error for an unknown session says how to name each of the others.
func TestNotFound(t *testing.T) {
	at := func(socket, id, name string) serverSession {
		return serverSession{Facts: live.Facts{ID: id, Name: name}, Socket: socket}
	}
	one, two := at("/a", "s1", "py"), at("/a", "s2", "vim")
	for want, all := range map[string][]serverSession{
		`no session "zzz"; there are none`:                                              nil,
		`no session "zzz"; there are s1 (py), s2 (vim)`:                                 {one, two},
		"no session \"zzz\"; there are\n  --socket /a s1 (py)\n  --socket /b s1 (bash)": {one, at("/b", "s1", "bash")},
	} {
		if got := notFound("zzz", all).Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestAttachNobody tests attaching to a session that another person has, and checks the
// errors for unknown sessions, missing servers, bad keys and unsuitable terminals.
func TestAttachNobody(t *testing.T) {
	t.Parallel()
	a := newAttached(t, emulator.Size{Rows: 25, Cols: 80}, "bash", "--norc")
	if err := a.inner.As(session.Person{ID: "x", Name: "Bob"}).TakeOver(false); err != nil {
		t.Fatal(err)
	}
	a.attach("", "Bob has it since")
	a.at(session.Input{}, "--read-only watches")
	a.wait(a.desk, session.Wait{Timeout: patience / 8})
	a.attach("--force", "you type")
	a.at(session.Input{Keys: keysOf(t, "ctrl+]")}, " icanon")
	a.at(session.Input{Text: "clear; TERM=dumb " + binary + " attach inner --socket " + a.socket, Enter: true}, "cannot position its cursor")
	a.wait(a.desk, session.Wait{Timeout: patience / 8})
	for args, want := range map[string]string{
		"attach nothing --socket " + a.socket:          `no session "nothing"; there are `,
		"attach inner --socket /nonexistent/s":         "no server",
		"attach inner --detach-key nokey":              "nokey",
		"attach inner </dev/null --socket " + a.socket: "not a terminal",
		"ls --socket " + a.socket:                      "inner",
	} {
		a.at(session.Input{Text: "clear; " + binary + " " + args, Enter: true}, want)
		a.wait(a.desk, session.Wait{Timeout: patience / 8})
	}
}

// TestWatch checks that watch shows the selected session, attaches to it, and lists ended
// sessions last.
func TestWatch(t *testing.T) {
	t.Parallel()
	a := newAttached(t, emulator.Size{Rows: 40, Cols: 100}, "bash", "--norc")
	a.exchange(a.inner, session.Input{Text: "echo seen from $((6*7))", Enter: true}, session.Wait{Timeout: patience / 8})
	a.exchange(a.start(a.mgr, "other", emulator.Size{Rows: 24, Cols: 80}, "bash", "--norc"),
		session.Input{Text: "echo another $((5*5))", Enter: true}, session.Wait{Timeout: patience / 8})
	a.at(session.Input{Text: fmt.Sprintf("%s watch --socket %s; stty -a | grep -o '.icanon'", binary, a.socket), Enter: true}, "\nseen from 42")
	a.at(session.Input{Keys: keysOf(t, "down")}, "\nanother 25")
	a.at(session.Input{Keys: keysOf(t, "up", "down", "up", "down", "up")}, "\nseen from 42")
	a.at(session.Input{Keys: keysOf(t, "up", "down")}, "\nanother 25")
	a.at(session.Input{Keys: keysOf(t, "up")}, "\nseen from 42")
	a.at(session.Input{Keys: keysOf(t, "enter")}, "you type")
	a.at(session.Input{Text: "echo by me $((2*3))", Enter: true}, "by me 6")
	a.at(session.Input{Keys: keysOf(t, "ctrl+]")}, "enter attaches")
	// An ended session moves to the end of the list, and cannot be attached to.
	a.exchange(a.inner, session.Input{Text: "exit 3", Enter: true}, session.Wait{Until: session.UntilExit, Timeout: patience / 8})
	a.at(session.Input{}, "exited with code 3")
	a.at(session.Input{Text: "kkkkjjjj", Keys: keysOf(t, "enter")}, a.inner.ID()+" has ended")
	if text := a.desk.Snapshot(0).Text(); strings.Index(text, "other") > strings.Index(text, "exited with code 3") {
		t.Errorf("the ended session is not last:\n%s", text)
	}
	a.at(session.Input{Text: "q"}, " icanon")
}

// TestAttachKilled checks that attach restores the terminal and releases the keyboard at
// once if a signal ends it.
func TestAttachKilled(t *testing.T) {
	t.Parallel()
	a := newAttached(t, emulator.Size{Rows: 25, Cols: 80}, "bash", "--norc")
	pid := filepath.Join(t.TempDir(), "pid")
	for _, sig := range []string{"TERM", "HUP", "INT"} {
		a.at(session.Input{Text: fmt.Sprintf("clear; (echo $BASHPID >%s; exec %s attach inner --socket %s); stty -a | grep -o '.icanon'", pid, binary, a.socket), Enter: true}, "you type")
		a.exchange(a.start(a.own, "killer", emulator.Size{Rows: 24, Cols: 80}, "sh", "-c", "read go; kill -"+sig+" $(cat "+pid+")"), session.Input{Enter: true}, session.Wait{Until: session.UntilExit, Timeout: patience / 8})
		a.at(session.Input{}, " icanon")
		if k := a.inner.Facts().Keyboard; k.State != session.KeyboardFree {
			t.Errorf("after SIG%s: keyboard %+v, want free", sig, k)
		}
		a.wait(a.desk, session.Wait{Timeout: patience / 8})
	}
}

// TestListOfASilentServer checks that listing sessions names a server that does not
// answer, and still lists the sessions of other servers.
func TestListOfASilentServer(t *testing.T) {
	need.Long(t)
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	if err := os.Mkdir(filepath.Join(dir, "glasstty"), 0o700); err != nil {
		t.Fatal(err)
	}
	silent := filepath.Join(dir, "glasstty", mcpSocket+"1")
	l, err := net.Listen("unix", silent)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Chmod(silent, 0o600); err != nil {
		t.Fatal(err)
	}
	list := func() ([][]serverSession, error, error) {
		return askServers("", func(socket string) ([]serverSession, error) { return sessionsAt(t.Context(), socket, "") })
	}
	if all, _, err := list(); err == nil || !strings.Contains(err.Error(), silent) || !strings.Contains(err.Error(), "has not answered") {
		t.Errorf("%v, %v", all, err)
	}
	mgr, _, socket := watched(t)
	if err := os.Symlink(socket, filepath.Join(dir, "glasstty", mcpSocket+"2")); err != nil {
		t.Fatal(err)
	}
	if _, err := mgr.Start(t.Context(), session.StartOptions{Command: need.Program(t, "cat")}); err != nil {
		t.Fatal(err)
	}
	all, trouble, err := list()
	if len(all) != 1 || len(all[0]) != 1 || err != nil || trouble == nil || !strings.Contains(trouble.Error(), silent) {
		t.Errorf("%v, %v, %v", all, trouble, err)
	}
}
