package eventlog

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestFullTmpfs checks a log on a full file system, if this process may mount one.
func TestFullTmpfs(t *testing.T) {
	mount := t.TempDir()
	if err := unix.Mount("tmpfs", mount, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("no tmpfs may be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(mount, 0); err != nil {
			t.Error(err)
		}
	})
	ballast := filepath.Join(mount, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 64<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(mount, "log")
	if err := os.Mkdir(dir, dirMode); err != nil {
		t.Fatal(err)
	}
	st := DirStore(dir)
	w := create(t, st, Options{Direct: true})
	line := append(bytes.Repeat([]byte{'x'}, 997), "\r\n"...)
	n := 0
	for w.Flush() == nil {
		w.Append(Event{Kind: Output, At: time.Duration(n), Data: line})
		n++
	}
	if s := w.Status(); !errors.Is(w.err, unix.ENOSPC) || s.Error != w.err.Error() {
		t.Fatalf("after %d lines: %+v", n, s)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	w.Rotate(time.Minute)
	w.Append(Event{Kind: Output, At: time.Minute, Data: []byte("on again")})
	if err := w.Flush(); err != nil || w.Status().Error != "" {
		t.Fatalf("with room: %v, %+v", err, w.Status())
	}
	all := outputOf(events(t, st))
	if kept := len(all) / len(line); kept < n-1 || !bytes.HasSuffix(all, []byte("on again")) {
		t.Errorf("%d of %d lines kept, ending %q", kept, n, all[max(0, len(all)-20):])
	}
}

// TestReadOnlyFromTheStart checks the error for a data directory that could never be written to: it
// says so, and what to do.
func TestReadOnlyFromTheStart(t *testing.T) {
	mount := t.TempDir()
	if err := unix.Mount("tmpfs", mount, "tmpfs", unix.MS_RDONLY, "mode=700"); err != nil {
		t.Skipf("no tmpfs may be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(mount, 0); err != nil {
			t.Error(err)
		}
	})
	f, err := takeLock(filepath.Join(mount, lockName))
	if err == nil {
		t.Fatal("a read-only directory was locked", f.Close())
	}
	if !errors.Is(err, unix.EROFS) || !strings.Contains(err.Error(), "give another data directory") {
		t.Error(err)
	}
}
