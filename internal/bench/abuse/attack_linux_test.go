package abuse

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attacks maps the name of each sandbox escape attempt to a function that tries it with
// the given arguments. A nil error means that the attempt succeeded. The attempts are
// harmless outside a sandbox: they write to files, connect to listeners and inspect
// processes that the test created for them.
var attacks = map[string]func(args []string) error{
	"create":    func(a []string) error { return write(a[0], os.O_CREATE|os.O_EXCL) },
	"overwrite": func(a []string) error { return write(a[0], 0) },
	"append":    func(a []string) error { return write(a[0], os.O_APPEND) },
	"truncate":  func(a []string) error { return os.Truncate(a[0], 1) },
	"chmod":     func(a []string) error { return os.Chmod(a[0], 0o644) },
	"remove":    func(a []string) error { return os.Remove(a[0]) },
	"mkdir":     func(a []string) error { return os.Mkdir(a[0], 0o700) },
	"rename":    func(a []string) error { return os.Rename(a[0], a[1]) },
	"by link": func(a []string) error {
		return errors.Join(os.Symlink(a[0], a[1]), write(a[1], 0))
	},
	"by hard link": func(a []string) error {
		return errors.Join(os.Link(a[0], a[1]), write(a[1], 0))
	},
	"by root": func(a []string) error { return write("/proc/self/root"+a[0], 0) },
	"by dots": func(a []string) error {
		return write("../"+filepath.Base(filepath.Dir(a[0]))+"/"+filepath.Base(a[0]), 0)
	},
	"by fd": byDirectory,
	"socket in": func(a []string) error {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.Bind(fd, &unix.SockaddrUnix{Name: a[0]})
	},
	"read":         func(a []string) error { return read(a[0]) },
	"read by link": func(a []string) error { return errors.Join(os.Symlink(a[0], a[1]), read(a[1])) },
	"read by root": func(a []string) error { return read("/proc/self/root" + a[0]) },
	"read by name": func(a []string) error { // through another process's working directory
		return read("/proc/" + a[0] + "/cwd/" + a[1])
	},
	"handle": func(a []string) error {
		_, _, err := unix.NameToHandleAt(unix.AT_FDCWD, a[0], 0)
		return err
	},
	"device": func(a []string) error { // a device node like /dev/null
		return unix.Mknod(a[0], unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3)))
	},
	"disk":    func(a []string) error { return read(a[0]) },
	"setting": func(a []string) error { return open(a[0]) }, // opened for writing, but not written

	"environ": func(a []string) error { return read("/proc/" + a[0] + "/environ") },
	"memory":  func(a []string) error { return open("/proc/" + a[0] + "/mem") },
	"files": func(a []string) error {
		_, err := os.Readlink("/proc/" + a[0] + "/fd/0")
		return err
	},
	"signal": func(a []string) error { return syscall.Kill(number(a[0]), 0) },
	"signal by pidfd": func(a []string) error {
		fd, err := unix.PidfdOpen(number(a[0]), 0)
		if err != nil {
			return err
		}
		return unix.PidfdSendSignal(fd, 0, nil, 0)
	},
	"ptrace": func(a []string) error {
		runtime.LockOSThread()
		_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(number(a[0])), 0, 0, 0, 0)
		return errnoError(errno)
	},
	"peek": func(a []string) error {
		var b [1]byte
		at, err := strconv.ParseUint(a[1], 10, 64)
		if err != nil {
			return err
		}
		local := []unix.Iovec{{Base: &b[0], Len: 1}}
		_, err = unix.ProcessVMReadv(number(a[0]), local, []unix.RemoteIovec{{Base: uintptr(at), Len: 1}}, 0)
		return err
	},
	"take a descriptor": func(a []string) error {
		fd, err := unix.PidfdOpen(number(a[0]), 0)
		if err != nil {
			return err
		}
		_, err = unix.PidfdGetfd(fd, 0, 0)
		return err
	},
	"inherited": func(a []string) error {
		_, err := unix.Write(number(a[0]), []byte("x"))
		return err
	},
	"limits of others": func(a []string) error {
		r := unix.Rlimit{Cur: 0, Max: unix.RLIM_INFINITY}
		return unix.Prlimit(number(a[0]), unix.RLIMIT_CORE, &r, nil)
	},
	"priority of others": func(a []string) error { return unix.Setpriority(unix.PRIO_PROCESS, number(a[0]), 5) },
	"priority of all":    func(a []string) error { return unix.Setpriority(unix.PRIO_USER, 0, 5) },
	"policy of others": func(a []string) error {
		return unix.SchedSetAttr(number(a[0]), &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_BATCH}, 0)
	},

	"another terminal":   func(a []string) error { return open(a[0]) },
	"type":               func([]string) error { return typeInto(0) },
	"type into /dev/tty": typeIntoTTY,
	"paste": func([]string) error {
		b := []byte{3}
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, 0, unix.TIOCLINUX, uintptr(unsafe.Pointer(&b[0])))
		if errno == unix.ENOTTY || errno == unix.EINVAL {
			return nil // the call was let through; the terminal is not a console
		}
		return errnoError(errno)
	},

	"tcp":       func(a []string) error { return dial("tcp", a[0]) },
	"udp":       func(a []string) error { return dial("udp", a[0]) },
	"unix":      func(a []string) error { return dial("unix", a[0]) },
	"abstract":  func(a []string) error { return dial("unix", "@"+a[0]) },
	"mptcp":     func(a []string) error { return connect(a[0], 262) },
	"fast open": fastOpen,
	"http":      func(a []string) error { return get(a[0]) },
	"http, hidden": func(a []string) error {
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
			return err
		}
		return get(a[0])
	},
	"packets": func([]string) error { return socket(unix.AF_PACKET, unix.SOCK_DGRAM) },
	"raw":     func([]string) error { return socket(unix.AF_INET, unix.SOCK_RAW) },
	"vsock":   func([]string) error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM) },
	"localhost": func([]string) error {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer l.Close()
		c, err := net.DialTimeout("tcp4", l.Addr().String(), dialLimit)
		if err != nil {
			return err
		}
		return c.Close()
	},

	// If these calls are let through, their arguments make them fail with an error that
	// the sandbox does not use.
	"io_uring": func([]string) error { return passes(unix.SYS_IO_URING_SETUP, 0, 0) },
	"mount":    func([]string) error { return passes(unix.SYS_MOUNT, 0, 1) },
	"remount":  func([]string) error { return passes(unix.SYS_MOUNT, 0, 1, 0, unix.MS_REMOUNT) },
	"umount":   func([]string) error { return passes(unix.SYS_UMOUNT2, 1, 0) },
	"setns":    func([]string) error { return passes(unix.SYS_SETNS, ^uintptr(0), 0) },
	"keyring":  func([]string) error { return passes(unix.SYS_KEYCTL, 9999) },
	"bpf":      func([]string) error { return passes(unix.SYS_BPF, 9999, 0, 0) },
	"module":   func([]string) error { return passes(unix.SYS_INIT_MODULE, 0, 0, 1) },
	"reboot":   func([]string) error { return passes(unix.SYS_REBOOT, 0, 0, 0) }, // without its magic numbers
	"clock":    func([]string) error { return passes(unix.SYS_CLOCK_SETTIME, 9999, 1) },
	"namespace": func([]string) error {
		runtime.LockOSThread()
		return unix.Unshare(unix.CLONE_NEWUTS)
	},
	"user namespace": func([]string) error { return passes(unix.SYS_CLONE, unix.CLONE_NEWUSER|unix.CLONE_FS) },

	"privileges": func([]string) error {
		n, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
		if err == nil && n == 1 {
			return errors.New("no new privileges")
		}
		return err
	},
	"capabilities": func([]string) error {
		n, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, unix.CAP_SYS_ADMIN, 0, 0, 0)
		if err == nil && n == 0 {
			return errors.New("the capabilities are dropped")
		}
		return err
	},
	"variable": func(a []string) error {
		if os.Getenv(a[0]) == "" {
			return errors.New("the variable is not set")
		}
		return nil
	},
}

// attackMain runs one attack and prints its outcome.
func attackMain(args []string) {
	attack := attacks[args[0]]
	if attack == nil {
		attack = wayAttacks[args[0]]
	}
	if attack == nil {
		fmt.Println("NO SUCH ATTACK")
		os.Exit(2)
	}
	if err := attack(args[1:]); err != nil {
		fmt.Println("REFUSED:", err)
		return
	}
	fmt.Println("GOT IN")
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		fmt.Println("NO NUMBER:", s)
		os.Exit(2)
	}
	return n
}

func errnoError(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

// write writes one byte to a file opened with the given flags.
func write(path string, flags int) error {
	f, err := os.OpenFile(path, os.O_WRONLY|flags, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString("x")
	return errors.Join(err, f.Close())
}

// read reads one byte of a file.
func read(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Read(make([]byte, 1))
	return err
}

// open opens a file for reading and writing.
func open(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// byDirectory writes to a file through an O_PATH descriptor of its directory. Opening a
// directory with O_PATH needs no permission on it.
func byDirectory(a []string) error {
	dir, err := unix.Open(filepath.Dir(a[0]), unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	fd, err := unix.Openat(dir, filepath.Base(a[0]), unix.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = unix.Write(fd, []byte("x"))
	return err
}

// typeInto inserts a space into a terminal's input queue with TIOCSTI, as if it came
// from the keyboard.
func typeInto(fd int) error {
	b := [1]byte{' '}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCSTI, uintptr(unsafe.Pointer(&b[0])))
	return errnoError(errno)
}

func typeIntoTTY([]string) error {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR, 0)
	if err != nil {
		return err
	}
	return typeInto(fd)
}

// dialLimit is the timeout of a connection to this machine.
const dialLimit = 5 * time.Second

// dial connects to an address and, except over UDP, waits for the listener's greeting.
func dial(network, addr string) error {
	c, err := net.DialTimeout(network, addr, dialLimit)
	if err != nil {
		return err
	}
	defer c.Close()
	if network != "udp" {
		if err := c.SetReadDeadline(time.Now().Add(dialLimit)); err != nil {
			return err
		}
		_, err = c.Read(make([]byte, 1))
		return err // io.EOF without a greeting
	}
	_, err = c.Write([]byte("x"))
	return err
}

// get requests a URL and returns an error unless the status is 200 OK.
func get(url string) error {
	client := http.Client{Timeout: dialLimit}
	res, err := client.Get(url)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return errors.New(res.Status)
	}
	return nil
}

// connect connects a stream socket of the given protocol.
func connect(addr string, protocol int) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, protocol)
	if err != nil {
		return err
	}
	return unix.Connect(fd, address(addr))
}

// fastOpen connects with TCP Fast Open: it sends data in the first packet.
func fastOpen(a []string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	return unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN, address(a[0]))
}

// address returns the socket address of a port on 127.0.0.1.
func address(addr string) *unix.SockaddrInet4 {
	_, port, _ := strings.Cut(addr, ":")
	return &unix.SockaddrInet4{Port: number(port), Addr: [4]byte{127, 0, 0, 1}}
}

func socket(family, kind int) error {
	fd, err := unix.Socket(family, kind, 0)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// passes makes a system call with invalid arguments. It returns nil if the call was let
// through, that is, if its error is not one that the sandbox uses.
func passes(call uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	_, _, errno := unix.RawSyscall6(call, a[0], a[1], a[2], a[3], a[4], a[5])
	if errno == unix.EPERM || errno == unix.EACCES || errno == unix.ENOSYS {
		return errno
	}
	return nil
}
