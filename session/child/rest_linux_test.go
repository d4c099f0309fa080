package child

import (
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
)

// TestMachineOf checks what is read of a machine.
func TestMachineOf(t *testing.T) {
	const load = "0.20 0.18 0.12 1/1234 11206\n"
	const info = "MemTotal: 8000 kB\nAnonPages:       100 kB\nShmem: 20 kB\nSwapTotal: 50 kB\nSwapFree: 47 kB\n"
	for name, tt := range map[string]struct {
		load, info string
		want       machine
		ok         bool
	}{
		"all":             {load, info, machine{1234, 123 << 10}, true},
		"zeros":           {"0.00 0.00 0.00 0/0 0\n", info, machine{}, false},
		"no count":        {"0.00\n", info, machine{}, false},
		"no memory":       {load, "MemTotal: 8000 kB\n", machine{}, false},
		"nonsense":        {"0.20 0.18 0.12 many 1\n", info, machine{}, false},
		"without swap":    {load, "AnonPages: 1 kB\n", machine{1234, 1 << 10}, true},
		"zeros of memory": {load, "AnonPages: 0 kB\n", machine{}, false},
	} {
		if got, ok := machineOf(tt.load, tt.info); got != tt.want || ok != tt.ok {
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
	if more := (machine{then.tasks + 1<<18, then.memory}); !l.watch.rest.over(now, func() (machine, bool) { return more, true }) {
		t.Error("not measured though there are as many processes more as a fourth of what one child may have")
	}
	if more := (machine{then.tasks, then.memory + 1<<48}); !l.watch.rest.over(now, func() (machine, bool) { return more, true }) {
		t.Error("not measured though a fourth of what one child may have was taken")
	}
}
