package page

import (
	"bufio"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/glasstty/glasstty/internal/need"
)

// A daemon is glasstty serve with a data directory and a port, so that it can be restarted.
type daemon struct {
	t                      *testing.T
	path, dir, port, token string
	cmd                    *exec.Cmd
}

// newDaemon builds the server.
func newDaemon(t *testing.T) *daemon {
	t.Helper()
	d := &daemon{t: t, dir: t.TempDir(), token: strings.Repeat("token", 8)}
	d.path = filepath.Join(d.dir, "glasstty")
	if out, err := exec.Command("go", "build", "-o", d.path, "github.com/glasstty/glasstty/cmd/glasstty").CombinedOutput(); err != nil {
		t.Fatalf("build the server: %v\n%s", err, out)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d.port = strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.stop(syscall.SIGTERM) })
	return d
}

// socket returns the path of the server's local socket.
func (d *daemon) socket() string { return filepath.Join(d.dir, "socket") }

// start starts the server, and returns the link that it prints.
func (d *daemon) start() string {
	d.t.Helper()
	d.cmd = exec.Command(d.path, "serve", "--port", d.port, "--socket", d.socket(), "--data-dir", filepath.Join(d.dir, "data"))
	d.cmd.Env = append(os.Environ(), "GLASSTTY_TOKEN="+d.token)
	d.cmd.Stderr = os.Stderr
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if link := regexp.MustCompile(`http://\S+/link/\S+`).FindString(lines.Text()); link != "" {
			return link
		}
	}
	d.t.Fatal("the server printed no link")
	return ""
}

// stop ends the server with a signal.
func (d *daemon) stop(sig syscall.Signal) {
	if d.cmd == nil {
		return
	}
	if err := d.cmd.Process.Signal(sig); err != nil {
		d.t.Error(err)
	}
	_ = d.cmd.Wait() // the error says that the signal ended it
	d.cmd = nil
}

// call calls a tool from the command line.
func (d *daemon) call(args ...string) string {
	d.t.Helper()
	cmd := exec.Command(d.path, append([]string{"call", "--socket", d.socket()}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Logf("call %q: %v", args, err)
	}
	return string(out)
}

// TestServerKilled checks that a page opened by a link reports a killed server, is let in by
// the next server, and continues.
func TestServerKilled(t *testing.T) {
	need.Program(t, "bash")
	d := newDaemon(t)
	link := d.start()
	d.call("start_process", "command=bash", "args=--norc", "name=work", "cwd="+t.TempDir(), `env={"PS1":"$ "}`)
	tab := browser(t)
	do(t, tab, chromedp.Navigate(link), shows("$"), chromedp.Click("#take"), chromedp.WaitVisible("#typing"),
		chromedp.SendKeys("#typing", "echo one\r"), shows("\none"))
	d.stop(syscall.SIGKILL)
	do(t, tab, text("#state", "trying again"), chromedp.SendKeys("#typing", "x"), text("#trouble", "Not typed: “x”"))
	shoot(t, tab, "away")
	d.start()
	do(t, tab, text("#state", "the server has restarted"), shows("\none"), text("#trouble", "Not typed: “x”"))
	carryOn(t, tab)
	if said := d.call("send_and_read", "session_id=work", "text=no", "press_enter=true"); !strings.Contains(said, "has taken over") {
		t.Errorf("the agent's input was accepted: %s", said)
	}
}

// carryOn takes the keyboard over if necessary and types in the page.
func carryOn(t *testing.T, tab context.Context) {
	t.Helper()
	do(t, tab, chromedp.WaitEnabled("#pause"),
		chromedp.Evaluate(`document.getElementById('take').click()`, nil), chromedp.WaitVisible("#typing"),
		chromedp.SendKeys("#typing", "echo two\r"), shows("\ntwo"))
}
