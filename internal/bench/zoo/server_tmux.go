package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// tmux drives a program as a script with tmux does: send-keys, sleep 300 ms,
// capture-pane. With patient typing, it is the oracle.
type tmux struct {
	w world
}

// tmuxWait is the pause between send-keys and capture-pane.
const tmuxWait = 300 * time.Millisecond

func (t *tmux) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-S", filepath.Join(t.w.home, "tmux"), "-f", filepath.Join(t.w.home, "tmux.conf")}, args...)...)
	cmd.Env, cmd.Dir = t.w.env, t.w.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w: %.200s", args[0], err, out)
	}
	return string(out), nil
}

func (t *tmux) open(ctx context.Context, argv []string, _ map[string]any) (reply, error) {
	began := time.Now()
	args := append([]string{"set-option", "-g", "remain-on-exit", "on", ";", "set-option", "-g", "remain-on-exit-format", "", ";",
		"set-option", "-g", "status", "off", ";", "set-option", "-g", "escape-time", "10", ";",
		"new-session", "-d", "-x", "80", "-y", "24"}, argv...)
	if _, err := t.run(ctx, args...); err != nil {
		return reply{}, err
	}
	return t.wait(ctx, began)
}

func (t *tmux) do(ctx context.Context, s step) (reply, error) {
	began := time.Now()
	for _, p := range s.presses() {
		if err := t.press(ctx, p); err != nil {
			return reply{}, err
		}
	}
	return t.wait(ctx, began)
}

// wait waits for the pause and returns the screen.
func (t *tmux) wait(ctx context.Context, began time.Time) (reply, error) {
	peer.Pause(ctx, tmuxWait)
	text, err := t.run(ctx, "capture-pane", "-p")
	return reply{text: text, began: began, came: time.Now()}, err
}

func (t *tmux) press(ctx context.Context, p press) error {
	if p.paste {
		_, err := t.run(ctx, "set-buffer", "--", p.text, ";", "paste-buffer", "-p", "-d")
		return err
	}
	if p.name == "" {
		text := p.text
		if strings.HasSuffix(text, ";") { // which would end tmux's command
			text = text[:len(text)-1] + `\;`
		}
		_, err := t.run(ctx, "send-keys", "-l", "--", text)
		return err
	}
	name, _ := tmuxName(p.name)
	_, err := t.run(ctx, "send-keys", name)
	return err
}

func (t *tmux) screen(ctx context.Context) (view, error) {
	text, err := t.run(ctx, "capture-pane", "-p", "-S", "-")
	return view{text: strings.TrimRight(text, "\n")}, err
}

func (t *tmux) drain(context.Context) (string, error) { return "", nil }

func (t *tmux) close() { _, _ = t.run(context.Background(), "kill-server") }
