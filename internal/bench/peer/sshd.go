package peer

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

// An SSHServer is an sshd on a loopback port, with keys made for this run.
type SSHServer struct {
	Port       int
	Key        string // file of the user's key
	passphrase string
	dir        string
	cmd        *exec.Cmd
}

// StartSSH starts sshd with a new host key and one user key, and waits until it accepts
// connections. path is the PATH of logins. passphrase protects the user key; "" is none.
func StartSSH(ctx context.Context, dir, path, passphrase string) (*SSHServer, error) {
	daemon, err := exec.LookPath("sshd")
	if err != nil {
		return nil, err
	}
	if os.Getuid() == 0 {
		// sshd needs this empty directory, which is missing on a machine that has never run it.
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			return nil, err
		}
	}
	s := &SSHServer{dir: dir, Key: filepath.Join(dir, "user_key"), passphrase: passphrase}
	if err := s.configure(path); err != nil {
		return nil, err
	}
	s.cmd = exec.Command(daemon, "-D", "-e", "-f", filepath.Join(dir, "sshd_config"))
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start sshd: %w", err)
	}
	if err := s.awaitPort(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// configure writes keys and the configurations of both sides.
func (s *SSHServer) configure(path string) error {
	for key, pass := range map[string]string{"host_key": "", "user_key": s.passphrase} {
		out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", pass, "-f", filepath.Join(s.dir, key)).CombinedOutput()
		if err != nil {
			return fmt.Errorf("ssh-keygen: %w: %s", err, out)
		}
	}
	public, err := os.ReadFile(filepath.Join(s.dir, "user_key.pub"))
	if err != nil {
		return err
	}
	if s.Port, err = freePort(); err != nil {
		return err
	}
	conf := fmt.Sprintf("ListenAddress 127.0.0.1:%d\nHostKey %s\nAuthorizedKeysFile %s\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\nPrintMotd no\nPrintLastLog no\nPidFile none\nSubsystem sftp internal-sftp\nSetEnv PATH=%s\n",
		s.Port, filepath.Join(s.dir, "host_key"), filepath.Join(s.dir, "authorized_keys"), path)
	if err := os.WriteFile(filepath.Join(s.dir, "authorized_keys"), public, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "sshd_config"), []byte(conf), 0o600)
}

// awaitPort waits until the port answers.
func (s *SSHServer) awaitPort(ctx context.Context) error {
	for range 50 {
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.Port))
		if err == nil {
			return c.Close()
		}
		if !Pause(ctx, 100*time.Millisecond) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("sshd does not listen on port %d", s.Port)
}

// User returns the current user's name, which is used to log in.
func (s *SSHServer) User() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "root"
}

// Login returns the arguments of a client: its options and the destination. port is the client's
// option for the port.
func (s *SSHServer) Login(port string) []string {
	return strings.Fields(fmt.Sprintf("-q -F none -i %s %s %d -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o IdentitiesOnly=yes %s@127.0.0.1",
		s.Key, port, s.Port, s.User()))
}

// Close ends the daemon; its logins end with their clients.
func (s *SSHServer) Close() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// Pause waits for d, or until ctx ends, in which case it returns false.
func Pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
