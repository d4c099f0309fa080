package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session/eventlog"
)

// TestFullDisk fills the disk under a session's log. It checks that the session goes on, that every
// reply says since when the log is missing, and that the log goes on when there is room, with the
// terminal as it is then.
func TestFullDisk(t *testing.T) {
	need.Long(t)
	mount := t.TempDir()
	if err := unix.Mount("tmpfs", mount, "tmpfs", 0, "size=512k"); err != nil {
		t.Skipf("no tmpfs may be mounted here: %v", err)
	}
	d, err := eventlog.OpenDir(filepath.Join(mount, "data"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if err := unix.Unmount(mount, 0); err != nil {
			t.Error(err)
		}
	})
	s, r := launch(t, managerOf(t, Options{Data: d}), "bash", "--norc")
	expect(t, r, detect.Prompt, "")
	if len(r.Notes) > 0 {
		t.Errorf("notes %q", r.Notes)
	}
	r = say(t, s, "seq 200000")
	s.child.Log() // flushes the log
	for range 2 {
		r = say(t, s, "echo still here")
		expect(t, r, detect.Prompt, "still here")
		if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "log stopped") || !strings.Contains(notes, "no space left on device") || !strings.Contains(notes, "retried every 5s") {
			t.Fatalf("notes %q", r.Notes)
		}
	}
	segment := s.RecordingPath()
	if _, _, err := s.SnapshotAt(fmt.Sprint(r.Revision), 0); err == nil || !strings.Contains(err.Error(), "in the future: the latest is") {
		t.Errorf("a revision that is not in the log: %v", err)
	}
	if err := os.Truncate(segment, 1<<16); err != nil { // this makes room
		t.Fatal(err)
	}
	for s.child.LogStatus().Error != "" {
		exchange(t, s, Input{Text: "echo again", Enter: true}, Wait{Timeout: patience})
		s.child.Log()
	}
	if r = say(t, s, "echo logged"); len(r.Notes) > 0 {
		t.Errorf("notes %q", r.Notes)
	}
	if again := s.RecordingPath(); again == segment {
		t.Errorf("the log goes on in %s", again)
	}
	want := s.Snapshot(0)
	if got := at(t, s, fmt.Sprint(want.Revision)); got.Text() != want.Text() {
		t.Errorf("replayed:\n%s\nwant\n%s", got.Text(), want.Text())
	}
}
