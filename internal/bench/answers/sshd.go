package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"time"
)

// An sshServer is an sshd of our own on a loopback port, with keys made for
// this run.
type sshServer struct {
	dir  string
	port int
	cmd  *exec.Cmd
}

// startSSH starts sshd with a fresh host key and one user key, and waits until
// it accepts connections. path is the PATH that logins get.
func startSSH(ctx context.Context, dir, path string) (*sshServer, error) {
	daemon, err := exec.LookPath("sshd")
	if err != nil {
		return nil, err
	}
	s := &sshServer{dir: dir}
	if err := s.configure(path); err != nil {
		return nil, err
	}
	s.cmd = exec.Command(daemon, "-D", "-e", "-f", filepath.Join(dir, "sshd_config"))
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start sshd: %w", err)
	}
	if err := s.reachable(ctx); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// configure writes keys and the configurations of both sides.
func (s *sshServer) configure(path string) error {
	for _, key := range []string{"host_key", "user_key"} {
		out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(s.dir, key)).CombinedOutput()
		if err != nil {
			return fmt.Errorf("ssh-keygen: %w: %s", err, out)
		}
	}
	public, err := os.ReadFile(filepath.Join(s.dir, "user_key.pub"))
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.port = l.Addr().(*net.TCPAddr).Port
	l.Close()
	conf := fmt.Sprintf("ListenAddress 127.0.0.1:%d\nHostKey %s\nAuthorizedKeysFile %s\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\nPrintMotd no\nPrintLastLog no\nPidFile none\nSubsystem sftp internal-sftp\nSetEnv PATH=%s\n",
		s.port, filepath.Join(s.dir, "host_key"), filepath.Join(s.dir, "authorized_keys"), path)
	if err := os.WriteFile(filepath.Join(s.dir, "authorized_keys"), public, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "sshd_config"), []byte(conf), 0o600)
}

// reachable waits until the port answers.
func (s *sshServer) reachable(ctx context.Context) error {
	for range 50 {
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.port))
		if err == nil {
			return c.Close()
		}
		if !pause(ctx, 100*time.Millisecond) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("sshd does not listen on port %d", s.port)
}

// login are the options of a client, and where it connects to.
func (s *sshServer) login(port string) []string {
	name := "root"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return strings.Fields(fmt.Sprintf("-q -F none -i %s %s %d -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o IdentitiesOnly=yes %s@127.0.0.1",
		filepath.Join(s.dir, "user_key"), port, s.port, name))
}

// clientArgs are ssh's arguments for a login with a terminal.
func (s *sshServer) clientArgs() []string {
	return append(append([]string{"-tt"}, s.login("-p")...), "exec", "bash", "--norc")
}

// sftpArgs are sftp's arguments. It is tried with its local commands.
func (s *sshServer) sftpArgs() []string { return s.login("-P") }

// setup are the lines that make the remote shell send marks, as a user's own
// shell integration would: they carry no nonce that glasstty could know.
func (s *sshServer) setup(marks bool) []string {
	if !marks {
		return nil
	}
	return []string{`PS0='\e]133;C\a'; PROMPT_COMMAND='printf "\e]133;D;$?\a"'; PS1='\[\e]133;A\a\]remote$ \[\e]133;B\a\]'`}
}

// close ends the daemon; its logins end with their clients.
func (s *sshServer) close() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// pause waits for d and reports whether ctx is still alive then.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
