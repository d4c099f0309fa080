package attach

import (
	"io"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// TestRestore checks that a Terminal reads what is typed until Restore, which restores the
// terminal's modes and leaves later input to the next reader.
func TestRestore(t *testing.T) {
	t.Setenv("TERM", "xterm")
	master, slave, err := pty.Open()
	if err != nil {
		t.Skipf("no terminal: %v", err)
	}
	defer master.Close()
	defer slave.Close()
	before, err := term.GetState(int(slave.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	opened, err := Open(slave, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := master.WriteString("a"); err != nil {
		t.Fatal(err)
	}
	if p := <-opened.Typed(); string(p) != "a" {
		t.Errorf("typed %q", p)
	}
	if err := opened.Restore(); err != nil {
		t.Fatal(err)
	}
	after, err := term.GetState(int(slave.Fd()))
	if err != nil || *after != *before {
		t.Errorf("terminal modes were not restored: %v", err)
	}
	if _, err := master.WriteString("next\n"); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 16)
	if n, err := slave.Read(buf); err != nil || string(buf[:n]) != "next\n" {
		t.Errorf("next reader got %q, %v", buf[:n], err)
	}
}
