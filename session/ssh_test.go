package session

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/need"
)

// startSSHD starts an sshd for the current user on a free loopback port, and returns the arguments
// with which ssh reaches it.
func startSSHD(t *testing.T) []string {
	t.Helper()
	sshd := need.Program(t, "sshd") // an absolute path: sshd starts itself again
	keygen := need.Program(t, "ssh-keygen")
	dir := t.TempDir()
	for _, key := range []string{"host", "id"} {
		if out, err := exec.Command(keygen, "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v: %s", err, out)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	config := fmt.Sprintf("Port %d\nListenAddress 127.0.0.1\nHostKey %s/host\nAuthorizedKeysFile %s/id.pub\nPidFile none\nStrictModes no\nUsePAM no\nPrintMotd no\nPrintLastLog no\nPermitRootLogin yes\nSetEnv HISTFILE=\n", port, dir, dir)
	file := filepath.Join(dir, "config")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	_ = os.MkdirAll("/run/sshd", 0o755) // where root's sshd separates privileges
	cmd := exec.Command(sshd, "-D", "-e", "-f", file)
	logs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	// The first line says that sshd listens, or that another process has taken the port.
	if line, err := bufio.NewReader(logs).ReadString('\n'); err != nil || !strings.Contains(line, "listening") {
		t.Fatalf("sshd says %q, %v", line, err)
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	return []string{"-F", "none", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR",
		"-i", filepath.Join(dir, "id"), "-p", fmt.Sprint(port), me.Username + "@127.0.0.1"}
}

// TestSSH checks a remote shell, which sends no marks and of which the kernel shows nothing.
func TestSSH(t *testing.T) {
	need.Long(t)
	need.Program(t, "ssh")
	need.Program(t, "bash")
	args := startSSHD(t)
	m := newManager(t)
	s, r := launch(t, m, "ssh", append([]string{"-t"}, append(args, "PS1='remote$ ' exec bash --norc")...)...)
	if r.Reason != detect.Prompt || r.Prompt != "remote$ " {
		t.Fatalf("start: reason %s, prompt %q, output %q, %+v", r.Reason, r.Prompt, r.Output, r.Explain)
	}
	expect(t, say(t, s, "echo hello"), detect.Prompt, "hello")
	expect(t, say(t, s, "sleep 0.7; echo slept"), detect.Prompt, "slept")
	expect(t, say(t, s, "echo one; sleep 0.4; echo two"), detect.Prompt, "one\ntwo")
	expect(t, say(t, s, "for i in 1 2\ndo echo n$i\ndone"), detect.Prompt, "n1\nn2")
	// The line editor draws its own prompt in another way than this copy is drawn.
	r = say(t, s, "echo -n 'remote$ '; sleep 0.7; echo; echo more")
	output := r.Output
	for r.Reason == detect.Settled {
		r = exchange(t, s, Input{}, Wait{Timeout: patience, Explain: true})
		output += r.Output
	}
	if r.Reason != detect.Prompt || !strings.Contains(output, "more") {
		t.Errorf("a copy of the prompt: reason %s, output %q, %+v", r.Reason, output, r.Explain)
	}
	r = say(t, s, "read -s -p 'Password: ' x; echo")
	if r.Reason != detect.Password {
		t.Errorf("password: reason %s, %+v", r.Reason, r.Explain)
	}
	expect(t, say(t, s, "hunter2"), detect.Prompt, "")
	expect(t, say(t, s, "seq 1 300"), detect.Prompt, numbers(1, 300))
	expect(t, say(t, s, "echo -n abc"), detect.Prompt, "abc")
	say(t, s, "cat > /dev/null") // until cat is known to read
	if r := exchange(t, s, Input{Keys: []KeyPress{ctrl('d')}}, Wait{Timeout: patience, Explain: true}); r.Reason != detect.Prompt || r.Output != "" {
		t.Errorf("ctrl+d: reason %s, output %q, %+v", r.Reason, r.Output, r.Explain)
	}
	expect(t, say(t, s, "PS1='\\t\\n$ '"), detect.Prompt, "")
	for range 2 {
		expect(t, say(t, s, "echo k; printf l"), detect.Prompt, "k\nl")
	}
	r = say(t, s, "exit 4")
	if r.Reason != detect.Exited || *r.ExitCode != 4 {
		t.Errorf("exit: %+v", r)
	}
}

// TestSSHPassphrase checks a login with a key that has a passphrase. While the login takes its
// time, ssh has written no more than the end of the passphrase's line, which is not an answer.
func TestSSHPassphrase(t *testing.T) {
	need.Long(t)
	need.Program(t, "ssh")
	need.Program(t, "bash")
	args := startSSHD(t)
	key := args[slices.Index(args, "-i")+1]
	if out, err := exec.Command(need.Program(t, "ssh-keygen"), "-p", "-q", "-P", "", "-N", "correct horse", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen -p: %v: %s", err, out)
	}
	s, r := launch(t, newManager(t), "ssh", append([]string{"-t"}, append(args, "sleep 0.8; PS1='remote$ ' exec bash --norc")...)...)
	if r.Reason != detect.Password {
		t.Fatalf("start: reason %s, output %q, %+v", r.Reason, r.Output, r.Explain)
	}
	r = say(t, s, "correct horse")
	for start := time.Now(); r.Reason == detect.Settled && time.Since(start) < patience; {
		// On a busy machine the login may take longer than the longest pause.
		if r.Elapsed < time.Second {
			t.Fatalf("settled after %s: %+v", r.Elapsed, r.Explain)
		}
		r = exchange(t, s, Input{}, Wait{Timeout: patience, Explain: true})
	}
	expect(t, r, detect.Prompt, "")
	if r.Prompt != "remote$ " {
		t.Errorf("prompt %q", r.Prompt)
	}
}
