package main

import (
	"bytes"
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
)

// TestMany measures a few sessions, so that the command works when it is needed:
// every figure is there, and every session outlives its server with its screen.
func TestMany(t *testing.T) {
	if testing.Short() {
		t.Skip("three servers")
	}
	if runtime.GOOS != "linux" {
		t.Skip("it reads /proc")
	}
	need.Program(t, "awk")
	need.Program(t, "cat")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	o := options{idle: 3, busy: 3, old: 2, lines: 5, mb: 1, rest: 100 * time.Millisecond}
	var out bytes.Buffer
	if err := bench(ctx, o, &out); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{
		"interactive-process-mcp is left out", "| answers without the line | 0 of 15 |",
		"2 sessions of 1 MB: they go on | 2 |", "with the screen that they had | 2 |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "–") || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Errorf("a figure is missing in\n%s", text)
	}
}

// TestFlags refuses what makes no sense.
func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"-idle", "-1"}, {"-busy", "5000"}, {"-lines", "0"}, {"-rest", "0s"}, {"more"}} {
		if _, err := parseFlags(args); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
	if o, err := parseFlags([]string{"-old", "0"}); err != nil || o.idle != 1000 || o.old != 0 {
		t.Errorf("%+v, %v", o, err)
	}
}
