package child

import (
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/emulator/graphics"
	"github.com/glasstty/glasstty/internal/need"
)

// TestPixels checks that the size in pixels that a program reads from its terminal is the size that
// the emulator reports.
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

// TestUTF8 checks that backspace erases one character of several bytes in a terminal in line mode.
func TestUTF8(t *testing.T) {
	need.Program(t, "od")
	cmd := exec.Command("od", "-An", "-c")
	master, err := startPTY(cmd, Size{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	if _, err := master.WriteString("aé日\x7f\n\x04"); err != nil {
		t.Fatal(err)
	}
	out, _ := io.ReadAll(master) // ends with EIO
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(string(out)); !slices.Equal(got[len(got)-4:], []string{"a", "303", "251", `\n`}) {
		t.Errorf("od read %q", out)
	}
}
