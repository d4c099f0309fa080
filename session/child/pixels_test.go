package child

import (
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/emulator/graphics"
)

// TestPixels wants the size in pixels that a program reads from its terminal to be the
// one that the emulator reports.
func TestPixels(t *testing.T) {
	cmd := exec.Command("true")
	master, err := startPTY(cmd, Size{Rows: 30, Cols: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer cmd.Wait()
	conn, err := master.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Control(func(fd uintptr) {
		ws, err := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ)
		if err != nil || int(ws.Xpixel) != 100*graphics.CellWidth || int(ws.Ypixel) != 30*graphics.CellHeight {
			t.Errorf("%+v, %v", ws, err)
		}
	}); err != nil {
		t.Fatal(err)
	}
}
