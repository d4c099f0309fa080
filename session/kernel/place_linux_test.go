package kernel

import (
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
)

// TestPlace checks that a View's Place distinguishes two waits of a program with the same calls and
// descriptors.
func TestPlace(t *testing.T) {
	r := start(t, need.Program(t, "nvim"), "-u", "NONE", "-n", "--cmd", "set updatetime=60000")
	r.shows("NVIM", 1)
	r.shows("\x1b[?1004h", 1) // nvim's thread for the terminal has a timer for this
	r.send("i")
	r.shows("-- INSERT --", 1)
	insert := r.until("a place", func(v View) bool { return v.Waiting && v.Place != 0 && v.WakesAfter > time.Second })
	r.send("\x1b")
	// At first nvim waits for the rest of a key, then again for the 60 s of updatetime.
	home := r.until("another place", func(v View) bool {
		return v.Waiting && v.Drained && v.Place != 0 && v.Place != insert.Place && v.WakesAfter > time.Second
	})
	if home.WakesAfter < 10*time.Second || home.WakesAfter > time.Minute {
		t.Errorf("wakes after %s, want the 60 s of updatetime", home.WakesAfter)
	}
	r.send(":sleep 20\r") // while nvim reads this, it waits at its command line, without a timer
	asleep := r.until("asleep", func(v View) bool {
		return v.Waiting && v.Drained && v.Place != 0 && v.Place != home.Place && v.Place != insert.Place && v.WakesAfter > 0
	})
	if asleep.WakesAfter > time.Second || asleep.Fingerprint != home.Fingerprint {
		t.Errorf("asleep: place %x, home %x, insert %x; %+v and %+v", asleep.Place, home.Place, insert.Place, asleep.Fingerprint, home.Fingerprint)
	}
	r.send("\x03")
	r.until("home", func(v View) bool { return v.Waiting && v.Place == home.Place })
}

// TestPlaceHelper checks that the wait of a helper in a group of its own belongs to the place, and
// that there is no place with a connection to any other program.
func TestPlaceHelper(t *testing.T) {
	const code = `
import os, select, socket, sys, time, tty
tty.setraw(0)
print('ready', end='\r\n', flush=True)
mine, theirs = socket.socketpair()
if os.fork() == 0:
    os.setsid()
    mine.close()
    while os.read(theirs.fileno(), 1):
        select.select([theirs], [], [], 20)
far = None
while True:
    ready = select.select([0, mine] + ([far] if far else []), [], [])[0]
    key = os.read(0, 1)
    if key == b's':
        mine.send(key)
    if key == b'c':
        l = socket.create_server(('127.0.0.1', 0))
        far = socket.create_connection(l.getsockname())
    print(key, 'taken', end='\r\n', flush=True)
`
	r := python(t, code)
	home := r.until("a place", func(v View) bool { return v.Waiting && v.Place != 0 })
	r.send("x")
	r.shows("taken", 1)
	r.until("the same place", func(v View) bool { return v.Place == home.Place })
	r.send("s")
	r.shows("taken", 2)
	r.until("another place", func(v View) bool { return v.Waiting && v.Place != 0 && v.Place != home.Place && v.WakesAfter > 0 })
	r.send("c")
	r.shows("taken", 3)
	r.until("no place", func(v View) bool { return v.Waiting && v.Place == 0 })
}

// TestReader checks that a program that waits for its terminal is distinguished from another
// program of its group that works, and from a thread of its own that works.
func TestReader(t *testing.T) {
	const code = `
import os, sys, threading, time
print('ready', flush=True)
sys.stdin.readline()
pid = os.fork()
if pid == 0:
    while os.getppid() != 1 and time.process_time() < 20: pass
    os._exit(0)
print('forked', flush=True)
sys.stdin.readline()
def spin():
    while time.process_time() < 20: pass
threading.Thread(target=spin, daemon=True).start()
print('threaded', flush=True)
sys.stdin.readline()
os.kill(pid, 9)
`
	r := python(t, code)
	if v := r.waiting(); v.Reader != 0 {
		t.Errorf("asleep: reader %d", v.Reader)
	}
	r.send("x\n")
	r.shows("forked", 1)
	r.until("the reader", func(v View) bool { return v.Reader == r.cmd.Process.Pid && !v.Waiting })
	r.send("x\n")
	r.shows("threaded", 1)
	for range 50 {
		if v := r.look.Look(); v.Reader != 0 || v.Waiting {
			t.Fatalf("while a thread of its own works: %+v", v)
		}
	}
	r.send("x\n")
}
