package sandbox

import (
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/need"
)

func TestMain(m *testing.M) {
	if IsLauncher(os.Args) {
		os.Exit(Main())
	}
	os.Exit(need.Home(m).Run())
}

// run runs a shell script in a sandbox and returns its output.
func run(t testing.TB, j Job, script string) (string, error) {
	t.Helper()
	return runCommand(j, &exec.Cmd{Path: need.Program(t, "sh"), Args: []string{"sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}})
}

// runCommand runs a command in a sandbox.
func runCommand(j Job, cmd *exec.Cmd) (string, error) {
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	l, err := Prepare(cmd, j)
	if err != nil {
		return "", err
	}
	started := cmd.Start()
	if err := errors.Join(started, l.Await(started == nil)); err != nil {
		if started == nil {
			_ = cmd.Wait() // err has the reason
		}
		return "", err
	}
	err = cmd.Wait()
	return out.String(), err
}

// TestLaunch checks that a program runs as it would without a launcher, and that a program
// that cannot be executed gives the same error.
func TestLaunch(t *testing.T) {
	dir := resolved(t, t.TempDir())
	out, err := run(t, Job{Writable: []string{dir}}, `echo "$PATH"; echo $$ $PPID >"`+dir+`/pids"; ls /proc/self/fd | wc -l`)
	if err != nil || !strings.HasPrefix(out, "/usr/bin:/bin\n") || strings.TrimSpace(out[len("/usr/bin:/bin\n"):]) != "4" {
		t.Errorf("%q, %v; want its environment and 4 descriptors", out, err)
	}
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("\x7fELF, but no more"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{dir + "/none": unix.ENOENT, dir: unix.EACCES, text: unix.ENOEXEC} {
		_, err := runCommand(Job{}, &exec.Cmd{Path: path, Args: []string{path}, Env: []string{}})
		plain := (&exec.Cmd{Path: path, Args: []string{path}, Env: []string{}}).Start()
		if !errors.Is(err, want) || err.Error() != plain.Error() {
			t.Errorf("%s: %v, want %v", path, err, plain)
		}
	}
	if _, err := run(t, Job{Writable: []string{dir + "/none"}}, "echo"); !errors.Is(err, ErrEnforce) || !strings.Contains(err.Error(), "none") {
		t.Errorf("failing launcher: %v", err)
	}
}

// TestEnvironmentOfLauncher checks that the caller's environment affects only the program,
// and not the launcher.
func TestEnvironmentOfLauncher(t *testing.T) {
	cmd := &exec.Cmd{Path: need.Program(t, "sh"), Args: []string{"sh", "-c", "echo $GODEBUG"}, Env: []string{"GODEBUG=inittrace=1"}}
	if out, err := runCommand(Job{}, cmd); out != "inittrace=1\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}

// TestHidden checks that a hidden file cannot be read, and that a file next to it can.
func TestHidden(t *testing.T) {
	if Probe().Landlock == 0 {
		t.Skip("this kernel has no Landlock")
	}
	dir := resolved(t, t.TempDir())
	for _, name := range []string{"a/secret", "a/open", "b"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a/secret", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	out, _ := run(t, Job{Policy: Policy{Hide: []string{dir + "/a/secret"}}}, "cd "+dir+"; cat a/open b; cat a/secret link 2>/dev/null; ls a")
	if out != "a/open\nb\nopen\nsecret\n" {
		t.Errorf("%q", out)
	}
	out, _ = run(t, Job{Policy: Policy{Read: []string{dir + "/b"}}}, "cd "+dir+"; cat b; cat a/open 2>/dev/null || echo no")
	if out != "b\nno\n" {
		t.Errorf("with a list of readable files: %q", out)
	}
}

// TestHiddenInHidden checks that bwrap starts a program although hidden and protected files are in a
// hidden directory.
func TestHiddenInHidden(t *testing.T) {
	if Probe().Bwrap == "" {
		t.Skip("no bwrap")
	}
	dir := resolved(t, t.TempDir())
	for _, name := range []string{"a/hidden", "a/protected"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p := Policy{Backend: Bwrap, Hide: []string{dir + "/a", dir + "/a/hidden"}, Protect: []string{dir + "/a/protected"}}
	if out, err := run(t, Job{Policy: p}, "ls "+dir+"/a; echo runs"); out != "runs\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}

// TestProtectedInside checks that bwrap protects a file inside a writable directory, with and without a
// list of readable files.
func TestProtectedInside(t *testing.T) {
	if Probe().Bwrap == "" {
		t.Skip("no bwrap")
	}
	for _, read := range [][]string{nil, {"/usr"}} {
		dir := resolved(t, t.TempDir())
		t.Chdir(dir)
		own := filepath.Join(dir, "own")
		if err := os.WriteFile(own, []byte("kept\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		p := Policy{Backend: Bwrap, Read: read, Write: []string{dir}, Protect: []string{own}}
		out, err := run(t, Job{Policy: p}, "(echo lost >own) 2>/dev/null; cat own; echo written >other; cat other")
		if err != nil || out != "kept\nwritten\n" {
			t.Errorf("readable %q: %q, %v", read, out, err)
		}
	}
}

// TestReplaced checks that the launcher fails if a directory was replaced by a link after
// the server has checked it.
func TestReplaced(t *testing.T) {
	dir := resolved(t, t.TempDir())
	if err := errors.Join(os.Mkdir(dir+"/precious", 0o700), os.Symlink("precious", dir+"/work")); err != nil {
		t.Fatal(err)
	}
	backends := []Backend{Landlock}
	if Probe().Bwrap != "" {
		backends = append(backends, Bwrap)
	}
	for _, b := range backends {
		_, err := run(t, Job{Policy: Policy{Backend: b}, Writable: []string{dir + "/work"}}, "echo x >"+dir+"/precious/file")
		if !errors.Is(err, ErrEnforce) || !strings.Contains(err.Error(), "leads to "+dir+"/precious now") {
			t.Errorf("%s: %v", b, err)
		}
	}
}

// TestLimits checks each limit with a program that exceeds it.
func TestLimits(t *testing.T) {
	need.Long(t)
	python := need.Program(t, "python3")
	for _, tt := range []struct {
		name, script string
		limits       Limits
	}{
		{"memory", "x = bytearray(200 << 20)", Limits{Memory: 100 << 20}},
		{"files", "f = [open('/dev/null') for _ in range(40)]", Limits{Files: 32}},
		{"processor time", "while True: pass", Limits{CPU: 1}},
		{"raising it again", "import resource as r; r.setrlimit(r.RLIMIT_CPU, (99, 99))", Limits{CPU: 60}},
	} {
		command := func() *exec.Cmd {
			return &exec.Cmd{Path: python, Args: []string{python, "-c", tt.script}, Env: []string{}}
		}
		if tt.limits.CPU != 1 {
			if out, err := runCommand(Job{}, command()); err != nil {
				t.Errorf("%s: without a limit: %q, %v", tt.name, out, err)
			}
		}
		if out, err := runCommand(Job{Policy: Policy{Limits: tt.limits}}, command()); err == nil {
			t.Errorf("%s: not enforced: %q", tt.name, out)
		}
	}
}

// TestProcesses checks the limit of processes. The kernel does not apply it to root, which
// Missing must report.
func TestProcesses(t *testing.T) {
	const fork = "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do sleep 3 & done; kill %1 %2; echo all; kill $(jobs -p) 2>/dev/null"
	if os.Geteuid() == 0 {
		missing := Probe().Missing(Policy{Limits: Limits{Processes: 4}})
		if !slices.ContainsFunc(missing, func(m string) bool { return strings.Contains(m, "processes") }) {
			t.Errorf("Missing does not report that root's processes are not limited: %q", missing)
		}
		return
	}
	out, err := run(t, Job{Policy: Policy{Limits: Limits{Processes: 4}}}, fork)
	if err == nil && !strings.Contains(out, "fork") {
		t.Errorf("not enforced: %q", out)
	}
}

// data returns a system call as the filter sees it, in the byte order of package bpf's
// virtual machine.
func data(arch, number uint32, args ...uint32) []byte {
	b := make([]byte, 64)
	binary.BigEndian.PutUint32(b[offNumber:], number)
	binary.BigEndian.PutUint32(b[offArch:], arch)
	for i, a := range args {
		binary.BigEndian.PutUint32(b[offArgs+8*i:], a)
	}
	return b
}

// TestFilter runs the filter of system calls in package bpf's virtual machine, and checks
// its decisions.
func TestFilter(t *testing.T) {
	arch, known := auditArch[goarch]
	if !known {
		t.Skip("no filter for " + goarch)
	}
	const allow, mptcp = 0, 262
	for _, tt := range []struct {
		name string
		p    Policy
		call []byte
		want unix.Errno
	}{
		{"read", Policy{}, data(arch, unix.SYS_READ), allow},
		{"another machine", Policy{}, data(arch+1, unix.SYS_READ), unix.ENOSYS},
		{"x32", Policy{}, data(arch, x32Bit|unix.SYS_READ), unix.ENOSYS},
		{"TCP", Policy{}, data(arch, unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM), allow},
		{"TCP, no network", Policy{Network: NetworkNone}, data(arch, unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM), unix.EACCES},
		{"TCP 6, no network", Policy{Network: NetworkNone}, data(arch, unix.SYS_SOCKET, unix.AF_INET6, unix.SOCK_STREAM), unix.EACCES},
		{"netlink", Policy{Network: NetworkNone}, data(arch, unix.SYS_SOCKET, unix.AF_NETLINK), allow},
		{"local", Policy{}, data(arch, unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_STREAM), unix.EACCES},
		{"local pair", Policy{}, data(arch, unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC), allow},
		{"pair of packets in order", Policy{}, data(arch, unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_SEQPACKET), allow},
		{"pair of datagrams", Policy{}, data(arch, unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_DGRAM), unix.EACCES},
		{"pair of datagrams, with flags", Policy{}, data(arch, unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC), unix.EACCES},
		{"pair of datagrams, called raw", Policy{}, data(arch, unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_RAW), unix.EACCES},
		{"pair of datagrams, with sockets", Policy{Sockets: true}, data(arch, unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_DGRAM), allow},
		{"another pair", Policy{Sockets: true}, data(arch, unix.SYS_SOCKETPAIR, unix.AF_TIPC, unix.SOCK_STREAM), unix.EACCES},
		{"netlink of programs", Policy{}, data(arch, unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_USERSOCK), unix.EACCES},
		{"flags", Policy{}, data(arch, unix.SYS_IOCTL, 3, unix.FS_IOC_SETFLAGS), unix.EPERM},
		{"flags told", Policy{}, data(arch, unix.SYS_IOCTL, 3, unix.FS_IOC_GETFLAGS), allow},
		{"attributes", Policy{}, data(arch, unix.SYS_IOCTL, 3, 0x401c5820), unix.EPERM},
		{"verity", Policy{}, data(arch, unix.SYS_IOCTL, 3, unix.FS_IOC_ENABLE_VERITY), unix.EPERM},
		{"encryption", Policy{}, data(arch, unix.SYS_IOCTL, 3, unix.FS_IOC_SET_ENCRYPTION_POLICY), unix.EPERM},
		{"a subvolume", Policy{}, data(arch, unix.SYS_IOCTL, 3, 0x5000940e), unix.EPERM}, // BTRFS_IOC_SUBVOL_CREATE
		{"a clone", Policy{}, data(arch, unix.SYS_IOCTL, 3, unix.FICLONE), allow},
		{"a version", Policy{}, data(arch, unix.SYS_IOCTL, 3, 0x40087602), unix.EPERM},
		{"attributes by path", Policy{}, data(arch, unix.SYS_FILE_SETATTR), unix.EPERM},
		{"a lease", Policy{}, data(arch, unix.SYS_FCNTL, 3, unix.F_SETLEASE), unix.EPERM},
		{"a record lock", Policy{}, data(arch, unix.SYS_FCNTL, 3, unix.F_SETLK), allow},
		{"another's descriptor", Policy{}, data(arch, unix.SYS_PIDFD_GETFD), unix.EPERM},
		{"a queue", Policy{}, data(arch, unix.SYS_MQ_OPEN), unix.EPERM},
		{"packets", Policy{}, data(arch, unix.SYS_SOCKET, unix.AF_PACKET), unix.EACCES},
		{"vsock", Policy{}, data(arch, unix.SYS_SOCKET, unix.AF_VSOCK), unix.EACCES},
		{"MPTCP", Policy{}, data(arch, unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, mptcp), allow},
		{"MPTCP, ports", Policy{Network: NetworkPorts}, data(arch, unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, mptcp), unix.EPROTONOSUPPORT},
		{"MPTCP 6, ports", Policy{Network: NetworkPorts}, data(arch, unix.SYS_SOCKET, unix.AF_INET6, unix.SOCK_STREAM, mptcp), unix.EPROTONOSUPPORT},
		{"TCP by number, ports", Policy{Network: NetworkPorts}, data(arch, unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_TCP), allow},
		{"fast open, ports", Policy{Network: NetworkPorts}, data(arch, unix.SYS_SENDTO, 3, 0, 0, unix.MSG_FASTOPEN|unix.MSG_NOSIGNAL), unix.EOPNOTSUPP},
		{"fast open by message, ports", Policy{Network: NetworkPorts}, data(arch, unix.SYS_SENDMSG, 3, 0, unix.MSG_FASTOPEN), unix.EOPNOTSUPP},
		{"a message, ports", Policy{Network: NetworkPorts}, data(arch, unix.SYS_SENDTO, 3, 0, 0, unix.MSG_NOSIGNAL), allow},
		{"typing", Policy{}, data(arch, unix.SYS_IOCTL, 0, unix.TIOCSTI), unix.EPERM},
		{"another ioctl", Policy{}, data(arch, unix.SYS_IOCTL, 0, unix.TIOCGWINSZ), allow},
		{"fork", Policy{}, data(arch, unix.SYS_CLONE, uint32(unix.SIGCHLD)), allow},
		{"a namespace", Policy{}, data(arch, unix.SYS_CLONE, unix.CLONE_NEWUSER|uint32(unix.SIGCHLD)), unix.EPERM},
		{"unshare", Policy{}, data(arch, unix.SYS_UNSHARE, unix.CLONE_FS|unix.CLONE_NEWNS), unix.EPERM},
		{"unshare of files", Policy{}, data(arch, unix.SYS_UNSHARE, unix.CLONE_FILES), allow},
		{"io_uring", Policy{}, data(arch, unix.SYS_IO_URING_SETUP), unix.ENOSYS},
		{"mount", Policy{}, data(arch, unix.SYS_MOUNT), unix.EPERM},
		{"the keyring", Policy{}, data(arch, unix.SYS_KEYCTL), unix.EPERM},
	} {
		raw, err := filter(tt.p, arch, tt.p.Sockets)
		if err != nil {
			t.Fatal(err)
		}
		prog, ok := bpf.Disassemble(raw)
		vm, err := bpf.NewVM(prog)
		if err != nil || !ok {
			t.Fatal(err)
		}
		got, err := vm.Run(tt.call)
		if err != nil {
			t.Fatal(err)
		}
		want := uint32(unix.SECCOMP_RET_ALLOW)
		if tt.want != allow {
			want = unix.SECCOMP_RET_ERRNO | uint32(tt.want)
		}
		if uint32(got) != want {
			t.Errorf("%s: %#x, want %#x", tt.name, got, want)
		}
	}
}

// TestLauncherByHand checks that a launcher without a job fails and does nothing.
func TestLauncherByHand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(self, launcherArg).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 126 || !strings.Contains(string(out), "the job") {
		t.Errorf("%q, %v", out, err)
	}
}

// BenchmarkStart measures starting the program true with and without a sandbox.
func BenchmarkStart(b *testing.B) {
	path := need.Program(b, "true")
	hide := b.TempDir()
	for name, j := range map[string]*Job{"plain": nil, "sandbox": {}, "hidden": {Policy: Policy{Hide: []string{hide}}}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				cmd := &exec.Cmd{Path: path, Args: []string{"true"}, Env: []string{}}
				err := error(nil)
				if j == nil {
					err = cmd.Run()
				} else {
					_, err = runCommand(*j, cmd)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestMoreConfinedEnding checks that MoreConfined returns os.ErrNotExist for a process that ends
// while it looks.
func TestMoreConfinedEnding(t *testing.T) {
	name := need.Program(t, "true")
	for range 300 {
		cmd := exec.Command(name)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for {
			if _, err := MoreConfined(cmd.Process.Pid); err != nil {
				if !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%v, want %v", err, os.ErrNotExist)
				}
				break
			}
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
}
