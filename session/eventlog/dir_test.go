package eventlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/owned"
)

func openDir(t *testing.T, path string) *Dir {
	t.Helper()
	d, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func TestSecondServerIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	d := openDir(t, path)
	_, err := OpenDir(path)
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), fmt.Sprintf("process id %d;", os.Getpid())) {
		t.Errorf("second server: %v", err)
	}
	d.Close()
	openDir(t, path)
}

// tree returns all files below path with their modes and contents.
func tree(t *testing.T, path string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v", strings.TrimPrefix(name, path), info.Mode())
		if !e.IsDir() {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %q", data)
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestVersions(t *testing.T) {
	write := func(path string, data string, mode fs.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), mode); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		file, data string
		want       error
		say        string
	}{
		"newer":    {"version", "2\n", ErrVersion, "layout 2"},
		"nonsense": {"version", "x", nil, `says "x"`},
		"foreign":  {"letter.txt", "dear", nil, "it holds letter.txt"},
	} {
		path := t.TempDir()
		write(filepath.Join(path, tt.file), tt.data, 0o644)
		before := tree(t, path)
		for _, open := range []func(string) error{
			func(p string) error { _, err := OpenDir(p); return err },
			func(p string) error { _, err := OpenServerDir(p, time.Now()); return err },
		} {
			if err := open(path); err == nil || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.say) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if after := tree(t, path); after != before {
			t.Errorf("%s: the directory was changed:\n%s\nbefore:\n%s", name, after, before)
		}
	}
	path := filepath.Join(t.TempDir(), "data")
	d := openDir(t, path)
	want := "drwx------\n/lock -rw------- \"PID\\n\"\n/sessions drwx------\n/version -rw------- \"1\\n\"\n"
	if got := strings.Replace(tree(t, path), fmt.Sprint(os.Getpid()), "PID", 1); got != " "+want {
		t.Errorf("a new directory:\n%s\nwant:\n%s", got, want)
	}
	write(filepath.Join(path, "sessions", "s1", SegmentName(0)), "x", 0o600)
	if all, err := d.Sessions(); err != nil || len(all) != 1 || all["s1"] == "" {
		t.Errorf("sessions %v, %v", all, err)
	}
}

func TestIDsArePlainNames(t *testing.T) {
	d := openDir(t, t.TempDir())
	before := tree(t, d.Path())
	for _, id := range []string{"", ".", "..", "../x", "a/b", "/etc", "A", "s 1", "s\x00", "é", "a..b", strings.Repeat("a", maxID+1)} {
		if _, err := d.NewSession(id); !errors.Is(err, ErrName) {
			t.Errorf("new %q: %v, want ErrName", id, err)
		}
		if err := d.RemoveSession(id); !errors.Is(err, ErrName) {
			t.Errorf("remove %q: %v, want ErrName", id, err)
		}
	}
	if after := tree(t, d.Path()); after != before {
		t.Errorf("now there is:\n%s", after)
	}
	if _, err := d.NewSession("s1"); err != nil {
		t.Error(err)
	}
	if _, err := d.NewSession("s1"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("again: %v", err)
	}
}

// TestServersShareARoot checks two servers in one root: when one has ended, its directory is found,
// and its old and its large logs are pruned.
func TestServersShareARoot(t *testing.T) {
	root := filepath.Join(t.TempDir(), "state")
	if list, err := Abandoned(root); err != nil || len(list) != 0 {
		t.Errorf("before the first: %v, %v", list, err)
	}
	now := time.Now()
	one, err := OpenServerDir(root, now)
	if err != nil {
		t.Fatal(err)
	}
	two, err := OpenServerDir(root, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { two.Close() })
	for i, id := range []string{"s1", "s2", "s3", "s4"} {
		st, err := one.NewSession(id)
		if err != nil {
			t.Fatal(err)
		}
		size := 1000
		if id == "s2" {
			size = 5000
		}
		if err := st.Put(SegmentName(0), make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		age := now.Add(-time.Duration(i) * 24 * time.Hour)
		if err := os.Chtimes(filepath.Join(string(st), SegmentName(0)), age, age); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := Abandoned(root); err != nil || len(list) != 0 {
		t.Errorf("while both run: %v, %v", list, err)
	}
	one.Close()
	list, err := Abandoned(root)
	if err != nil || len(list) != 1 || list[0].Path() != one.Path() {
		t.Fatalf("after the end of one: %v, %v", list, err)
	}
	sessions := func() string {
		all, err := list[0].Sessions()
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, id := range []string{"s1", "s2", "s3", "s4"} {
			if all[id] != "" {
				ids = append(ids, id)
			}
		}
		return strings.Join(ids, " ")
	}
	list, err = Prune(list, Limits{MaxAge: 60 * time.Hour, MaxBytes: 10_000}, now)
	if err != nil || len(list) != 1 || sessions() != "s1 s2 s3" {
		t.Fatalf("pruned by age: %s, %v", sessions(), err)
	}
	list, err = Prune(list, Limits{MaxBytes: 2500}, now)
	if err != nil || len(list) != 1 || sessions() != "s1 s3" {
		t.Fatalf("pruned by size: %s, %v", sessions(), err)
	}
	list, err = Prune(list, Limits{MaxBytes: 1500}, now)
	if err != nil || len(list) != 1 || sessions() != "s1" {
		t.Fatalf("pruned by size, again: %s, %v", sessions(), err)
	}
	list, err = Prune(list, Limits{MaxAge: time.Nanosecond}, now.Add(time.Hour))
	if _, serr := os.Stat(one.Path()); err != nil || len(list) != 0 || !errors.Is(serr, fs.ErrNotExist) {
		t.Fatalf("pruned all: %v, %v, %v", list, err, serr)
	}
}

func TestMeta(t *testing.T) {
	st := DirStore(t.TempDir())
	if _, err := LoadMeta(st); !errors.Is(err, ErrNoLog) {
		t.Errorf("none: %v", err)
	}
	code := 3
	want := Meta{Session: "s1", Command: "sh", Args: []string{"-c", "exit 3"}, Status: "exited", ExitCode: &code}
	if err := SaveMeta(st, want); err != nil {
		t.Fatal(err)
	}
	if got, err := LoadMeta(st); err != nil || got.Status != "exited" || *got.ExitCode != 3 || got.Args[1] != "exit 3" {
		t.Errorf("%+v, %v", got, err)
	}
	for data, want := range map[string]error{"{": ErrNoLog, `{"format":2}`: ErrVersion} {
		if err := st.Put(MetaName, []byte(data)); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadMeta(st); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", data, err, want)
		}
	}
}

// TestForeignDirectory checks that another user's directory is refused, as the server's own and as
// one that servers share, and that nothing is left in it.
func TestForeignDirectory(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make a directory of another user")
	}
	dir := t.TempDir()
	if err := os.Chown(dir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	_, err := OpenDir(dir)
	_, shared := OpenServerDir(dir, time.Now())
	for _, err := range []error{err, shared} {
		if !errors.Is(err, owned.ErrForeign) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "65534") {
			t.Error(err)
		}
	}
	if list, err := os.ReadDir(dir); len(list) > 0 || err != nil {
		t.Errorf("left behind: %v, %v", list, err)
	}
}

// TestFind checks that a log is found by its session's ID or name, that the newest of several
// is found, and that a log without metadata is found by its ID.
func TestFind(t *testing.T) {
	root := t.TempDir()
	if _, err := Find(root, "s1"); !errors.Is(err, ErrNoLog) {
		t.Errorf("no data: %v", err)
	}
	d, err := OpenDir(root)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	store := func(id string, age time.Duration, meta bool) DirStore {
		st, err := d.NewSession(id)
		if err != nil {
			t.Fatal(err)
		}
		s := start()
		s.Session, s.Time = id, began.Add(-age)
		if _, err := Create(st, s, Options{Direct: true}); err != nil {
			t.Fatal(err)
		}
		if meta {
			if err := SaveMeta(st, Meta{Session: id, Name: "build", CreatedAt: s.Time}); err != nil {
				t.Fatal(err)
			}
		}
		return st
	}
	store("s1", 2*time.Hour, true)
	newer, bare := store("s2", time.Hour, true), store("s3", 0, false)
	for name, want := range map[string]DirStore{"build": newer, "s2": newer, "s3": bare} {
		if got, err := Find(root, name); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
	}
	if _, err := Find(root, "s4"); !errors.Is(err, ErrNoLog) {
		t.Errorf("another ID: %v", err)
	}
}

// TestFindRunning checks that a session that is running in a server is found before newer ones that have
// ended, and that several running ones are an error.
func TestFindRunning(t *testing.T) {
	root := t.TempDir()
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	add := func(status string, age time.Duration) (*Dir, DirStore) {
		d, err := OpenServerDir(root, began.Add(-age))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		st, err := d.NewSession("s1")
		if err != nil {
			t.Fatal(err)
		}
		if err := SaveMeta(st, Meta{Session: "s1", Name: "build", Status: status, CreatedAt: began.Add(-age)}); err != nil {
			t.Fatal(err)
		}
		return d, st
	}
	add("exited", 0)
	killed, _ := add("running", time.Hour)
	_ = killed.Close()
	_, running := add("running", 3*time.Hour)
	for _, name := range []string{"s1", "build"} {
		if got, err := Find(root, name); err != nil || got != running {
			t.Errorf("%s: %s, %v; want %s", name, got, err, running)
		}
	}
	_, second := add("running", 2*time.Hour)
	if _, err := Find(root, "build"); !errors.Is(err, ErrSeveral) || !strings.Contains(err.Error(), string(running)) || !strings.Contains(err.Error(), string(second)) {
		t.Errorf("two running sessions: %v", err)
	}
}
