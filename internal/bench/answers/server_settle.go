package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"time"

	"github.com/creack/pty"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

const settleName = "settle"

// settleQuiet is the silence after which the baseline calls an answer complete.
const settleQuiet = 300 * time.Millisecond

// settle is the baseline: a PTY whose answer counts as complete after 300 ms
// without output. It runs inside the runner, so no protocol slows it down. In its
// output, only the last line is checked, not the echo and the prompt.
type settle struct {
	p place
}

func (s *settle) name() string { return settleName }
func (s *settle) about() string {
	return "in this process, no protocol: complete after 300 ms of silence"
}
func (s *settle) close() {}

func (s *settle) start(_ context.Context, k kind) (session, error) {
	cmd := exec.Command(k.command, k.args...)
	cmd.Env = s.p.environ()
	for name, v := range k.env {
		cmd.Env = append(cmd.Env, name+"="+v)
	}
	if path, err := exec.LookPath(k.command); err == nil {
		cmd.Path = path
	}
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		return nil, err
	}
	ss := &settleSession{cmd: cmd, f: f, data: make(chan struct{}, 1), last: time.Now(), alive: true}
	go ss.read()
	return ss, nil
}

type settleSession struct {
	cmd  *exec.Cmd
	f    *os.File
	data chan struct{} // something came; holds one

	mu    sync.Mutex // guards what follows
	buf   []byte
	last  time.Time // of the latest output or input
	alive bool
}

// maxSettleOutput limits the output that the baseline keeps between two calls.
const maxSettleOutput = 8 << 20

func (s *settleSession) pid() int { return s.cmd.Process.Pid }

func (s *settleSession) read() {
	var p [64 << 10]byte
	for {
		n, err := s.f.Read(p[:])
		s.mu.Lock()
		if len(s.buf) < maxSettleOutput {
			s.buf = append(s.buf, p[:n]...)
		}
		s.last = time.Now()
		s.alive = err == nil
		s.mu.Unlock()
		// Reline and others wait for the place of the cursor.
		if bytes.Contains(p[:n], []byte("\x1b[6n")) {
			_, _ = s.f.WriteString("\x1b[1;1R")
		}
		select {
		case s.data <- struct{}{}:
		default:
		}
		if err != nil {
			_ = s.cmd.Wait()
			return
		}
	}
}

func (s *settleSession) send(ctx context.Context, in input) (answer, error) {
	text := in.text
	if in.enter {
		text += "\r"
	}
	s.mu.Lock()
	s.buf, s.last = nil, time.Now()
	s.mu.Unlock()
	if _, err := s.f.WriteString(text); err != nil {
		return answer{}, fmt.Errorf("type: %w", err)
	}
	if err := s.quiet(ctx); err != nil {
		return answer{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return answer{text: plain(string(s.buf)), screen: true, bytes: true, claim: complete, reason: "settled", alive: s.alive}, nil
}

// quiet returns after settleQuiet without output.
func (s *settleSession) quiet(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	for {
		s.mu.Lock()
		left := settleQuiet - time.Since(s.last)
		alive := s.alive
		s.mu.Unlock()
		if left <= 0 || !alive {
			return nil
		}
		if !peer.Pause(ctx, left) {
			return ctx.Err()
		}
	}
}

func (s *settleSession) drain(context.Context) {}

func (s *settleSession) close(context.Context) {
	_ = s.cmd.Process.Kill()
	_ = s.f.Close()
}

// plain strips escape sequences.
func plain(text string) string {
	return regexp.MustCompile(`\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>]`).ReplaceAllString(text, "")
}
