package attach

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/emulator"
)

// A Terminal is the person's terminal, in raw mode and on the alternate screen until Restore.
// Only one goroutine may use it.
type Terminal struct {
	in    *os.File
	out   io.Writer
	state *term.State   // before raw mode
	modes live.Modes    // the modes to which setModes has switched the terminal
	shown []string      // the rows that Show has drawn
	drawn emulator.Size // the terminal's size when Show drew the rows

	typed chan []byte   // the terminal's input; closed when the terminal is gone
	stop  chan struct{} // closed by Restore
	wake  [2]*os.File   // a pipe; closing the write end interrupts the wait for input
	done  chan struct{} // closed when read has returned
}

// Open puts a terminal into raw mode and on its alternate screen. The error is ErrNoTerminal if in is
// not a terminal, or ErrDumb if TERM says that the terminal cannot position its cursor.
func Open(in *os.File, out io.Writer) (*Terminal, error) {
	if !term.IsTerminal(int(in.Fd())) {
		return nil, ErrNoTerminal
	}
	if kind := os.Getenv("TERM"); kind == "" || kind == "dumb" {
		return nil, ErrDumb
	}
	t := &Terminal{in: in, out: out, typed: make(chan []byte), stop: make(chan struct{}), done: make(chan struct{})}
	var err error
	if t.wake[0], t.wake[1], err = os.Pipe(); err != nil {
		return nil, err
	}
	if t.state, err = term.MakeRaw(int(in.Fd())); err != nil {
		return nil, errors.Join(err, t.wake[0].Close(), t.wake[1].Close())
	}
	go t.read()
	if err := t.write(altScreenOn + wrapOff); err != nil {
		return nil, errors.Join(err, t.Restore())
	}
	return t, nil
}

// Typed returns the channel of the terminal's input. The channel is closed when the terminal is gone.
func (t *Terminal) Typed() <-chan []byte { return t.typed }

// Restore stops reading, and restores the terminal's modes and its main screen.
func (t *Terminal) Restore() error {
	err := t.write(switchModes(t.modes, live.Modes{}) + resetStyle + cursorStyle(0) + showCursor + wrapOn + altScreenOff)
	close(t.stop)
	err = errors.Join(err, t.wake[1].Close())
	<-t.done
	return errors.Join(err, term.Restore(int(t.in.Fd()), t.state), t.wake[0].Close())
}

// Size returns the terminal's size, or 24 by 80 if it is unknown.
func (t *Terminal) Size() emulator.Size {
	cols, rows, err := term.GetSize(int(t.in.Fd()))
	if err != nil || rows < 1 || cols < 1 {
		return emulator.Size{Rows: 24, Cols: 80}
	}
	return emulator.Size{Rows: rows, Cols: cols}
}

// write writes to the terminal.
func (t *Terminal) write(s string) error {
	_, err := io.WriteString(t.out, s)
	return err
}

// Show draws rows from the top of the terminal, clears the rows below, and writes the control sequences in
// end. It writes a row only if the row or the size has changed. Terminals with synchronized output (mode 2026)
// show all changes in one step.
func (t *Terminal) Show(rows []string, end string) {
	var b strings.Builder
	b.WriteString(drawBegin + hideCursor)
	if size := t.Size(); size != t.drawn {
		t.drawn, t.shown = size, nil
		b.WriteString(resetStyle + eraseScreen)
	}
	for len(rows) < len(t.shown) {
		rows = append(rows, "")
	}
	for i, row := range rows {
		if i >= len(t.shown) || row != t.shown[i] {
			// Erase before drawing: after a full row, some terminals would erase the row's last cell.
			b.WriteString(moveTo(i, 0) + eraseRight + row + resetStyle)
		}
	}
	t.shown = rows
	// The error is ignored: if the terminal is gone, reading its input fails too.
	_ = t.write(b.String() + end + drawEnd)
}

// setModes appends to b the sequences that switch the terminal's modes to m.
func (t *Terminal) setModes(m live.Modes, b *strings.Builder) {
	b.WriteString(switchModes(t.modes, m))
	t.modes = m
}

// resized returns a channel that receives a value when the terminal's size changes, until stop
// is called.
func resized() (changes <-chan os.Signal, stop func()) {
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGWINCH)
	return ch, func() { signal.Stop(ch) }
}
