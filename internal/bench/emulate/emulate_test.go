package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestRun checks, with a short run, that every contender can process every stream.
func TestRun(t *testing.T) {
	need.Program(t, "cat")
	var out bytes.Buffer
	if _, err := run(&out, 64<<10, 1, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	for _, s := range streams() {
		if !strings.Contains(out.String(), s.name) {
			t.Errorf("the output lacks %q:\n%s", s.name, out.String())
		}
	}
}

func TestStreamsAreTheSameEachTime(t *testing.T) {
	for _, s := range streams() {
		a, b := s.make(10000), s.make(10000)
		if !bytes.Equal(a, b) || len(a) < 10000 {
			t.Errorf("%s: two runs made different streams of %d and %d bytes", s.name, len(a), len(b))
		}
	}
}

func TestPrintTellsMissedFloors(t *testing.T) {
	all := []contender{{name: "emulator"}, {name: "vt10x"}}
	var out bytes.Buffer
	if print(&out, "full-screen redraws", all, speeds{"emulator": 10, "vt10x": 20}) != 1 {
		t.Error("half the speed of vt10x is not reported as a miss")
	}
	if print(&out, "full-screen redraws", all, speeds{"emulator": 17, "vt10x": 20}) != 0 {
		t.Error("85 % of the speed of vt10x is reported as a miss")
	}
}
