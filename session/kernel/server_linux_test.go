package kernel

import (
	"testing"
	"time"
)

// handedTerminal is a client that hands its terminal to a server outside its session, as tmux does.
// The server reads keys, and computes for a while after each.
const handedTerminal = `
import array, signal, tty
path = os.path.join(os.environ["HOME"], "socket")
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen()
if os.fork() == 0:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    os.setsid()
    peer, _ = listener.accept()
    fds = array.array("i", [0])
    peer.send(b"pid %d" % os.getpid())
    _, anc, _, _ = peer.recvmsg(1, socket.CMSG_LEN(4))
    fds.frombytes(anc[0][2][:4])
    term = fds[1]
    tty.setraw(term)
    os.write(term, b"ready\r\n")
    while True:
        select.select([term, peer], [], [])
        if os.read(term, 100) in (b"", b"q"): os._exit(0)
        end = time.monotonic() + 0.3
        while time.monotonic() < end: pass
        os.write(term, b"done\r\n")
listener.close()
peer = socket.socket(socket.AF_UNIX)
peer.connect(path)
peer.recv(100)
peer.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))])
select.select([peer], [], [])
`

// TestServerWorks checks looks at a client whose server works with its terminal: the client sleeps
// all the time, which says nothing.
func TestServerWorks(t *testing.T) {
	r := python(t, handedTerminal)
	r.waiting()
	for n := range 3 {
		r.send("k")
		r.until("at work", func(v View) bool { return !v.Waiting })
		for end := time.Now().Add(200 * time.Millisecond); time.Now().Before(end); {
			if v := r.look.Look(); v.Asleep && v.Drained && !v.Waiting {
				t.Fatalf("only the client is seen: %+v", v)
			}
		}
		r.shows("done", n+1)
		r.waiting()
	}
	r.send("q")
}
