package kernel

import (
	"os"
	"testing"
)

// TestCPUClock checks that a process's clock goes on as it runs, stands while all
// its threads sleep, and is not made up.
func TestCPUClock(t *testing.T) {
	p := procfs{root: procRoot}
	if was, now := p.cpuClock(os.Getpid()), p.cpuClock(os.Getpid()); was != 0 && now != 0 && now <= was {
		t.Errorf("the clock of a running process went from %d to %d", was, now)
	}
	r := python(t, "for n in range(5): threading.Thread(target=time.sleep, args=(100,)).start()\nprint('ready')\nfor line in sys.stdin: sum(range(100000)); print('more')")
	r.waiting()
	pid := r.cmd.Process.Pid
	was := p.cpuClock(pid)
	if now := p.cpuClock(pid); now != was {
		t.Errorf("the clock of a sleeping process went from %d to %d", was, now)
	}
	r.send("x\n")
	r.shows("more", 1)
	r.waiting()
	if now := p.cpuClock(pid); now != 0 && now <= was {
		t.Errorf("after a computation the clock went from %d to %d", was, now)
	}
	for _, pid := range []int{0, -1, 1 << 30} {
		if ns := p.cpuClock(pid); ns != 0 {
			t.Errorf("process %d has run for %d ns", pid, ns)
		}
	}
	p.root = t.TempDir()
	if ns := p.cpuClock(pid); ns != 0 {
		t.Errorf("another /proc: %d ns", ns)
	}
}

// TestRested checks that looks which reuse what the last one has read see the
// threads that come and go as those do which read all anew.
func TestRested(t *testing.T) {
	r := python(t, `
l = threading.Lock(); l.acquire()
print('ready')
for line in sys.stdin:
    if line == "+\n": threading.Thread(target=l.acquire).start()
    if line == "-\n": l.release()
    if line == "fork\n" and os.fork() == 0: time.sleep(100)
    print('done')
`)
	threads := 1
	for i, step := range []struct {
		line string
		more int
	}{{"+", 1}, {"+", 1}, {"-", -1}, {"fork", 1}, {"+", 1}} {
		before := r.waiting()
		r.send(step.line + "\n")
		r.shows("done", i+1)
		v := r.until("scheduled", func(v View) bool { return v.Waiting && v.Scheduled(before) })
		if threads += step.more; v.Activity.Threads != threads {
			t.Errorf("after %q: %d threads, want %d", step.line, v.Activity.Threads, threads)
		}
		fresh, err := NewLooker(r.master, r.cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		again := fresh.Look()
		fresh.Close()
		if last := r.waiting(); again.Activity != last.Activity || again.Fingerprint != last.Fingerprint {
			t.Errorf("after %q: a new Looker sees %+v, the old one %+v", step.line, again, last)
		}
	}
}
