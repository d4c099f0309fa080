package kernel

import (
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/need"
)

// TestWaiting brings real programs to where they wait for input, and checks how the kernel shows
// that.
func TestWaiting(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		argv   string
		shows  string // what it shows before it waits
		modes  Modes
		strong bool // only input can make it go on
	}{
		{"read", "bash -c 'read x'", "", Modes{true, true, true, 0}, true},
		{"read -s", "bash -c 'read -s x'", "", Modes{true, true, false, 0}, true},
		{"stty -echo", "sh -c 'stty -echo; printf Password:; read x'", "Password:", Modes{true, true, false, 0}, true},
		{"getpass", "python3 -c 'import getpass; getpass.getpass()'", "Password:", Modes{true, true, false, 0}, true},
		{"cat", "cat", "", Modes{true, true, true, 0}, true},
		{"pipeline", "bash -c 'cat | cat'", "", Modes{true, true, true, 0}, true},
		{"bash", "bash --norc -i", "$ ", Modes{true, false, false, 0}, true},
		{"zsh", "zsh -f -i", "$ ", Modes{true, false, false, 0}, true},
		{"fish", "fish -N -i", "\x1b[K", Modes{true, false, false, 0}, false},
		{"dash", "dash -i", "$ ", Modes{true, true, true, 0}, true},
		{"python", "python3 -q -i", ">>> ", Modes{true, false, false, 0}, true},
		{"node", "node", "> ", Modes{true, false, false, 0}, false},
		{"sqlite3", "sqlite3", "sqlite> ", Modes{true, false, false, 0}, true},
		{"gdb", "gdb -q -nx", "(gdb) ", Modes{true, false, false, 0}, true},
		{"irb", "irb -f", ">", Modes{true, false, false, 0}, false},
		{"vim", "vim -u NONE", "VIM", Modes{true, false, false, 0}, false},
		{"less", "less /etc/passwd", "root", Modes{true, false, false, 0}, true},
		{"top", "top", "PID", Modes{true, false, false, 0}, false},
		{"script", "script -q -c 'bash --norc -i' /dev/null", "$ ", Modes{true, false, false, 0}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			need.Program(t, strings.Fields(tt.argv)[0])
			sh := need.Program(t, "sh")
			r := start(t, sh, "-c", "exec "+tt.argv)
			r.shows(tt.shows, 1)
			v := r.waiting()
			if !v.Known || v.Modes != tt.modes {
				t.Errorf("known %v, modes %+v, want %+v", v.Known, v.Modes, tt.modes)
			}
			if tt.strong && !v.Final() {
				t.Errorf("not final: %+v", v)
			}
		})
	}
}

// TestLeftTerminal checks the views of a program that reads the terminal from a session of its own,
// and of one there that does not read it.
func TestLeftTerminal(t *testing.T) {
	setsid := need.Program(t, "setsid")
	r := start(t, setsid, "-w", "cat")
	v := r.waiting()
	r.send("\x04") // cat would keep the terminal open
	if v.Foreground.Comm != "cat" || !v.Final() {
		t.Errorf("view %+v", v)
	}
	r = start(t, setsid, "-w", "sh", "-c", "echo ready; sleep 0.5")
	r.shows("ready", 1)
	if v := r.look.Look(); v.Waiting {
		t.Errorf("waiting: %+v", v)
	}
}

// TestBusy checks that no look at a program that does not wait for input shows it waiting.
func TestBusy(t *testing.T) {
	tests := []struct{ name, argv string }{
		{"sleep", "sleep 100"},
		{"sleep in a script", "bash -c 'echo go; sleep 100; read x'"},
		{"pipeline", "bash -c 'sleep 100 | cat'"},
		{"busy loop", "bash -c 'while :; do :; done'"},
		{"reads a FIFO", "bash -c 'mkfifo $HOME/f; read x < $HOME/f'"},
		{"background reader of the group", "bash -c 'sleep 100 & wait'"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := start(t, need.Program(t, "sh"), "-c", "exec "+tt.argv)
			for range 100 {
				if v := r.look.Look(); v.Waiting {
					t.Fatalf("waiting: %+v", v)
				}
			}
		})
	}
}

// TestScheduled checks that a look at the moment of writing is not taken for an answer.
func TestScheduled(t *testing.T) {
	r := start(t, need.Program(t, "cat"))
	before := r.waiting()
	for i := range 200 {
		r.send("x\n")
		after := r.until("scheduled", func(v View) bool { return v.Waiting && v.Scheduled(before) })
		r.shows("x\r\n", 2*i+2) // The echo, and what cat wrote before it read again.
		before = after
	}
}

// TestClosed checks looks at a terminal whose program has ended, and at a closed master.
func TestClosed(t *testing.T) {
	r := start(t, need.Program(t, "sh"), "-c", "exit 3")
	r.cmd.Wait()
	if v := r.look.Look(); v.Waiting || v.Known {
		t.Errorf("waiting after exit: %+v", v)
	}
	r.master.Close()
	if v := r.look.Look(); !reflect.DeepEqual(v, View{}) {
		t.Errorf("view of a closed master: %+v", v)
	}
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := NewLooker(f, 1); err == nil {
		t.Error("no error for a Looker on a file that is not a terminal")
	}
}

// BenchmarkLook measures one look at programs that wait at their prompts, with up to fifty threads.
// The processor time is right even on a busy machine.
func BenchmarkLook(b *testing.B) {
	for _, argv := range []string{"bash --norc -i", "node", "vim -u NONE", "jshell"} {
		b.Run(strings.Fields(argv)[0], func(b *testing.B) {
			need.Program(b, strings.Fields(argv)[0])
			r := start(b, need.Program(b, "sh"), "-c", "exec "+argv)
			r.waiting()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			b.ReportAllocs()
			began, n := threadTime(b), 0
			for b.Loop() {
				r.look.Look()
				n++
			}
			b.ReportMetric(float64(threadTime(b)-began)/float64(n), "cpu-ns/op")
		})
	}
}

// threadTime returns the processor time of this thread.
func threadTime(t testing.TB) time.Duration {
	t.Helper()
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		t.Fatal(err)
	}
	return time.Duration(ts.Nano())
}
