package abuse

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// wayAttacks maps the name of each attempt to reach a socket or an open file to a
// function that tries it with the given arguments.
var wayAttacks = map[string]func(args []string) error{
	"datagram pair": func(a []string) error { return datagramPair(unix.SOCK_DGRAM, a) },
	"raw pair":      func(a []string) error { return datagramPair(unix.SOCK_RAW, a) },
	"stream pair":   func(a []string) error { return connectedPair(unix.SOCK_STREAM, a[0]) },
	"ordered pair":  func(a []string) error { return connectedPair(unix.SOCK_SEQPACKET, a[0]) },
	"tipc pair": func([]string) error {
		_, err := unix.Socketpair(unix.AF_TIPC, unix.SOCK_STREAM, 0)
		return err
	},
	"netlink of programs": func([]string) error {
		_, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_USERSOCK)
		return err
	},
	"crypto": func([]string) error { return socket(unix.AF_ALG, unix.SOCK_SEQPACKET) },

	"open a file of": func(a []string) error { return open("/proc/" + a[0] + "/fd/0") },
	"open by handle": func([]string) error { return passes(unix.SYS_OPEN_BY_HANDLE_AT, ^uintptr(0), 1, 0) },
	"userfaultfd":    func([]string) error { return passes(unix.SYS_USERFAULTFD, 0) },
	"memory file": func(a []string) error {
		fd, err := unix.MemfdCreate("way", 0)
		if err != nil {
			return err
		}
		self, err := os.ReadFile("/proc/self/exe")
		if err == nil {
			_, err = unix.Write(fd, self)
		}
		if err != nil {
			return err
		}
		out, err := exec.Command(fmt.Sprintf("/proc/self/fd/%d", fd), attackArg, "overwrite", a[0]).Output()
		if err == nil && string(out) != gotIn+"\n" {
			err = fmt.Errorf("the program in the memory file printed %q", out)
		}
		return err
	},
	"queue": func(a []string) error {
		name, err := unix.BytePtrFromString(a[0])
		if err != nil {
			return err
		}
		_, _, errno := unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(name)), unix.O_RDWR|unix.O_CREAT, 0o600, 0, 0, 0)
		if errno == 0 {
			_, _, errno = unix.Syscall(unix.SYS_MQ_UNLINK, uintptr(unsafe.Pointer(name)), 0, 0)
		}
		return errnoError(errno)
	},
	"fanotify": func([]string) error {
		_, err := unix.FanotifyInit(unix.FAN_REPORT_FID, 0)
		return err
	},
	"perf":      func([]string) error { return passes(unix.SYS_PERF_EVENT_OPEN, 1, 0, 0, 0, 0) },
	"open tree": func([]string) error { return passes(unix.SYS_OPEN_TREE, ^uintptr(0), 1, 0) },
	"fsopen":    func([]string) error { return passes(unix.SYS_FSOPEN, 1, 0) },
	"pipe": func(a []string) error {
		fd, err := unix.Open(a[0], unix.O_WRONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		_, err = unix.Write(fd, []byte("x"))
		return err
	},
	"flags": func(a []string) error { // toggles nodump through a read-only descriptor
		fd, err := unix.Open(a[0], unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		flags, err := unix.IoctlGetUint32(fd, unix.FS_IOC_GETFLAGS)
		if err != nil {
			return nil // the file system has no flags
		}
		const nodump = 0x40
		return unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, int(flags^nodump))
	},
	"attributes": func([]string) error { return passes(unix.SYS_FILE_SETATTR, ^uintptr(0), 1, 1, 1, 0) },
	"lease": func(a []string) error {
		fd, err := unix.Open(a[0], unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		_, err = unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_RDLCK)
		return err
	},
	"watch": func(a []string) error {
		fd, err := unix.InotifyInit1(0)
		if err != nil {
			return err
		}
		_, err = unix.InotifyAddWatch(fd, a[0], unix.IN_MODIFY)
		return err
	},
	"lock": func(a []string) error { // locks a file that can be opened for reading
		fd, err := unix.Open(a[0], unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
	},
}

// datagramPair binds one end of a socket pair to the name a[1], sends from it to the
// socket a[0], and writes to the file descriptor that it receives in return.
func datagramPair(kind int, a []string) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, kind, 0)
	if err != nil {
		return err
	}
	_ = os.Remove(a[1]) // left by the previous attempt
	if err := unix.Bind(pair[0], &unix.SockaddrUnix{Name: a[1]}); err != nil {
		return err
	}
	if err := unix.Connect(pair[0], &unix.SockaddrUnix{Name: a[0]}); err != nil {
		return err
	}
	if _, err := unix.Write(pair[0], []byte("x")); err != nil {
		return err
	}
	limit := unix.NsecToTimeval(int64(dialLimit))
	if err := unix.SetsockoptTimeval(pair[0], unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit); err != nil {
		return err
	}
	oob := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(pair[0], make([]byte, 1), oob, 0)
	if err != nil {
		return err
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil || len(messages) != 1 {
		return errors.Join(err, fmt.Errorf("%d control messages", len(messages)))
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return err
	}
	_, err = unix.Write(fds[0], []byte("x"))
	return err
}

// connectedPair tries to connect one end of a connected socket pair to the listener
// with the given name.
func connectedPair(kind int, name string) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, kind, 0)
	if err != nil {
		return err
	}
	to := &unix.SockaddrUnix{Name: name}
	none := make([]byte, 2) // AF_UNSPEC, which disconnects other kinds of sockets
	_, _, errno := syscall.Syscall(unix.SYS_CONNECT, uintptr(pair[0]), uintptr(unsafe.Pointer(&none[0])), 2)
	if errno == 0 {
		return nil
	}
	if err := unix.Connect(pair[0], to); err == nil {
		return nil
	}
	if err := unix.Close(pair[1]); err != nil {
		return err
	}
	err = unix.Connect(pair[0], to)
	if err == nil {
		return nil
	}
	if unix.Sendto(pair[0], []byte("x"), unix.MSG_NOSIGNAL, to) == nil {
		return nil
	}
	return err
}
