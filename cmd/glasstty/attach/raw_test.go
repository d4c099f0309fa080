package attach

import (
	"testing"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// TestTake checks that Take reads what is typed until it is closed, and then restores the
// terminal's modes and leaves later input to the next reader.
func TestTake(t *testing.T) {
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
	taken, err := takeRaw(slave)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := master.WriteString("a"); err != nil {
		t.Fatal(err)
	}
	if p := <-taken.Typed(); string(p) != "a" {
		t.Errorf("typed %q", p)
	}
	if err := taken.Close(); err != nil {
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
