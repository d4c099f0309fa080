//go:build linux || darwin

package kernel

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A TTY is the state of a terminal as its master reports it.
type TTY struct {
	Modes
	Group   int // the foreground process group, or 0 if there is none
	Pending int // bytes of output that can be read from the master

	Interrupt, Quit, Suspend byte // characters that send a signal and that nobody reads; 0 without ISIG
	Stop, Start              byte // characters that stop and resume the output and that nobody reads; 0 without IXON

	Line LineChars
}

// Intercepts reports whether the terminal acts on all characters of data itself, so that no
// program reads any of them.
func (t *TTY) Intercepts(data []byte) bool {
	for _, b := range data {
		if b == 0 || b != t.Interrupt && b != t.Quit && b != t.Suspend && b != t.Stop && b != t.Start {
			return false
		}
	}
	return len(data) > 0
}

// EditsLine reports whether the terminal is in line mode and a character of data edits or submits
// the line, so that the program does not read data as it was typed.
func (t *TTY) EditsLine(data []byte) bool {
	return t.Canonical && slices.ContainsFunc(data, func(b byte) bool {
		return b != 0 && b != t.Interrupt && b != t.Quit && b != t.Suspend && strings.IndexByte(t.Line.Special, b) >= 0
	})
}

// StopsOutput reports whether the terminal's output is stopped after data is typed. stopped reports
// whether it was stopped before. A terminal without a Stop character is never stopped.
func (t *TTY) StopsOutput(data []byte, stopped bool) bool {
	for _, b := range data {
		switch {
		case b == 0:
		case b == t.Stop:
			stopped = true
		case b == t.Start:
			stopped = false
		}
	}
	return stopped && t.Stop != 0
}

// LookTTY asks the kernel about the terminal whose master is pty. It takes about a microsecond and
// does not block. If pty is closed or not a terminal, Known is false.
func LookTTY(pty *os.File) TTY {
	conn, err := pty.SyscallConn()
	if err != nil {
		return TTY{}
	}
	var st TTY
	// Fd would make the descriptor blocking, Control does not.
	_ = conn.Control(func(fd uintptr) {
		tio, err := unix.IoctlGetTermios(int(fd), getTermios)
		if err != nil {
			return
		}
		st.Modes = modesOf(tio)
		if tio.Lflag&unix.ISIG != 0 {
			st.Interrupt, st.Quit, st.Suspend = tio.Cc[unix.VINTR], tio.Cc[unix.VQUIT], tio.Cc[unix.VSUSP]
		}
		if tio.Iflag&unix.IXON != 0 {
			st.Stop, st.Start = tio.Cc[unix.VSTOP], tio.Cc[unix.VSTART]
		}
		st.Line = readLineChars(tio)
		if g, err := unix.IoctlGetInt(int(fd), unix.TIOCGPGRP); err == nil {
			st.Group = g
		}
		if n, err := unix.IoctlGetInt(int(fd), pendingOutput); err == nil {
			st.Pending = n
		}
	})
	return st
}

// SetUTF8 makes a terminal in line mode erase whole characters, not bytes (IUTF8, termios(3)), as
// terminal emulators do.
func SetUTF8(terminal *os.File) error {
	fd := int(terminal.Fd())
	tio, err := unix.IoctlGetTermios(fd, getTermios)
	if err == nil {
		tio.Iflag |= unix.IUTF8
		err = unix.IoctlSetTermios(fd, setTermios, tio)
	}
	if err != nil {
		return fmt.Errorf("set the terminal to UTF-8: %w", err)
	}
	return nil
}

// modesOf returns the Modes in a terminal's settings.
func modesOf(tio *unix.Termios) Modes {
	m := Modes{Known: true, Canonical: tio.Lflag&unix.ICANON != 0, Echo: tio.Lflag&unix.ECHO != 0}
	if !m.Canonical && tio.Cc[unix.VMIN] == 0 {
		m.Read = time.Duration(tio.Cc[unix.VTIME]) * time.Second / 10
	}
	return m
}
