package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/internal/recording"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/state"
)

// A loggedChild writes the log of a recorded program, as its owner would.
type loggedChild struct {
	child.Lost
	t      *testing.T
	w      *eventlog.Writer
	term   *emulator.Terminal // the terminal of a live server
	at     time.Duration
	total  int64
	logged int64
	inputs int64
}

// add appends one event of a recording and, now and then, the input of a call.
func (c *loggedChild) add(i int, e recording.Event) {
	c.at += 7 * time.Millisecond
	switch e.Kind {
	case recording.Resize:
		c.w.Append(eventlog.Event{Kind: eventlog.Resize, At: c.at, Rows: e.Rows, Cols: e.Cols})
		c.term.Resize(emulator.Size{Rows: e.Rows, Cols: e.Cols})
	case recording.Output:
		if i%5 == 0 {
			c.typed(fmt.Sprintf("line %d\r", i))
		}
		c.w.Append(eventlog.Event{Kind: eventlog.Output, At: c.at, Data: e.Data})
		c.total += int64(len(e.Data))
		_, _ = c.term.Write(e.Data)
	}
	c.term.TakeReplies()
	c.term.TakeEvents()
	c.logged = c.w.End()
}

// typed appends the events that are logged for the input of a call.
func (c *loggedChild) typed(text string) {
	c.inputs++
	note := func(name string, v any) {
		data, err := json.Marshal(v)
		if err != nil {
			c.t.Fatal(err)
		}
		c.w.Append(eventlog.Event{Kind: eventlog.Note, At: c.at, Name: name, Data: data})
	}
	note(eventlog.NoteMessage, eventlog.MessageNote{ID: state.MessageID(c.inputs - 1), Type: "input", Size: len(text), Content: text})
	note(eventlog.NoteInput, eventlog.InputNote{Number: c.inputs, Size: len(text), Call: fmt.Sprint("c", c.inputs)})
	c.w.Append(eventlog.Event{Kind: eventlog.Input, At: c.at, Data: []byte(text)})
}

// rebuilt returns the session as the next server rebuilds it.
func (c *loggedChild) rebuilt(m *Manager, size emulator.Size) *Session {
	c.t.Helper()
	if err := c.w.Flush(); err != nil {
		c.t.Fatal(err)
	}
	s := newSession(m, "s1", StartOptions{Command: "x", Size: size}, "", time.Unix(1767225600, 0))
	s.child = c
	s.mu.Lock()
	defer s.mu.Unlock()
	r := state.Recovery{Began: s.created, Until: eventlog.Stream{Total: c.total, LogOffset: c.logged, Replies: c.total}}
	if err := s.recoverLocked(&r); err != nil {
		c.t.Fatal(err)
	}
	return s
}

// frozen returns the encoded state of a session.
func frozen(t *testing.T, s *Session) [][]byte {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	parts, err := s.state.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return parts
}

// TestSavedStateEqualsReplay checks that sessions rebuilt from the whole log of each recorded
// program, and from states saved along the way, are equal in every bit, and that their terminal is
// the live one.
func TestSavedStateEqualsReplay(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../emulator/testdata/replay/*/session.cast.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	m := newManager(t)
	every := len(files) / need.Few(t, 16, len(files))
	for i, file := range files {
		if i%every != 0 {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) { savedStateEqualsReplay(t, m, file) })
	}
}

func savedStateEqualsReplay(t *testing.T, m *Manager, file string) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := recording.Read(f)
	f.Close()
	if err != nil {
		t.Fatal(err)
	}
	st := &eventlog.MemStore{}
	size := emulator.Size{Rows: rec.Rows, Cols: rec.Cols}
	w, err := eventlog.Create(st, eventlog.Start{Session: "s1", Command: "x", Time: time.Unix(1767225600, 0), Rows: rec.Rows, Cols: rec.Cols}, eventlog.Options{Direct: true, SegmentBytes: 1, MaxBytes: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	c := &loggedChild{Lost: child.Lost{Store: st}, t: t, w: w, term: emulator.New(emulator.Options{Size: size})}
	saved := map[int64][][]byte{}
	for i, e := range rec.Events {
		c.add(i, e)
		if e.Kind == recording.Output && i%(len(rec.Events)/4+1) == 2 {
			offset, ok := w.Rotate(c.at)
			if !ok {
				t.Fatal("no segment has begun")
			}
			if len(saved)%2 == 0 {
				// The saved state includes this input, but its place in the log is after it.
				c.typed("x")
			}
			saved[offset] = frozen(t, c.rebuilt(m, size))
		}
	}
	want := frozen(t, c.rebuilt(m, size))
	if live := c.term.State(); string(want[state.PartTerminal]) != string(live) {
		t.Errorf("the terminal from the log is not the live one")
	}
	for _, offset := range slices.Sorted(maps.Keys(saved)) {
		if err := eventlog.SaveState(st, offset, saved[offset]); err != nil {
			t.Fatal(err)
		}
		before, _, err := eventlog.Offsets(st)
		if err != nil {
			t.Fatal(err)
		}
		for _, earlier := range before[:slices.Index(before, offset)] {
			if err := st.Remove(eventlog.SegmentName(earlier)); err != nil {
				t.Fatal(err)
			}
		}
		for part, p := range frozen(t, c.rebuilt(m, size)) {
			if string(p) != string(want[part]) {
				t.Errorf("from the state saved at %d, part %d has %d bytes, want %d\n%.3000s\n%.3000s", offset, part, len(p), len(want[part]), p, want[part])
			}
		}
	}
}

// TestSaveStateWhileTyping checks that no line is missing, doubled or typed twice, and no message
// missing or doubled, if states are saved at each output while calls type and the server
// restarts.
func TestSaveStateWhileTyping(t *testing.T) {
	t.Parallel()
	need.Program(t, "sh")
	h := houseOf(t, true)
	s, err := h.m.Start(t.Context(), StartOptions{Command: "sh", Args: []string{"-c", "stty -echo; n=0; while read x; do n=$((n+1)); echo $n $x; done"}})
	if err != nil {
		t.Fatal(err)
	}
	_ = exchange(t, s, Input{}, Wait{Timeout: patience})
	var got []string
	n := 0
	for range need.Few(t, 2, 8) {
		for range 12 {
			n++
			name := fmt.Sprintf("w%d", n)
			r, err := s.Exchange(WithCall(t.Context(), "call"+name), Input{Text: name, Enter: true}, Wait{Pattern: literal(name + "\n"), Timeout: patience}, nil)
			if err != nil || r.Reason != detect.Matched {
				t.Fatalf("%s: %+v, %v", name, r, err)
			}
			got = append(got, strings.Split(strings.TrimSpace(r.Output), "\n")...)
		}
		s = h.restart(s.ID())
	}
	for i, line := range got {
		if want := fmt.Sprintf("%d w%d", i+1, i+1); line != want {
			t.Fatalf("line %d is %q, want %q", i, line, want)
		}
	}
	list, _, err := s.Messages("", state.MaxMessages)
	if err != nil {
		t.Fatal(err)
	}
	inputs := 0
	for i, m := range list {
		if m.ID != state.MessageID(int64(i)) {
			t.Fatalf("message %d is %+v", i, m)
		}
		if m.Type == state.MessageInput {
			inputs++
		}
	}
	if len(got) != n || inputs != n {
		t.Errorf("%d lines typed, %d read, %d messages of inputs", n, len(got), inputs)
	}
}
