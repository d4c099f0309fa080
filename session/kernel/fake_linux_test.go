package kernel

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
)

// TestFakeProc checks looks at a real terminal through a /proc that hides its process, lacks files
// or has wrong data.
func TestFakeProc(t *testing.T) {
	r := start(t, need.Program(t, "cat"))
	r.waiting()
	pid := r.cmd.Process.Pid
	p := strconv.Itoa(pid)
	stat := p + " (cat) S 1 " + p + " " + p + " 34816 " + p + " 0 0 0 0 0 0 0 0 0 20 0 1 0 0 0 0\n"
	good := map[string]string{
		"stat": stat, "task/" + p + "/schedstat": "1000 0 5\n", "task/" + p + "/children": "",
		"task/" + p + "/stat": stat, "task/" + p + "/syscall": "0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0\n", "fd/0": "-> /dev/null",
	}
	tests := []struct {
		name  string
		file  string
		text  string
		known bool
	}{
		{"nothing there", "", "", false},
		{"stat missing", "stat", "", false},
		{"stat empty", "stat", "\n", false},
		{"stat cut", "stat", p + " (cat) S 1 2", false},
		{"stat without name", "stat", "1 2 3 4", false},
		{"stat of another group", "stat", strings.ReplaceAll(stat, p+" "+p, "1 1"), false},
		{"stat of noise", "stat", strings.Repeat("\xff(", 9000), false},
		{"schedstat missing", "task/" + p + "/schedstat", "", false},
		{"schedstat of zeros", "task/" + p + "/schedstat", "0 0 0\n", false},
		{"schedstat of noise", "task/" + p + "/schedstat", "x", false},
		{"children missing", "task/" + p + "/children", "", false},
		{"children that come back", "task/" + p + "/children", p + " " + p + " ", false},
		{"children that are not there", "task/" + p + "/children", "1 2 3 -4 99999999999999999999", true},
		{"children without end", "task/" + p + "/children", strings.Repeat(p+" ", 5000), false},
		{"many threads without a list", "stat", strings.ReplaceAll(stat, " 1 0 0 0 0\n", " 100000 0 0 0 0\n"), true},
		{"syscall missing", "task/" + p + "/syscall", "", true},
		{"syscall empty", "task/" + p + "/syscall", "\n", false},
		{"syscall cut", "task/" + p + "/syscall", "0 0x0", false},
		{"syscall unknown", "task/" + p + "/syscall", "99999 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0\n", true},
		{"read of a strange descriptor", "task/" + p + "/syscall", "0 0xffffffffffffffff 0x0 0x0 0x0 0x0 0x0 0x0 0x0\n", true},
		{"poll of no memory", "task/" + p + "/syscall", "7 0x10 0x400 0x0 0x0 0x0 0x0 0x0 0x0\n", true},
		{"poll without bound", "task/" + p + "/syscall", "7 0x10 0xffffffffffffffff 0x0 0x0 0x0 0x0 0x0 0x0\n", true},
		{"select without bound", "task/" + p + "/syscall", "23 0xffffffffffffffff 0x10 0x10 0x10 0x0 0x0 0x0 0x0\n", true},
		{"select of no memory", "task/" + p + "/syscall", "23 0x40 0x10 0x10 0x10 0x0 0x0 0x0 0x0\n", true},
		{"epoll of nothing", "task/" + p + "/syscall", "232 0x40 0x10 0x10 0x10 0x0 0x0 0x0 0x0\n", true},
		{"another file", "fd/0", "-> /etc/passwd", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range good {
				if name == tt.file {
					text = tt.text
				}
				if tt.file != "" && !(name == tt.file && text == "" && !strings.Contains(tt.name, "empty")) {
					fakeFile(t, filepath.Join(dir, p, name), text)
				}
			}
			l, err := NewLooker(r.master, pid)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			l.procfs.root = dir
			for range 2 {
				v := l.Look()
				if v.Waiting || v.Known != tt.known || !v.Modes.Known || v.Foreground.PGID != pid {
					t.Errorf("view %+v", v)
				}
			}
		})
	}
}

// TestFailedWalk checks that a process found after a look that could not read it has no known start
// of its wait.
func TestFailedWalk(t *testing.T) {
	dir := t.TempDir()
	write := func(pid int, stat, children string) {
		p := strconv.Itoa(pid)
		fakeFile(t, filepath.Join(dir, p, "stat"), stat)
		fakeFile(t, filepath.Join(dir, p, "task", p, "schedstat"), "5 6 7\n")
		fakeFile(t, filepath.Join(dir, p, "task", p, "children"), children)
	}
	const rest = " (x) S 1 10 10 1 10 0 0 0 0 0 0 0 0 0 20 0 1 0 0 0 0\n"
	write(10, "10"+rest, "11 ")
	write(11, "noise", "")
	l := newLooker(10)
	l.procfs.root = dir
	defer l.Close()
	l.began = time.Now()
	if err := l.walk(10); err == nil {
		t.Fatal("no error from the first walk")
	}
	l.Close()
	write(11, "11"+rest, "")
	l.began = time.Now()
	if err := l.walk(10); err != nil {
		t.Fatal(err)
	}
	if p := l.process(11); p == nil || len(p.threads) != 1 || !p.threads[0].beganAfter.IsZero() {
		t.Errorf("process 11: %+v", p)
	}
}

// fakeFile writes a file, or a link if text begins with an arrow.
func fakeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	err := error(nil)
	if to, ok := strings.CutPrefix(text, "-> "); ok {
		err = os.Symlink(to, path)
	} else {
		err = os.WriteFile(path, []byte(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestVanishing checks looks at a terminal whose processes come and go all the time.
func TestVanishing(t *testing.T) {
	r := start(t, need.Program(t, "bash"), "--norc", "-c", "while :; do /bin/true & /bin/true | /bin/true; wait; done")
	for range 3000 {
		if v := r.look.Look(); v.Waiting {
			t.Fatalf("waiting: %+v", v)
		}
	}
	if n := r.look.procfs.open; n > maxKept {
		t.Errorf("%d files kept open, want at most %d", n, maxKept)
	}
	r.look.Close()
	if n := r.look.procfs.open; n != 0 {
		t.Errorf("%d files open after Close", n)
	}
}

// FuzzParse feeds any bytes to the parsers of files in /proc.
func FuzzParse(f *testing.F) {
	f.Add([]byte("1 (a) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24"))
	f.Add([]byte("0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0\n"))
	f.Add([]byte("running\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := ParseStat(b); err == nil && len(s.Comm) > len(b) {
			t.Errorf("comm %q of %q", s.Comm, b)
		}
		if c, err := parseCall(b); err == nil && c.running && c.nr != 0 {
			t.Errorf("call %+v of %q", c, b)
		}
		eachNumber(b, func(int) bool { return true })
	})
}
