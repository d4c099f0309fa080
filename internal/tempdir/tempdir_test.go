package tempdir

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestSweep checks that Sweep removes directories that nobody holds, and nothing else.
func TestSweep(t *testing.T) {
	tmp, outside := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", tmp)
	dirs := map[string]string{}
	for what, kind := range map[string]string{"left": Recordings, "held": Session, "young": Session} {
		dir, err := Make(kind)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("mode of a new directory: %v, %v", info.Mode(), err)
		}
		dirs[what] = dir
	}
	theirs, err := Make(Session)
	if err != nil {
		t.Fatal(err)
	}
	link, other := filepath.Join(tmp, "glasstty-session-1"), filepath.Join(tmp, "glasstty-session-notes")
	err = errors.Join(
		os.Mkdir(other, 0o700),
		os.Symlink(outside, link),
		os.WriteFile(filepath.Join(outside, "kept"), nil, 0o600),
		os.WriteFile(filepath.Join(dirs["left"], "rc.bash"), nil, 0o600),
		os.Symlink(outside, filepath.Join(dirs["left"], "link")),
	)
	if err != nil {
		t.Fatal(err)
	}
	release := Hold(dirs["held"])
	Hold(filepath.Join(tmp, "missing"))()
	now := time.Now().Add(2 * minAge)
	if err := os.Chtimes(dirs["young"], now, now); err != nil {
		t.Fatal(err)
	}
	stay := []string{dirs["held"], dirs["young"], link, other, filepath.Join(outside, "kept")}
	want := 2
	if os.Geteuid() == 0 { // only root can give it to another user
		if err := os.Chown(theirs, 4711, 4711); err != nil {
			t.Fatal(err)
		}
		stay, want = append(stay, theirs), 1
	}
	if n, err := Sweep(now); n != want || err != nil {
		t.Errorf("%d removed, %v; want %d", n, err, want)
	}
	for _, path := range stay {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Lstat(dirs["left"]); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an abandoned directory was not removed: %v", err)
	}
	release()
	if n, err := Sweep(now); n != 1 || err != nil {
		t.Errorf("after the release: %d removed, %v; want 1", n, err)
	}
	if err := os.Chmod(tmp, 0o777); err != nil {
		t.Fatal(err)
	}
	if n, err := Sweep(now.Add(2 * minAge)); n != 0 || err == nil {
		t.Errorf("in a directory that others may write to: %d removed, %v; want 0 and an error", n, err)
	}
	if left, err := os.ReadDir(tmp); err != nil || !slices.ContainsFunc(left, func(e os.DirEntry) bool { return e.Name() == filepath.Base(dirs["young"]) }) {
		t.Errorf("%v, %v", left, err)
	}
}
