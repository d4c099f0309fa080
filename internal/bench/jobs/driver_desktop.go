package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"github.com/glasstty/glasstty/internal/shellquote"
)

// desktop drives Desktop Commander, whose programs have pipes and no terminal.
type desktop struct {
	m   *meter
	pid int
}

// desktopWait is what its scripts give it to wait, in milliseconds: its own
// default, 8 s, would pass at every prompt that it does not know.
const desktopWait = 1000

var desktopPID = regexp.MustCompile(`PID (\d+)`)

func (d *desktop) start(ctx context.Context, p program) (string, error) {
	line := p.shell
	if line == "" {
		line = shellquote.Line(p.argv...)
	}
	text, err := d.m.call(ctx, "start_process", map[string]any{"command": line, "timeout_ms": desktopWait})
	if m := desktopPID.FindStringSubmatch(text); m != nil && err == nil {
		d.pid, err = strconv.Atoi(m[1])
	}
	if p.text == "" || err != nil {
		return text, err
	}
	next, err := d.line(ctx, p.text)
	return text + "\n" + next, err
}

func (d *desktop) line(ctx context.Context, text string) (string, error) {
	return d.m.call(ctx, "interact_with_process", map[string]any{"pid": d.pid, "input": text, "timeout_ms": desktopWait})
}

func (d *desktop) keys(_ context.Context, _ bool, keys []string) (string, error) {
	return "", fmt.Errorf("no terminal to press %v in", keys)
}

func (d *desktop) more(ctx context.Context) (string, error) {
	return d.m.call(ctx, "read_process_output", map[string]any{"pid": d.pid, "timeout_ms": desktopWait})
}
