package child

import (
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
)

// TestMachineOf checks what is read of a machine.
func TestMachineOf(t *testing.T) {
	const stat = "cpu  1 2 3\nintr 5 processes 7\nctxt 9\nbtime 1\nprocesses 1234\nprocs_running 3\n"
	const info = "MemTotal: 8000 kB\nAnonPages:       100 kB\nShmem: 20 kB\nSwapTotal: 50 kB\nSwapFree: 47 kB\n"
	for name, tt := range map[string]struct {
		stat, info string
		want       machine
		ok         bool
	}{
		"all":             {stat, info, machine{1234, 123 << 10}, true},
		"zeros":           {"cpu 0\nprocesses 0\n", info, machine{}, false},
		"no count":        {"cpu 0\n", info, machine{}, false},
		"no memory":       {stat, "MemTotal: 8000 kB\n", machine{}, false},
		"nonsense":        {"cpu\nprocesses many\n", info, machine{}, false},
		"without swap":    {stat, "AnonPages: 1 kB\n", machine{1234, 1 << 10}, true},
		"zeros of memory": {stat, "AnonPages: 0 kB\n", machine{}, false},
	} {
		if got, ok := machineOf(tt.stat, tt.info); got != tt.want || ok != tt.ok {
			t.Errorf("%s: %+v %v, want %+v %v", name, got, ok, tt.want, tt.ok)
		}
	}
}

// TestNotMeasuredAtRest checks that children at rest are not measured one by one,
// and that they are when this machine begins processes or takes memory.
func TestNotMeasuredAtRest(t *testing.T) {
	if _, ok := readMachine(); !ok {
		t.Skip("this machine does not tell what it does")
	}
	l := newLocal(t, Options{})
	l.watch.begin.Do(func() {}) // the test looks
	for _, limits := range []Limits{{Processes: 1 << 20, Memory: 1 << 50}, {Processes: 1 << 21}} {
		c, err := l.Start(Spec{
			ID: "s1", Path: need.Program(t, "cat"), Args: []string{"cat"},
			Env: []string{"PATH=/usr/bin:/bin"}, Size: Size{24, 80}, Limits: limits,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		defer c.End(t.Context(), 9, 0)
	}
	if watched, worked := l.watch.look(); !watched || !worked {
		t.Errorf("the first look: watched %v, worked %v", watched, worked)
	}
	now := time.Now()
	if l.watch.rest.over(now, readMachine) {
		t.Errorf("measured again, with %+v left", l.watch.rest.room)
	}
	then := l.watch.rest.then
	if more := (machine{then.forks + 1<<20 - 1, then.memory}); !l.watch.rest.over(now, func() (machine, bool) { return more, true }) {
		t.Error("not measured though as many processes were begun as one child may have")
	}
	if more := (machine{then.forks, then.memory + 1<<49}); !l.watch.rest.over(now, func() (machine, bool) { return more, true }) {
		t.Error("not measured though half of what one child may have was taken")
	}
}
