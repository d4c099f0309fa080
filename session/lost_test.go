package session

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/state"
)

// crashed returns the data directory as the next server would find it if this one were killed now.
func crashed(t *testing.T, d *eventlog.Dir) *eventlog.Dir {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data")
	err := os.CopyFS(path, os.DirFS(d.Path()))
	for errors.Is(err, fs.ErrNotExist) {
		// A file was renamed meanwhile, as the metadata is when it is saved.
		if err = os.RemoveAll(path); err == nil {
			err = os.CopyFS(path, os.DirFS(d.Path()))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	next, err := eventlog.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { next.Close() })
	return next
}

// settle waits until the session's log and its metadata are on disk.
func settle(t *testing.T, s *Session) {
	t.Helper()
	s.saveMeta()
	if _, err := eventlog.Open(s.child.Log()); err != nil {
		t.Fatal(err)
	}
}

func TestLostSession(t *testing.T) {
	t.Parallel()
	d := dataDir(t)
	s, _ := launch(t, managerOf(t, Options{Data: d, Log: eventlog.Options{SegmentBytes: 4 << 10}}), "bash", "--norc")
	say(t, s, "echo one; seq 500")
	if _, err := s.Resize(30, 60); err != nil {
		t.Fatal(err)
	}
	say(t, s, "printf '\\e[31mtwo\\n'; cat")
	settle(t, s)
	next := crashed(t, d)
	want := s.Snapshot(-1)
	before, err := s.MessageTexts(idsOf(t, s))
	if err != nil {
		t.Fatal(err)
	}

	m := managerOf(t, Options{Data: next})
	if n, err := m.AddLost(next); n != 1 || err != nil {
		t.Fatalf("%d sessions taken, %v", n, err)
	}
	if n, err := m.AddLost(next); n != 0 || err != nil {
		t.Errorf("again: %d sessions taken, %v", n, err)
	}
	lost, err := m.Session("bash")
	if err != nil {
		t.Fatal(err)
	}
	sameShot(t, "the last screen", lost.Snapshot(-1), want)
	sameShot(t, "the last revision", at(t, lost, fmt.Sprint(want.Revision)), want)
	if i := lost.Info(); i.Status != StatusLost || i.ID != "s1" || i.ExitCode != nil || i.Command != "bash" || i.BytesIn == 0 || i.Size != (emulator.Size{Rows: 30, Cols: 60}) || i.LastReason != "" {
		t.Errorf("info: %+v", i)
	}
	r, _ := read(t, lost, ReadOptions{Tail: 2}, Wait{})
	if r.Status != StatusLost || r.ExitCode != nil || !strings.Contains(r.Output, "two") || !strings.Contains(r.Hint, "ended without warning") {
		t.Errorf("reply: %+v", r)
	}
	after, err := lost.MessageTexts(idsOf(t, lost))
	if err != nil || len(after) != len(before) {
		t.Fatalf("%d messages, %v; want %d\n%+v\n%+v", len(after), err, len(before), after, before)
	}
	for i, m := range after[:len(after)-1] { // the last was not complete
		if m.At = before[i].At; m != before[i] {
			t.Errorf("message %d: %+v, want %+v", i, m, before[i])
		}
	}
	if last := after[len(after)-1]; last.Type != state.MessageOutput || !strings.Contains(last.Content, "two") {
		t.Errorf("the last message: %+v", last)
	}
	if _, err := lost.Type(t.Context(), Input{Text: "x"}); !errors.Is(err, ErrExited) || !strings.Contains(err.Error(), "was lost when the process that held its program ended") {
		t.Errorf("Type: %v", err)
	}
	if _, err := lost.Resize(10, 10); !errors.Is(err, ErrExited) {
		t.Errorf("Resize: %v", err)
	}
	fresh, _ := launch(t, m, "sh")
	if fresh.ID() == lost.ID() {
		t.Error("two sessions have one id")
	}
	if err := m.Delete(lost.ID()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(next.SessionPath("s1")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the deleted session's log: %v", err)
	}
}

// TestLostDamaged checks that everything that describes a session says so if its log was damaged
// and its last line was cut.
func TestLostDamaged(t *testing.T) {
	t.Parallel()
	d := dataDir(t)
	s, _ := launch(t, managerOf(t, Options{Data: d}), "bash", "--norc")
	say(t, s, "echo one")
	say(t, s, "echo two")
	settle(t, s)
	next := crashed(t, d)
	path := filepath.Join(next.SessionPath("s1"), "000000000000.cast")
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	log[bytes.IndexByte(log, '\n')+1] = 'x' // the first event
	if err := os.WriteFile(path, log[:len(log)-2], 0o600); err != nil {
		t.Fatal(err)
	}
	m := managerOf(t, Options{})
	if n, err := m.AddLost(next); n != 1 || err != nil {
		t.Fatalf("%d sessions taken, %v", n, err)
	}
	lost, err := m.Session("s1")
	if err != nil {
		t.Fatal(err)
	}
	const want = "2 records of the log cannot be read"
	if got := lost.Info().Log; got != want || lost.Facts().Log != want {
		t.Errorf("info: %q, note %q", got, lost.Facts().Log)
	}
	if r, _ := read(t, lost, ReadOptions{}, Wait{}); !slices.Contains(r.Notes, want) {
		t.Errorf("notes %q", r.Notes)
	}
}

// TestLostIDsClash checks the sessions of two servers that had the same IDs.
func TestLostIDsClash(t *testing.T) {
	t.Parallel()
	m := managerOf(t, Options{})
	for range 2 {
		d := dataDir(t)
		s, _ := launch(t, managerOf(t, Options{Data: d}), "sh")
		settle(t, s)
		if n, err := m.AddLost(crashed(t, d)); n != 1 || err != nil {
			t.Fatalf("%d sessions taken, %v", n, err)
		}
	}
	var ids []string
	for _, i := range m.List() {
		ids = append(ids, i.ID)
	}
	if got := strings.Join(ids, " "); got != "s1 s1b" {
		t.Errorf("ids %s", got)
	}
}

// shown returns a session's command and arguments as they are shown.
func shown(i Info) string { return strings.Join(append([]string{i.Command}, i.Args...), " ") }

// TestLostLogIsDamaged checks that nothing that a crash may leave in a log is fatal.
func TestLostLogIsDamaged(t *testing.T) {
	t.Parallel()
	d := dataDir(t)
	s, _ := launch(t, managerOf(t, Options{Data: d}), "bash")
	say(t, s, "echo hello")
	settle(t, s)
	segment := filepath.Base(s.RecordingPath())
	for name, damage := range map[string]func(dir string) error{
		"no metadata":   func(dir string) error { return os.Remove(filepath.Join(dir, "meta.json")) },
		"torn metadata": func(dir string) error { return os.WriteFile(filepath.Join(dir, "meta.json"), []byte(`{"for`), 0o600) },
		"cut in half": func(dir string) error {
			info, err := os.Stat(filepath.Join(dir, segment))
			if err != nil {
				return err
			}
			return os.Truncate(filepath.Join(dir, segment), info.Size()-20)
		},
		"damaged header": func(dir string) error {
			f, err := os.OpenFile(filepath.Join(dir, segment), os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt(make([]byte, 20), 5)
			return errors.Join(err, f.Close())
		},
		"empty": func(dir string) error { return os.Truncate(filepath.Join(dir, segment), 0) },
		"zeros at the end": func(dir string) error {
			f, err := os.OpenFile(filepath.Join(dir, segment), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.Write(make([]byte, 5000))
			return errors.Join(err, f.Close())
		},
	} {
		next := crashed(t, d)
		if err := damage(next.SessionPath("s1")); err != nil {
			t.Fatal(err)
		}
		m := managerOf(t, Options{})
		if n, err := m.AddLost(next); n != 1 || err != nil {
			t.Errorf("%s: %d taken, %v", name, n, err)
			continue
		}
		lost, err := m.Session("s1")
		if shows := strings.Contains(lost.Snapshot(0).Text(), "hello"); err != nil || shown(lost.Info()) != "bash" || shows == (name == "empty") {
			t.Errorf("%s: %v, %+v\n%s", name, err, lost.Info(), lost.Snapshot(0).Text())
		}
	}
	for name, damage := range map[string]func(dir string) error{
		"no segment": func(dir string) error { return os.Remove(filepath.Join(dir, segment)) },
	} {
		next := crashed(t, d)
		if err := damage(next.SessionPath("s1")); err != nil {
			t.Fatal(err)
		}
		if n, err := managerOf(t, Options{}).AddLost(next); n != 0 || err != nil {
			t.Errorf("%s: %d taken, %v", name, n, err)
		}
	}
}

// TestLostAfterATurn checks that the last output of a lost session is a message even if the log has
// begun a new segment after it.
func TestLostAfterATurn(t *testing.T) {
	d := dataDir(t)
	st, err := d.NewSession("s1")
	if err != nil {
		t.Fatal(err)
	}
	w, err := eventlog.Create(st, eventlog.Start{Session: "s1", Command: "x", Time: time.Unix(1e9, 0), Rows: 5, Cols: 20}, eventlog.Options{SegmentBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	live := state.New(state.Options{Terminal: emulator.Options{Size: emulator.Size{Rows: 5, Cols: 20}}, Began: time.Unix(1e9, 0)})
	for _, e := range []eventlog.Event{
		{Kind: eventlog.Note, Name: eventlog.NoteMessage, Data: []byte(`{"id":"m0","type":"input","size":3,"content":"go\n"}`)},
		{Kind: eventlog.Output, Data: []byte("gone\r\n")},
	} {
		w.Append(e)
		live.Apply(live.Began, &e)
	}
	offset, ok := w.Rotate(0)
	if !ok {
		t.Fatal("the log has begun no segment")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	parts, err := live.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := eventlog.SaveState(st, offset, parts); err != nil {
		t.Fatal(err)
	}
	m := managerOf(t, Options{Data: d})
	if n, err := m.AddLost(d); n != 1 || err != nil {
		t.Fatalf("%d sessions taken, %v", n, err)
	}
	lost, err := m.Session("s1")
	if err != nil {
		t.Fatal(err)
	}
	list, err := lost.MessageTexts(idsOf(t, lost))
	if err != nil || len(list) != 2 || list[1].Type != state.MessageOutput || list[1].Content != "gone" {
		t.Errorf("messages %+v, %v", list, err)
	}
}
