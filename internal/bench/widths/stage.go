package main

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
	"github.com/glasstty/glasstty/emulator"
)

//go:embed programs
var sources embed.FS

const (
	drawn    = 1500 * time.Millisecond // after this time without output, the first screen is complete
	quiet    = 150 * time.Millisecond  // the same after keys
	patience = 30 * time.Second        // the time limit of one program, without the quiet times
)

// pastRows is the number of rows above the screen that are checked, because line
// editors scroll.
const pastRows = 1000

// size is the terminal's size. Lines in the file long are wider.
var size = emulator.Size{Rows: 45, Cols: 100}

// A stage is a directory with the input of the programs: rows, long rows, files
// with the rows as names, and a table in HTML.
type stage struct {
	dir, zoo string
	env      []string
}

func newStage(zoo string) (*stage, error) {
	zoo, err := filepath.Abs(zoo)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "widths")
	if err != nil {
		return nil, err
	}
	s := &stage{dir: dir, zoo: zoo}
	s.env = append(os.Environ(), "HOME="+dir, "TMPDIR="+dir, "TMUX_TMPDIR="+dir, "TERM=xterm-256color", "COLORTERM=truecolor",
		"LC_ALL=C.UTF-8", "ROWS="+s.path("rows"), "LONG="+s.path("long"), "FILES="+s.path("files"), "HTML="+s.path("page.html"),
		"PROGRAMS="+s.path("programs"), "ZOO="+zoo, "USERHOME="+os.Getenv("HOME"), "BIN="+s.path("bin"))
	if err := s.writeFiles(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

func (s *stage) path(name string) string { return filepath.Join(s.dir, name) }

// writeFiles writes the stage's files.
func (s *stage) writeFiles() error {
	if err := os.CopyFS(s.dir, sources); err != nil {
		return err
	}
	var rows, long, html strings.Builder
	html.WriteString("<meta charset=utf-8><table border>\n")
	for i, t := range append([]sample{plain}, samples...) {
		fmt.Fprintln(&rows, t.line())
		fmt.Fprintln(&long, t.line()+" "+strings.Repeat("x", 2*size.Cols))
		fmt.Fprintf(&html, "<tr><td>%s\n", t.line())
		name := filepath.Join("files", fmt.Sprintf("%02d %s", i, t.line()))
		if err := s.write(name, "seven"); err != nil {
			return err
		}
	}
	return errors.Join(s.write("rows", rows.String()), s.write("long", long.String()), s.write("page.html", html.String()))
}

func (s *stage) write(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(s.path(name)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(s.path(name), []byte(text), 0o644)
}

func (s *stage) close() error { return os.RemoveAll(s.dir) }

// play runs p and returns the rows that it left on the screen.
func (s *stage) play(p program, clusters bool) ([]emulator.Row, error) {
	if p.build != "" {
		out, err := s.command("export HOME=\"$USERHOME\"; " + p.build).CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("skipped because it cannot be built: %w: %.200s", err, out)
		}
	}
	if err := s.command("command -v " + p.needs).Run(); err != nil {
		return nil, fmt.Errorf("skipped because %s is not installed", p.needs)
	}
	cmd := s.command(p.command)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(size.Rows), Cols: uint16(size.Cols)})
	if err != nil {
		return nil, err
	}
	defer tty.Close()
	t := emulator.New(emulator.Options{Size: size, Clusters: clusters})
	err = drive(t, tty, p.keys)
	shot := t.Snapshot(pastRows)
	rows := append(shot.Scrollback, shot.Screen...)
	if kill := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); kill != nil && err == nil && kill != syscall.ESRCH {
		err = kill
	}
	cmd.Wait() // the error is the signal
	if p.after != "" {
		err = errors.Join(err, s.command(p.after).Run())
	}
	return rows, err
}

// command is a shell's in the stage's directory.
func (s *stage) command(line string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = s.dir, s.env
	return cmd
}

// drive feeds the output of tty to t, and types the next keys whenever the program
// is quiet.
func drive(t *emulator.Terminal, tty *os.File, keys []string) error {
	output := make(chan []byte)
	done := make(chan struct{})
	defer close(done)
	go func() {
		defer close(output)
		for {
			buf := make([]byte, 64<<10)
			n, err := tty.Read(buf)
			select {
			case output <- buf[:n]:
			case <-done:
				return
			}
			if err != nil { // EIO: the program has ended
				return
			}
		}
	}()
	end := time.After(patience + time.Duration(len(keys))*quiet)
	still := drawn
	var calm <-chan time.Time // nil until there is something on the screen
	for {
		select {
		case p, ok := <-output:
			if !ok {
				return nil
			}
			t.Write(p)
			t.TakeEvents()
			if _, err := tty.Write(t.TakeReplies()); err != nil {
				return err
			}
			if calm != nil || strings.TrimSpace(picture(t.Snapshot(0).Screen)) != "" {
				calm = time.After(still)
			}
		case <-calm:
			if len(keys) == 0 {
				return nil
			}
			still = quiet
			calm = time.After(still)
			if _, err := tty.WriteString(keys[0]); err != nil {
				return err
			}
			keys = keys[1:]
		case <-end:
			return fmt.Errorf("still printing after %v", patience)
		}
	}
}
