package conform

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/creack/pty"
	"github.com/glasstty/glasstty/internal/recording"
	"golang.org/x/term"
)

// replyLimit is the time that an oracle may take to answer.
const replyLimit = 20 * time.Second

// syncQuery asks for an unknown mode (DECRQM). The reply means that xterm has
// processed everything written before.
const (
	syncQuery = "\x1b[?31337$p"
	syncReply = "\x1b[?31337;0$y"
)

// flushScroll turns smooth scrolling on and off again.
const flushScroll = "\x1b[?4h\x1b[?4l"

// An XServer is a private Xvfb.
type XServer struct {
	cmd     *exec.Cmd
	display string
}

// StartXServer starts Xvfb on a free display.
func StartXServer(path string) (*XServer, error) {
	cmd := exec.Command(path, "-displayfd", "1", "-screen", "0", "2400x2400x24", "-nolisten", "tcp")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("no display from Xvfb: %w", err)
	}
	return &XServer{cmd, ":" + strings.TrimSpace(line)}, nil
}

// Display returns the server's name for the variable DISPLAY.
func (x *XServer) Display() string { return x.display }

// Close ends the server.
func (x *XServer) Close() error {
	x.cmd.Process.Kill()
	return x.cmd.Wait()
}

// XTerm is xterm in slave mode: it reads a PTY that we write to, and starts no program.
type XTerm struct {
	cmd     *exec.Cmd
	tty     *os.File
	dir     string
	replies chan []byte
	pending []byte
}

// xtermResources lets xterm report its state, and changes nothing else.
var xtermResources = []string{
	"allowWindowOps: true", "disallowedWindowOps: ", "printAttributes: 2",
	"printerAutoClose: true", "printerFormFeed: true", "directColor: true", "saveLines: 10000",
	"precompose: false", "internalBorder: 0", "scrollBar: false", "c132: true", "allowTcapOps: true", "disallowedTcapOps: ", "allowColorOps: true", "disallowedColorOps: ",
	"boldColors: false",
}

// StartXTerm starts an xterm on x, with further options.
func StartXTerm(path string, x *XServer, rows, cols int, options ...string) (*XTerm, error) {
	dir, err := os.MkdirTemp("", "xterm")
	if err != nil {
		return nil, err
	}
	master, tty, err := pty.Open()
	if err != nil {
		return nil, err
	}
	defer master.Close()
	if _, err := term.MakeRaw(int(tty.Fd())); err != nil {
		return nil, err
	}
	args := []string{"-S" + tty.Name() + "/3", "-u8", "-fn", "5x7",
		"-geometry", fmt.Sprintf("%dx%d", cols, rows)}
	args = append(args, options...)
	resources := append(xtermResources, "printerCommand: cat >>"+filepath.Join(dir, "page"))
	for _, r := range resources {
		args = append(args, "-xrm", "XTerm*"+r)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = []string{"DISPLAY=" + x.display, "LC_ALL=C.UTF-8", "PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	cmd.ExtraFiles = []*os.File{master}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	t := &XTerm{cmd: cmd, tty: tty, dir: dir, replies: make(chan []byte, 64)}
	go t.read()
	_, err = t.until("\n") // xterm begins with its window's number
	return t, err
}

// read passes on xterm's replies.
func (t *XTerm) read() {
	defer close(t.replies)
	for {
		buf := make([]byte, 64<<10)
		n, err := t.tty.Read(buf)
		if n > 0 {
			t.replies <- buf[:n]
		}
		if err != nil {
			return
		}
	}
}

// until returns the answers up to and including the one that ends in mark.
func (t *XTerm) until(mark string) (string, error) {
	limit := time.After(replyLimit)
	for {
		if i := bytes.Index(t.pending, []byte(mark)); i >= 0 {
			out := string(t.pending[:i+len(mark)])
			t.pending = t.pending[i+len(mark):]
			return out, nil
		}
		select {
		case p, ok := <-t.replies:
			if !ok {
				return "", errors.New("xterm ended")
			}
			t.pending = append(t.pending, p...)
		case <-limit:
			return "", fmt.Errorf("xterm did not answer with %q within %v, but with %q", mark, replyLimit, t.pending)
		}
	}
}

// ask writes a query and returns all replies up to the synchronisation.
func (t *XTerm) ask(query string) (string, error) {
	if _, err := t.tty.WriteString(query + syncQuery); err != nil {
		return "", err
	}
	return t.until(syncReply)
}

// Replay runs j. The terminal must be new or reset.
func (t *XTerm) Replay(j Job) ([]Screen, error) {
	if err := t.resize(j.Rows, j.Cols); err != nil {
		return nil, err
	}
	var out []Screen
	for _, e := range j.Events {
		switch e.Kind {
		case recording.Output:
			if err := t.write(e.Data); err != nil {
				return nil, err
			}
			if err := t.settle(); err != nil {
				return nil, err
			}
		case recording.Resize:
			if err := t.resize(e.Rows, e.Cols); err != nil {
				return nil, err
			}
		case recording.Checkpoint:
			s, err := t.screen(e.Label)
			if err != nil {
				return nil, fmt.Errorf("checkpoint %q: %w", e.Label, err)
			}
			out = append(out, s)
		}
	}
	return out, nil
}

// settle waits until xterm has processed everything, including the scrolling that
// it delays (jump scroll) until it has no more input. Before that, the scrollback
// lacks those lines, and margins set later would change what scrolls. Smooth
// scrolling (DECSCLM) ends the delay; if the program itself has set it, it is left
// alone.
func (t *XTerm) settle() error {
	answers, err := t.ask("\x1b[?4$p")
	if err != nil || !strings.HasSuffix(answers, "\x1b[?4;2$y"+syncReply) {
		return err
	}
	_, err = t.ask(flushScroll)
	return err
}

// write sends p in pieces, so that a stream full of queries cannot fill both
// directions.
func (t *XTerm) write(p []byte) error {
	done := make(chan error, 1)
	go func() {
		_, err := t.tty.Write(p)
		done <- err
	}()
	for {
		select {
		case err := <-done:
			return err
		case b, ok := <-t.replies:
			if !ok {
				return errors.New("xterm ended")
			}
			t.pending = append(t.pending, b...)
		}
	}
}

// resize asks xterm for another size and waits until xterm has that size.
func (t *XTerm) resize(rows, cols int) error {
	want := fmt.Sprintf("\x1b[8;%d;%dt", rows, cols)
	for range 100 {
		got, err := t.ask("\x1b[18t")
		if err != nil {
			return err
		}
		if strings.Contains(got, want) {
			return nil
		}
		if _, err := t.tty.WriteString(want); err != nil {
			return err
		}
	}
	return fmt.Errorf("xterm does not change to %d×%d", rows, cols)
}

// afterRIS resets what RIS leaves in xterm: the conformance level, modes that are
// options, modes saved by XTSAVE (all reset in a new xterm), and the alternate
// screen with its saved cursor.
const afterRIS = "\x1b[#}\x1b[#}\x1b[#}\x1b[#}\x1b[#}\x1b[#}\x1b[#}\x1b[#}\x1b[#}\x1b[#}\x1b[64;1\"p\x1b[?1046h\x1b[?1;4;5;6;7;12;25;41;42;44;45;1007;2004l" +
	"\x1b[?1;4;5;6;7;12;25;41;44;47;1007;1047;1049;2004s\x1b[?47h\x1b[2J\x1b[H\x1b7\x1b[?47l\x1bc\x1b[3J"

// Reset puts the terminal into its initial state.
func (t *XTerm) Reset() error {
	_, err := t.ask("\x18\x1bc" + afterRIS)
	return err
}

// Close ends xterm.
func (t *XTerm) Close() error {
	t.cmd.Process.Kill()
	t.tty.Close()
	for range t.replies { // until the reader has ended
	}
	os.RemoveAll(t.dir)
	return t.cmd.Wait()
}
