package child

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
)

// hogVar makes this binary a hog: a program that uses too much of something, and ends by itself
// after hogLimit.
const hogVar = "GLASSTTY_TEST_HOG"

// hogLimit is the longest time that a hog runs.
const hogLimit = 20 * time.Second

// hog uses too much memory, processor time or processes.
func hog(what string) {
	end := time.After(hogLimit)
	switch what {
	case "memory": // up to 200 MB, a megabyte every 2 ms
		var kept [][]byte
		for range 200 {
			page := make([]byte, 1<<20)
			for i := 0; i < len(page); i += 512 {
				page[i] = 1
			}
			kept = append(kept, page)
			<-time.After(2 * time.Millisecond)
		}
		defer runtime.KeepAlive(kept)
	case "cpu":
		for begun := time.Now(); time.Since(begun) < hogLimit; {
		}
		return
	case "tree": // 30 processes that do nothing
		for range 30 {
			cmd := exec.Command("sleep", strconv.Itoa(int(hogLimit/time.Second)))
			if err := cmd.Start(); err != nil {
				fmt.Println(err)
			}
		}
	}
	<-end
}

// TestLimitsKill checks that a tree of processes is killed if any of its processes uses too much,
// and that the exit says why.
func TestLimitsKill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		hog    string
		what   LimitName
		limits Limits
	}{
		{"tree", LimitProcesses, Limits{Processes: 20}},
		{"memory", LimitMemory, Limits{Memory: 100 << 20}},
		{"cpu", LimitCPU, Limits{CPU: 300 * time.Millisecond}},
	} {
		if !slices.Contains(MeasurableLimits(), tt.what) {
			t.Logf("%s cannot be measured on %s", tt.what, runtime.GOOS)
			continue
		}
		for how, script := range map[string]string{
			"child": `exec "$0"`, "grandchild": `"$0"; true`, "daemon": `setsid "$0" & wait`, "orphan": `(setsid "$0" & ); read x`,
		} {
			t.Run(tt.hog+"/"+how, func(t *testing.T) {
				t.Parallel()
				need.Program(t, "setsid")
				l := newLocal(t, Options{})
				c, err := l.Start(Spec{
					ID: "s1", Path: need.Program(t, "sh"), Args: []string{"sh", "-c", script, self},
					Env: []string{"PATH=/usr/bin:/bin", hogVar + "=" + tt.hog}, Size: Size{24, 80}, Limits: tt.limits,
				})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				go drain(c)
				exit := c.Wait()
				tooMuch := exit.Exceeded.Used > exit.Exceeded.Max || tt.what == LimitMemory && exit.Exceeded.Used == exit.Exceeded.Max // if the kernel stops it
				if exit.Exceeded.What != tt.what || !tooMuch || exit.Code != 128+int(syscall.SIGKILL) {
					t.Errorf("exit %+v", exit)
				}
				if err := c.End(t.Context(), syscall.SIGKILL, 0); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestSharedMemory checks that memory that processes share counts once: four processes share 60 MB.
func TestSharedMemory(t *testing.T) {
	if !slices.Contains(MeasurableLimits(), LimitMemory) {
		t.Skip("memory cannot be measured here")
	}
	const forks = "import os\nx = bytearray(b'x') * (60 << 20)\nfor i in range(3):\n if os.fork() == 0:\n  input(); os._exit(0)\nprint('up')\ninput()"
	l := newLocal(t, Options{})
	python := need.Program(t, "python3")
	c, err := l.Start(Spec{
		ID: "s1", Path: python, Args: []string{python, "-c", forks}, Env: []string{"PATH=/usr/bin:/bin"},
		Size: Size{24, 80}, Limits: Limits{Memory: 150 << 20},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	readUntil(t, c, "up\r\n")
	kid, now := c.(*localChild), &tally{}
	tree := trees(processes(), []*root{&kid.root})[&kid.root]
	if now.count(kid.PID(), tree); now.processes != 4 || now.resident <= 150<<20 {
		t.Errorf("counted %+v, want 4 processes with 240 MB", now.use)
	}
	if used := memoryOf(tree); used > 150<<20 || used < 60<<20 {
		t.Errorf("they use %d MB together, want some more than 60", used>>20)
	}
	if o := kid.spec.Limits.exceeded(now.use, func() int64 { return memoryOf(tree) }); o.What != "" {
		t.Errorf("over %+v", o)
	}
	if c.(*localChild).killing.Load() {
		t.Error("the child was killed")
	}
	if err := c.End(t.Context(), syscall.SIGKILL, 0); err != nil {
		t.Error(err)
	}
	if used := memoryOf(tree); used > 0 {
		t.Errorf("after their end they use %d MB", used>>20)
	}
	if exit := c.Wait(); exit.Exceeded.What != "" {
		t.Errorf("exit %+v", exit)
	}
}

// TestTally checks that the processor time of an orphan still counts after its end, and that the
// time of a child whose parent has waited for it counts once.
func TestTally(t *testing.T) {
	var c tally
	for i, look := range []struct {
		tree []process
		want use
	}{
		{[]process{{pid: 1, orphan: true, cpu: 1}, {pid: 2, parent: 1, cpu: 5, resident: 7}, {pid: 3, orphan: true, cpu: 10}}, use{3, 7, 16}},
		{[]process{{pid: 1, orphan: true, cpu: 6}, {pid: 3, orphan: true, cpu: 11, state: 'Z'}}, use{1, 0, 17}}, // 2 was waited for
		{[]process{{pid: 1, orphan: true, cpu: 6}}, use{1, 0, 17}},                                              // 3 was reaped
		{nil, use{0, 0, 11}},
	} {
		c.count(1, look.tree)
		if c.use != look.want {
			t.Errorf("look %d: %+v, want %+v", i, c.use, look.want)
		}
	}
}

// TestPause checks that the pauses between looks grow while a child rests, and are short again as
// soon as it works.
func TestPause(t *testing.T) {
	pause := watchFast
	for range 20 {
		pause = nextPause(pause, false)
	}
	if pause != watchSlow || nextPause(pause, true) != watchFast {
		t.Errorf("after rest %s, after work %s", pause, nextPause(pause, true))
	}
}
