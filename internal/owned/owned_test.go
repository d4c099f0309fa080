package owned

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// theirs is the uid of another user.
const theirs = 4711

// TestOpen checks that directories of this user can be opened, and that missing ones are
// created for this user only.
func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	dir, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	if err := CheckPrivate(dir); err != nil {
		t.Error(err)
	}
	link := filepath.Join(t.TempDir(), "own")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if again, err := Open(link); err != nil {
		t.Errorf("through a link of this user: %v", err)
	} else {
		again.Close()
	}
	for mode, want := range map[fs.FileMode]bool{0o755: true, 0o775: false, 0o777: false, 0o777 | fs.ModeSticky: true} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := CheckPrivate(dir); (err == nil) != want || err != nil && !strings.Contains(err.Error(), "chmod 700") {
			t.Errorf("%v: %v", mode, err)
		}
	}
}

// TestForeign checks that a directory or link of another user is rejected. Only root can
// give them to another user.
func TestForeign(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not root")
	}
	dir := t.TempDir()
	path, own, link := filepath.Join(dir, "theirs"), filepath.Join(dir, "own"), filepath.Join(dir, "link")
	err := errors.Join(os.Mkdir(path, 0o700), os.Chown(path, theirs, theirs), os.Mkdir(own, 0o700), os.Symlink(own, link), os.Lchown(link, theirs, theirs))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, link} {
		if _, err := Open(p); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), p+" belongs to another user (uid 4711)") {
			t.Errorf("%s: %v", p, err)
		}
	}
	for uid, want := range map[uint32]bool{uint32(os.Geteuid()): true, 0: true, theirs: false} {
		if Trusted(uid) != want {
			t.Errorf("uid %d: trusted %v", uid, !want)
		}
	}
}
