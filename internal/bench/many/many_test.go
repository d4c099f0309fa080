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

// TestMany checks, with a few sessions, that the command prints every figure and
// that every session outlives its server with its screen.
func TestMany(t *testing.T) {
	if testing.Short() {
		t.Skip("this test starts three servers")
	}
	if runtime.GOOS != "linux" {
		t.Skip("this test reads /proc")
	}
	need.Program(t, "awk")
	need.Program(t, "cat")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	o := options{idle: 3, busy: 3, old: 2, lines: 5, mb: minMB, rest: 100 * time.Millisecond}
	var out bytes.Buffer
	if err := bench(ctx, o, &out); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{
		"interactive-process-mcp is skipped", "| answers without the line | 0 of 15 |",
		"2 sessions of 9 MB: they go on | 2 |", "with the screen that they had | 2 |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the output lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "–") || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Errorf("the output lacks a figure:\n%s", text)
	}
}

// TestFlags checks that invalid flags are refused.
func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"-idle", "-1"}, {"-busy", "5000"}, {"-lines", "0"}, {"-rest", "0s"}, {"-mb", "8"}, {"more"}} {
		if _, err := parseFlags(args); err == nil {
			t.Errorf("parseFlags(%q) succeeds, want an error", args)
		}
	}
	if o, err := parseFlags([]string{"-old", "0"}); err != nil || o.idle != 1000 || o.old != 0 {
		t.Errorf("parseFlags = %+v, %v", o, err)
	}
}
