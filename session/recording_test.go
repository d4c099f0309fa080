package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/state"
)

// dataDir opens a data directory, and closes it when the test ends.
func dataDir(t *testing.T) *eventlog.Dir {
	t.Helper()
	d, err := eventlog.OpenDir(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// at returns the recorded screen at a moment.
func at(t *testing.T, s *Session, moment string) *emulator.Snapshot {
	t.Helper()
	shot, _, err := s.SnapshotAt(moment, -1)
	if err != nil {
		t.Fatalf("at %s: %v", moment, err)
	}
	return shot
}

// sameShot fails unless two snapshots are equal in every cell and revision.
func sameShot(t *testing.T, what string, got, want *emulator.Snapshot) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: revision %d, %v, cursor %+v\n%s\nwant revision %d, %v, cursor %+v\n%s", what,
			got.Revision, got.Size, got.Cursor, got.Text(), want.Revision, want.Size, want.Cursor, want.Text())
	}
}

// TestReplayOfLiveSession checks that the log of a session gives the snapshots that the session
// gave at the same revisions, with resizes in between, on disk in many segments and in memory.
func TestReplayOfLiveSession(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]Options{
		"disk":   {Data: dataDir(t), Log: eventlog.Options{SegmentBytes: 4 << 10}},
		"memory": {},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := launch(t, managerOf(t, o), "bash", "--norc")
			var shots []*emulator.Snapshot
			look := func() { shots = append(shots, s.Snapshot(-1)) }
			look()
			for i := range 6 {
				say(t, s, fmt.Sprintf("printf '\\e[3%dm日本 %d\\e[m\\n'; seq %d %d", i, i, 100*i, 100*i+80))
				look()
				if _, err := s.Resize(10+3*i, 40+10*i); err != nil {
					t.Fatal(err)
				}
				say(t, s, "")
				look()
			}
			for _, want := range shots {
				sameShot(t, fmt.Sprint("revision ", want.Revision), at(t, s, fmt.Sprint(want.Revision)), want)
			}
			exchange(t, s, Input{Text: "exit 3", Enter: true}, Wait{Timeout: patience})
			sameShot(t, "the end", at(t, s, fmt.Sprint(s.Snapshot(0).Revision)), s.Snapshot(-1))
			if name == "disk" && !strings.Contains(s.RecordingPath(), "/sessions/s1/0000000") {
				t.Errorf("recording path %q", s.RecordingPath())
			}
			if dir := filepath.Dir(s.RecordingPath()); name == "disk" {
				if states, err := filepath.Glob(dir + "/*.state"); err != nil || len(states) == 0 {
					t.Errorf("no state among the segments in %s: %v", dir, err)
				}
			}
		})
	}
}

// TestMoments checks all forms of a moment, and the errors for wrong ones.
func TestMoments(t *testing.T) {
	s, _ := launch(t, newManager(t), "bash", "--norc")
	say(t, s, "echo first")
	between := time.Now()
	say(t, s, "echo second")
	list, _, err := s.Messages("", 100)
	if err != nil {
		t.Fatal(err)
	}
	var input string
	for _, m := range list {
		if m.Type == state.MessageInput {
			input = m.ID // the last: echo second
		}
	}
	r, err := s.Recording()
	if err != nil {
		t.Fatal(err)
	}
	for _, moment := range []string{
		between.UTC().Format(time.RFC3339Nano), fmt.Sprintf("%.6f", float64(between.UnixMicro())/1e6), input,
		fmt.Sprintf("+%s", between.Sub(r.Start())),
	} {
		if text := at(t, s, moment).Text(); !strings.Contains(text, "\nfirst\n") || strings.Contains(text, "second") {
			t.Errorf("at %s:\n%s", moment, text)
		}
	}
	newest := list[len(list)-1] // the output after the last input
	if text := at(t, s, newest.ID).Text(); newest.Type != state.MessageOutput || !strings.Contains(text, "\nsecond\n") {
		t.Errorf("at %s, the newest %s:\n%s", newest.ID, newest.Type, text)
	}
	for moment, want := range map[string]string{
		"":                     "give a revision (42)",
		"99999":                "in the future: the latest is",
		"4000000000":           "in the future",
		"+1h":                  "in the future",
		"2001-01-01T00:00:00Z": "before the session's start",
		"-1e9":                 "before the session's start",
		"1.5":                  "not a whole revision",
		"NaN":                  "out of range",
		"+x":                   "not a time since the start",
		"-1m":                  "not a number of seconds ago, such as -60; give a revision (42)",
		"m99":                  "no such message or marker: \"m99\"; the latest are",
	} {
		if _, _, err := s.SnapshotAt(moment, 0); !errors.Is(err, ErrArgument) || !strings.Contains(err.Error(), want) {
			t.Errorf("at %q: %v, want %q", moment, err, want)
		}
	}
}

// TestPastIsGone checks the error for moments that are no longer in the log. The log keeps several
// times as much as one read of the terminal returns (32 KB), so that the end of the screen is
// always in it.
func TestPastIsGone(t *testing.T) {
	t.Parallel()
	o := Options{Data: dataDir(t), Log: eventlog.Options{SegmentBytes: 32 << 10, MaxBytes: 256 << 10}}
	s, _ := launch(t, managerOf(t, o), "bash", "--norc")
	early := s.Snapshot(0).Revision
	say(t, s, "echo early")
	list, _, err := s.Messages("", state.MaxMessages)
	if err != nil {
		t.Fatal(err)
	}
	say(t, s, "for i in 1 2 3 4; do seq 30000; done")
	for _, moment := range []string{fmt.Sprint(early), "+0s", list[0].ID, list[len(list)-1].ID} {
		if _, _, err := s.SnapshotAt(moment, 0); err == nil || !strings.Contains(err.Error(), "before the stored part of the log") {
			t.Errorf("at %s: %v", moment, err)
		}
	}
	if _, _, err := s.SnapshotAt("elsewhere", 0); err == nil || !strings.Contains(err.Error(), "none in the stored part of the log") {
		t.Errorf("at an unknown marker: %v", err)
	}
	if list, _, err = s.Messages("", state.MaxMessages); err != nil {
		t.Fatal(err)
	}
	sameShot(t, "the newest output", at(t, s, list[len(list)-1].ID), s.Snapshot(-1))
	sameShot(t, "now", at(t, s, fmt.Sprint(s.Snapshot(0).Revision)), s.Snapshot(-1))
	var b strings.Builder
	if err := writeRecording(s, &b); err != nil {
		t.Fatal(err)
	}
	if got, want := playCast(t, b.String()).Text(), s.Snapshot(0).Text(); got != want {
		t.Errorf("the recording ends in\n%s\nwant\n%s", got, want)
	}
}

// playCast plays an asciicast v3 as a player does.
func playCast(t *testing.T, cast string) *emulator.Snapshot {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(cast), "\n")
	var head struct {
		Version int
		Term    struct{ Rows, Cols int }
	}
	if err := json.Unmarshal([]byte(lines[0]), &head); err != nil || head.Version != 3 {
		t.Fatalf("header %q: %v", lines[0], err)
	}
	term := emulator.New(emulator.Options{Size: emulator.Size{Rows: head.Term.Rows, Cols: head.Term.Cols}})
	for _, l := range lines[1:] {
		var at float64
		var code, data string
		if err := json.Unmarshal([]byte(l), &[]any{&at, &code, &data}); err != nil || at < 0 {
			t.Fatalf("%q: %v", l, err)
		}
		switch code {
		case "o":
			_, _ = term.Write([]byte(data))
		case "r":
			var s emulator.Size
			if _, err := fmt.Sscanf(data, "%dx%d", &s.Cols, &s.Rows); err != nil {
				t.Fatal(err)
			}
			term.Resize(s)
		case "i", "m", "x":
		default:
			t.Fatalf("unknown asciicast event code %q", code)
		}
	}
	return term.Snapshot(0)
}

// TestSecretsStayOut checks that a password typed at a prompt for one is in no message and in no
// file.
func TestSecretsStayOut(t *testing.T) {
	d := dataDir(t)
	m := managerOf(t, Options{Data: d})
	s, _ := launchWith(t, m, StartOptions{Command: "bash", Args: []string{"--norc"}})
	say(t, s, "echo before; read -s -p 'Password: ' x")
	exchange(t, s, Input{Text: "hunter2-äöü", Enter: true}, Wait{Timeout: patience})
	say(t, s, "echo after")
	texts, err := s.MessageTexts(idsOf(t, s))
	if err != nil {
		t.Fatal(err)
	}
	if all := fmt.Sprint(texts); !strings.Contains(all, "(secret, 14 bytes)") || strings.Contains(all, "hunter2") {
		t.Errorf("messages: %s", all)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	found := false
	err = filepath.WalkDir(d.Path(), func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if bytes.Contains(data, []byte("hunter2")) {
			t.Errorf("%s holds the secret", name)
		}
		found = found || bytes.Contains(data, []byte(`\"secret\":true`)) && bytes.Contains(data, []byte("echo after"))
		return err
	})
	if err != nil || !found {
		t.Errorf("no log has the note of the secret and the command after it: %v", err)
	}
}

// idsOf returns the IDs of all messages.
func idsOf(t *testing.T, s *Session) []string {
	t.Helper()
	list, _, err := s.Messages("", state.MaxMessages)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range list {
		ids = append(ids, m.ID)
	}
	return ids
}

// TestMessagesComeFromTheLog checks that the oldest messages are read from the log if there are
// more than memory keeps.
func TestMessagesComeFromTheLog(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, managerOf(t, Options{Data: dataDir(t)}), "bash", "--norc")
	for i := range 8 {
		exchange(t, s, Input{Text: fmt.Sprintf("echo no %d; head -c 250000 /dev/zero | tr '\\0' %d; echo", i, i), Enter: true}, Wait{Timeout: patience})
	}
	say(t, s, "echo end")
	s.mu.Lock()
	size, gone := 0, s.state.Messages.Messages[1].ContentInLog
	for _, m := range s.state.Messages.Messages {
		size += len(m.Content)
	}
	s.mu.Unlock()
	if size > state.MaxMessagesSize || !gone {
		t.Fatalf("%d bytes in memory, the first output in the log alone: %v", size, gone)
	}
	list, err := s.MessageTexts(idsOf(t, s))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, m := range list {
		if m.Type == state.MessageOutput && len(m.Content) > 1000 {
			if m.Size != len(m.Content) || strings.Count(m.Content, fmt.Sprint(n)) < 250000 {
				t.Errorf("%s, no %d: %d bytes of %d, beginning %.50q", m.ID, n, len(m.Content), m.Size, m.Content)
			}
			n++
		}
	}
	if n != 8 {
		t.Errorf("%d long outputs of 8", n)
	}
}

// TestReadOnlyData checks that sessions work where no log can be written, and that every reply says
// so.
func TestReadOnlyData(t *testing.T) {
	d := dataDir(t)
	if err := os.Remove(filepath.Join(d.Path(), "sessions")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.Path(), "sessions"), nil, 0o600); err != nil { // not even root can create a directory there
		t.Fatal(err)
	}
	s, r := launch(t, managerOf(t, Options{Data: d}), "bash", "--norc")
	for range 2 {
		if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "log is kept in memory only (mkdir") {
			t.Errorf("notes %q", r.Notes)
		}
		r = say(t, s, "echo hello")
	}
	expect(t, r, detect.Prompt, "hello")
	if text := at(t, s, fmt.Sprint(r.Revision)).Text(); !strings.Contains(text, "hello") {
		t.Errorf("replayed:\n%s", text)
	}
}

// writeRecording writes a session's recording to w.
func writeRecording(s *Session, w io.Writer) error {
	r, err := s.Recording()
	if err != nil {
		return err
	}
	return r.Recording().WriteCast(w, 3)
}
