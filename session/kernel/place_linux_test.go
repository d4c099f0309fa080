package kernel

import (
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
)

// TestPlace checks that a View's Place tells one wait of a program from another
// in which it has the same calls and descriptors.
func TestPlace(t *testing.T) {
	r := start(t, need.Program(t, "nvim"), "-u", "NONE", "-n")
	placed := func(not ...uint64) View {
		return r.until("a place", func(v View) bool {
			for _, p := range not {
				if v.Place == p {
					return false
				}
			}
			return v.Waiting && v.Place != 0
		})
	}
	r.shows("NVIM", 1)
	home := placed()
	r.send("i")
	insert := placed(home.Place)
	r.send("\x1b")
	if v := r.until("home", func(v View) bool { return v.Place == home.Place }); v.Wakes == 0 || v.Wakes > 4*time.Second {
		t.Errorf("wakes after %s, want the 4 s of updatetime", v.Wakes)
	}
	r.send(":sleep 20\r")
	if v := placed(home.Place, insert.Place); v.Wakes == 0 || v.Wakes > time.Second || v.Fingerprint != home.Fingerprint {
		t.Errorf("asleep: place %x, home %x, insert %x; %+v and %+v", v.Place, home.Place, insert.Place, v.Fingerprint, home.Fingerprint)
	}
}

// TestPlaceHelper checks that what a helper in a group of its own waits for
// belongs to the place, and that a connection to somebody else leaves none.
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
	r.until("another place", func(v View) bool { return v.Waiting && v.Place != 0 && v.Place != home.Place && v.Wakes > 0 })
	r.send("c")
	r.shows("taken", 3)
	r.until("no place", func(v View) bool { return v.Waiting && v.Place == 0 })
}
