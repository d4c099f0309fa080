package live

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session"
)

// eater is a Python program that reads nothing until a file exists or, with a second argument, reads
// slowly. It then reads the rest of one bracketed paste and prints the paste's size.
const eater = `
import os, sys, time, tty
tty.setraw(0)
os.write(1, b"\x1b[?2004hup\r\n")
got = b""
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
    if sys.argv[2:]: got += os.read(0, 1024)
while not got.endswith(b"\x1b[201~"): got += os.read(0, 65536)
os.write(1, b"got %d\r\n" % (len(got) - 12))
time.sleep(1000)
`

// held starts the eater and has a client take over its keyboard. feed lets the eater read.
func held(t *testing.T, r *rig, c *client, slowly ...string) (s *session.Session, feed func()) {
	t.Helper()
	flag := filepath.Join(t.TempDir(), "flag")
	s = r.start(t, "python3", append([]string{"-c", eater, flag}, slowly...)...)
	c.send(map[string]any{"do": "watch", "large": s.ID()})
	c.shows("up")
	if e := c.ask(map[string]any{"do": "take", "id": s.ID()}); e != "" {
		t.Fatal(e)
	}
	return s, func() {
		if err := os.WriteFile(flag, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLostInPaste checks that a paste is typed completely if the connection is lost in the
// middle, and that the keyboard will be released.
func TestLostInPaste(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := dial(t, r, "ann")
	s, feed := held(t, r, c, "slowly") // typing gives up when nothing is read for two seconds
	c.send(map[string]any{"do": "paste", "id": s.ID(), "text": strings.Repeat("p", 1_000_000)})
	awaitInput(t, s)
	if err := c.ws.CloseNow(); err != nil {
		t.Fatal(err)
	}
	feed()
	onScreen(t, s, "got 1000000")
	if k := s.Facts().Keyboard; k.State != session.KeyboardHeld || k.FreeAt.IsZero() {
		t.Errorf("keyboard %+v, want held and leaving", k)
	}
}

// awaitInput waits until something is being typed into a session.
func awaitInput(t *testing.T, s *session.Session) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for seen := s.State(); s.Info().TypedAt.IsZero(); {
		var err error
		if seen, err = s.Changed(ctx, seen); err != nil {
			t.Fatal(err)
		}
	}
}

// onScreen waits until a session's screen contains a text.
func onScreen(t *testing.T, s *session.Session, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		seen, now := s.State(), s.Snapshot(0).Text()
		if strings.Contains(now, text) {
			return
		}
		if _, err := s.Changed(ctx, seen); err != nil {
			t.Fatalf("%v; %q is not on the screen:\n%s", err, text, now)
		}
	}
}

// TestCutMessage checks that nothing of a message is typed if the connection is lost
// before the whole message has arrived.
func TestCutMessage(t *testing.T) {
	r := newRig(t)
	c := dial(t, r, "ann")
	s, _ := held(t, r, c)
	w, err := c.ws.Writer(t.Context(), websocket.MessageText)
	if err != nil {
		t.Fatal(err)
	}
	part := `{"n":9,"do":"paste","id":"` + s.ID() + `","text":"` + strings.Repeat("p", 500_000)
	if _, err := w.Write([]byte(part)); err != nil {
		t.Fatal(err)
	}
	if err := c.ws.CloseNow(); err != nil {
		t.Fatal(err)
	}
	for seen := s.State(); s.Facts().Keyboard.FreeAt.IsZero(); {
		if seen, err = s.Changed(t.Context(), seen); err != nil {
			t.Fatal(err)
		}
	}
	if !s.Info().TypedAt.IsZero() {
		t.Error("something was typed")
	}
}

// TestStuckProgram checks that a program that reads nothing can be ended while a paste
// waits, and that the paste then fails with an error.
func TestStuckProgram(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := dial(t, r, "ann")
	s, _ := held(t, r, c)
	paste := c.send(map[string]any{"do": "paste", "id": s.ID(), "text": strings.Repeat("p", 1_000_000)})
	awaitInput(t, s)
	end := c.send(map[string]any{"do": "end", "id": s.ID()})
	told := map[int]string{}
	c.until(func(m map[string]any) bool {
		if n, ok := m["n"].(float64); ok {
			told[int(n)], _ = m["error"].(string)
		}
		_, first := told[paste]
		_, second := told[end]
		return first && second
	})
	if told[end] != "" || !strings.Contains(told[paste], "typed to") {
		t.Errorf("error of ending: %q; error of the paste: %q", told[end], told[paste])
	}
}

// TestEndsWhileHeld checks that the keyboard is free after a session that a person held
// has ended, and that further input is rejected.
func TestEndsWhileHeld(t *testing.T) {
	r := newRig(t)
	s := r.start(t, "bash", "--norc")
	c := dial(t, r, "ann")
	if e := c.ask(map[string]any{"do": "take", "id": s.ID()}); e != "" {
		t.Fatal(e)
	}
	c.send(map[string]any{"do": "type", "id": s.ID(), "text": "exit 3\n"})
	m := c.until(func(m map[string]any) bool { return m["t"] == "session" && m["status"] == "exited" })
	if k := m["keyboard"].(map[string]any); k["state"] != "free" || m["exit"] != 3.0 {
		t.Errorf("message %v", m)
	}
	for _, do := range []string{"type", "take", "pause", "resize"} {
		if e := c.ask(map[string]any{"do": do, "id": s.ID(), "text": "x", "rows": 10, "cols": 10}); e == "" {
			t.Errorf("%s after the end: no error", do)
		}
	}
}

// TestDeafPage checks that the connection of a browser that stops reading is closed, and
// that its keyboard is released in time.
func TestDeafPage(t *testing.T) {
	need.Long(t)
	r := rigWith(t, Options{WriteLimit: 200 * time.Millisecond})
	s := r.start(t, "bash", "--norc")
	if _, err := s.Resize(200, 300); err != nil { // a screen that soon fills all buffers
		t.Fatal(err)
	}
	c := dialWith(t, r, "ann", &http.Client{Transport: &http.Transport{DialContext: smallWindow}})
	if e := c.ask(map[string]any{"do": "take", "id": s.ID()}); e != "" {
		t.Fatal(e)
	}
	c.send(map[string]any{"do": "watch", "large": s.ID()})
	c.send(map[string]any{"do": "type", "id": s.ID(), "text": "PS1=; while :; do seq -f '%g is a number that fills the row with some text, and then with more of it, so that there is much to be sent' 1000; done\n"})
	// The kernel buffers megabytes before a write blocks.
	ctx, cancel := context.WithTimeout(t.Context(), 4*patience)
	defer cancel()
	for seen := s.State(); s.Facts().Keyboard.FreeAt.IsZero(); {
		var err error
		if seen, err = s.Changed(ctx, seen); err != nil {
			t.Fatalf("%v; keyboard %+v", err, s.Facts().Keyboard)
		}
	}
	if left := time.Until(s.Facts().Keyboard.FreeAt); left > session.HoldGrace {
		t.Errorf("keyboard kept for another %v", left)
	}
}

// smallWindow connects with a small receive buffer.
func smallWindow(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return conn, conn.(*net.TCPConn).SetReadBuffer(4 << 10)
}

// TestNames checks that a person cannot take the agent's name, and which IDs of visitors
// are valid.
func TestNames(t *testing.T) {
	for as, want := range map[string]string{"Bob": "Bob", "the agent": "", "Agent": "", "agent ": "", "<b>": "", "agent smith": "agent smith"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/ws", nil)
		if err != nil {
			t.Fatal(err)
		}
		q := req.URL.Query()
		q.Set("as", as)
		req.URL.RawQuery = q.Encode()
		if got, err := (Visitor{}).identified(req); err != nil || got.Person.Name != want {
			t.Errorf("name %q becomes %q, want %q; %v", as, got.Person.Name, want, err)
		}
	}
	for me, ok := range map[string]bool{"": false, "a-B-7": true, strings.Repeat("x", 32): true, strings.Repeat("x", 33): false, "a/b": false} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/ws?me="+me, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := (Visitor{}).identified(req); (err == nil) != ok || ok && got.Person.ID != "/"+me {
			t.Errorf("me %q: %q, %v", me, got.Person.ID, err)
		}
	}
}

// TestSpanWidth checks that texts that may take more columns than their span has are
// rejected.
func TestSpanWidth(t *testing.T) {
	for _, tt := range []struct {
		span Span
		ok   bool
	}{
		{Span{Text: "abc│é◆\u00ad\x1b", Cols: 8}, true},
		{Span{Text: "漢", Cols: 2, Alone: true}, true},
		{Span{Text: "漢", Cols: 1}, false},
		{Span{Text: strings.Repeat("漢", 10), Cols: 10}, false},
		{Span{Text: strings.Repeat("\u0301", 5) + strings.Repeat("漢", 5), Cols: 10}, false}, // ten columns, but a terminal may draw only a part of the text
		{Span{Text: "漢漢", Cols: 2, Alone: true}, false},
	} {
		if err := tt.span.check(); (err == nil) != tt.ok {
			t.Errorf("%+v: %v", tt.span, err)
		}
	}
}

// TestSafeText checks that safeText replaces characters that would hide or reorder the text
// around them.
func TestSafeText(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "日本 é": "日本 é", "a\u202eb": "a\uFFFDb", "a\x1b[31m": "a\uFFFD[31m", "a\u200bb": "a\uFFFDb",
		"two\nlines": "two\nlines", strings.Repeat("x", 300): strings.Repeat("x", maxShown) + "…", "👩\u200d💻": "👩\u200d💻",
	} {
		if got := safeText(in, maxShown); got != want {
			t.Errorf("shown(%q) = %q, want %q", in, got, want)
		}
	}
}
