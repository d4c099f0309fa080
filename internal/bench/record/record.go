package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/creack/pty"
	"github.com/glasstty/glasstty/internal/recording"
)

// A Responder is the terminal of a recorded program. Its replies are sent to the program. Resize and
// Write are called in the order of the events.
type Responder interface {
	Write(p []byte) (int, error)
	Resize(rows, cols int)
	TakeReplies() []byte
}

// The waits of a recording.
const (
	defaultQuiet = 300 * time.Millisecond
	settleLimit  = 8 * time.Second // after this time, a program counts as settled even if it still prints
	loopLimit    = 60
)

// setupScript sets up new namespaces and runs $1 in them: the program sees no other process, no
// network, and no host name, home directory or temporary files of the machine.
const setupScript = `set -e
hostname demo
mount -t tmpfs none /home
mkdir -m 755 /home/demo
cp -a "$STAGE"/. /home/demo
mount -t tmpfs none /tmp
mkdir -p /run/user
cd /home/demo
exec env -i HOME=/home/demo PATH="$STAGE_PATH" TERM=xterm-256color COLORTERM=truecolor \
	LANG=C.UTF-8 USER=demo LOGNAME=demo SHELL=/bin/bash TZ=UTC PWD=/home/demo \
	/bin/sh -c "$1"`

// Record runs the script's program on a PTY, in its own PID, mount, UTS, network and IPC namespaces
// (this needs Linux, root and unshare of util-linux), and returns all its output. The program ends
// with the script.
func Record(s *Script, title string, term Responder) (*recording.Recording, error) {
	stage, err := os.MkdirTemp("", "stage")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(stage)
	if err := writeFiles(stage, s); err != nil {
		return nil, err
	}
	cmd := command(s, stage)
	term.Resize(s.Rows, s.Cols)
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(s.Rows), Cols: uint16(s.Cols)})
	if err != nil {
		return nil, fmt.Errorf("start %q: %w", s.Run, err)
	}
	t := &tape{pty: f, term: term, quiet: defaultQuiet, chunks: make(chan []byte)}
	t.rec = &recording.Recording{Title: title, Rows: s.Rows, Cols: s.Cols}
	go t.read()
	defer func() {
		cmd.Process.Kill()
		f.Close()
		for range t.chunks { // until the reader has ended
		}
		cmd.Wait()
	}()
	for i, step := range s.Steps {
		if err := t.do(i, step); err != nil {
			return nil, fmt.Errorf("step %d (%s): %w", i, step.Op, err)
		}
	}
	return t.rec, nil
}

// writeFiles writes the script's files below stage.
func writeFiles(stage string, s *Script) error {
	for _, f := range s.Files {
		name := filepath.Join(stage, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(string(f.Data), "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(name, f.Data, mode); err != nil {
			return err
		}
	}
	return os.Chmod(stage, 0o755)
}

// command returns the command that runs the program in its namespaces.
func command(s *Script, stage string) *exec.Cmd {
	var line strings.Builder
	for _, e := range s.Env {
		fmt.Fprintf(&line, "export %s\n", e)
	}
	for _, c := range s.Setup {
		fmt.Fprintf(&line, "( %s ) >/dev/null 2>&1 </dev/null || exit 97\n", c)
	}
	line.WriteString("exec " + s.Run)
	cmd := exec.Command("unshare", "--fork", "--pid", "--uts", "--mount", "--net", "--ipc",
		"--mount-proc", "--kill-child", "/bin/sh", "-c", setupScript, "sh", line.String())
	cmd.Env = []string{"STAGE=" + stage, "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
		"STAGE_PATH=" + os.Getenv("PATH") + ":/usr/games"}
	return cmd
}

// A tape is a recording being made.
type tape struct {
	pty    *os.File
	term   Responder
	rec    *recording.Recording
	quiet  time.Duration
	chunks chan []byte // the output; closed when the program ends
	since  []byte      // the output since the last input
	ended  bool
}

// read sends the program's output to chunks until the program exits.
func (t *tape) read() {
	defer close(t.chunks)
	for {
		buf := make([]byte, 32<<10)
		n, err := t.pty.Read(buf)
		if n > 0 {
			t.chunks <- buf[:n]
		}
		if err != nil { // EIO: no process has the terminal open any more
			return
		}
	}
}

// do carries out one step.
func (t *tape) do(i int, s Step) error {
	label := fmt.Sprintf("%d %s %s", i, s.Op, s.Text)
	switch s.Op {
	case "quiet":
		t.quiet = s.Wait
	case "pause":
		t.run(s.Wait, s.Wait)
	case "send":
		return t.send(s.Text)
	case "type":
		if err := t.send(s.Text); err != nil {
			return err
		}
		t.settle(label)
	case "loop":
		return t.loop(label, s)
	case "wait":
		t.settle(label)
	case "resize":
		return t.resize(i, s)
	case "exit":
		t.run(settleLimit, settleLimit)
		if !t.ended {
			return fmt.Errorf("the program did not end; it last wrote %.2000q", t.since)
		}
		t.checkpoint(label)
	}
	return nil
}

// loop types keys as long as the program prints the text that the step names.
func (t *tape) loop(label string, s Step) error {
	for n := 0; bytes.Contains(t.since, []byte(s.While)); n++ {
		if n == loopLimit {
			return fmt.Errorf("the program still prints %q after %d times", s.While, n)
		}
		if err := t.send(s.Text); err != nil {
			return err
		}
		t.settle(fmt.Sprintf("%s %d", label, n))
	}
	return nil
}

// resize changes the size of PTY and terminal.
func (t *tape) resize(i int, s Step) error {
	err := pty.Setsize(t.pty, &pty.Winsize{Rows: uint16(s.Rows), Cols: uint16(s.Cols)})
	if err != nil {
		return err
	}
	t.term.Resize(s.Rows, s.Cols)
	t.rec.Events = append(t.rec.Events, recording.Event{Kind: recording.Resize, Rows: s.Rows, Cols: s.Cols})
	t.settle(fmt.Sprintf("%d resize %dx%d", i, s.Rows, s.Cols))
	return nil
}

// settle waits for quiet and sets a checkpoint.
func (t *tape) settle(label string) {
	t.run(t.quiet, settleLimit)
	t.checkpoint(label)
}

func (t *tape) checkpoint(label string) {
	label = strings.TrimSpace(label)
	t.rec.Events = append(t.rec.Events, recording.Event{Kind: recording.Checkpoint, Label: label})
}

func (t *tape) send(text string) error {
	t.since = nil
	_, err := io.WriteString(t.pty, text)
	return err
}

// run records output until there is none for the time quiet, or until limit.
func (t *tape) run(quiet, limit time.Duration) {
	end := time.After(limit)
	for !t.ended {
		select {
		case p, ok := <-t.chunks:
			if !ok {
				t.ended = true
				return
			}
			t.output(p)
		case <-time.After(quiet):
			return
		case <-end:
			return
		}
	}
}

// output stores p, joined to the output just before it, and answers its queries.
func (t *tape) output(p []byte) {
	events := t.rec.Events
	if n := len(events); n > 0 && events[n-1].Kind == recording.Output {
		events[n-1].Data = append(events[n-1].Data, p...)
	} else {
		t.rec.Events = append(events, recording.Event{Kind: recording.Output, Data: p})
	}
	t.since = append(t.since, p...)
	t.term.Write(p)
	if reply := t.term.TakeReplies(); len(reply) > 0 {
		t.pty.Write(reply)
	}
}
