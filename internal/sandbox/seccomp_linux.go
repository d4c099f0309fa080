package sandbox

import (
	"cmp"
	"fmt"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// The filter of system calls (seccomp(2)) closes ways around Landlock, which covers only files, TCP
// and signals. The filter refuses local sockets (unless the Policy allows them or Landlock checks
// them), whose daemons can do for a program what the program may not do itself; protocols that carry
// TCP under another name; io_uring, whose operations pass no filter; typing into terminals; the user's
// keyring; and calls for root only. Package bpf assembles the filter, because the libraries for seccomp
// need C or are not on the module proxy.

// A rule refuses a system call if all its tests are true.
type rule struct {
	number uint32 // of the system call
	tests  []test
	errno  unix.Errno // what a refused call returns
}

// A test compares the low 32 bits of one argument, which hold flags and small numbers.
type test struct {
	arg  uint32 // index of the argument
	mask uint32 // the bits to compare; 0 for all
	want uint32
	not  bool // the test is true if the argument is different
}

// auditArch maps GOARCH to the architecture in struct seccomp_data.
var auditArch = map[string]uint32{
	"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64, "riscv64": unix.AUDIT_ARCH_RISCV64,
}

// Offsets in struct seccomp_data, on little-endian machines.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

// x32Bit is set in the numbers of x32 system calls, which duplicate the 64-bit calls.
const x32Bit = 0x40000000

// filter returns the seccomp program for a Policy and an architecture. localSockets allows Unix sockets.
func filter(p Policy, arch uint32, localSockets bool) ([]bpf.RawInstruction, error) {
	deny := bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)}
	prog := []bpf.Instruction{
		// Refuse the machine's 32-bit system calls, whose numbers the rules do not cover.
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: arch, SkipTrue: 1},
		deny,
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: x32Bit, SkipFalse: 1},
		deny,
	}
	for _, r := range append(socketRules(p, localSockets), systemRules()...) {
		prog = append(prog, r.instructions()...)
	}
	return bpf.Assemble(append(prog, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}))
}

// instructions returns the rule's part of the program.
func (r rule) instructions() []bpf.Instruction {
	var body []bpf.Instruction
	for i, t := range r.tests {
		rest := uint8(3*(len(r.tests)-1-i) + 1) // the later tests, and the return
		jump := bpf.JumpIf{Cond: bpf.JumpEqual, Val: t.want, SkipFalse: rest}
		if t.not {
			jump = bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: t.want, SkipFalse: rest}
		}
		body = append(body,
			bpf.LoadAbsolute{Off: offArgs + 8*t.arg, Size: 4},
			bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: cmp.Or(t.mask, ^uint32(0))},
			jump)
	}
	body = append(body, bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(r.errno)})
	return append([]bpf.Instruction{
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: r.number, SkipFalse: uint8(len(body))},
	}, body...)
}

// socketRules returns the rules for the kinds of sockets that may be created. local says whether
// local sockets may be created.
func socketRules(p Policy, local bool) []rule {
	otherFamily := func(than ...uint32) (tests []test) {
		for _, f := range than {
			tests = append(tests, test{arg: 0, want: f, not: true})
		}
		return tests
	}
	allowed := []uint32{unix.AF_NETLINK}
	if local {
		allowed = append(allowed, unix.AF_UNIX)
	}
	if p.Network != NetworkNone {
		allowed = append(allowed, unix.AF_INET, unix.AF_INET6)
	}
	rules := []rule{
		{unix.SYS_SOCKET, otherFamily(allowed...), unix.EACCES},
		{unix.SYS_SOCKET, otherNetlink(), unix.EACCES},
		{unix.SYS_SOCKETPAIR, otherFamily(unix.AF_UNIX), unix.EACCES},
	}
	if !local {
		// A datagram socket of a pair can send to any socket that has a name. Stream and
		// sequenced-packet sockets stay connected to each other.
		const kind = 0xf // without SOCK_CLOEXEC and SOCK_NONBLOCK
		rules = append(rules, rule{unix.SYS_SOCKETPAIR, []test{
			{arg: 1, mask: kind, want: unix.SOCK_STREAM, not: true},
			{arg: 1, mask: kind, want: unix.SOCK_SEQPACKET, not: true},
		}, unix.EACCES})
	}
	if p.Network != NetworkPorts {
		return rules
	}
	// Protocols that amount to TCP but that Landlock does not treat as TCP: MPTCP, SCTP,
	// SMC, and TCP Fast Open.
	var protocols []test
	for _, known := range []uint32{0, unix.IPPROTO_TCP, unix.IPPROTO_UDP, unix.IPPROTO_ICMP, unix.IPPROTO_ICMPV6} {
		protocols = append(protocols, test{arg: 2, want: known, not: true})
	}
	internet := func(f uint32) []test { return append([]test{{arg: 0, want: f}}, protocols...) }
	fastOpen := func(arg uint32) []test {
		return []test{{arg: arg, mask: unix.MSG_FASTOPEN, want: unix.MSG_FASTOPEN}}
	}
	return append(rules,
		rule{unix.SYS_SOCKET, internet(unix.AF_INET), unix.EPROTONOSUPPORT},
		rule{unix.SYS_SOCKET, internet(unix.AF_INET6), unix.EPROTONOSUPPORT},
		rule{unix.SYS_SENDTO, fastOpen(3), unix.EOPNOTSUPP},
		rule{unix.SYS_SENDMSG, fastOpen(2), unix.EOPNOTSUPP},
		rule{unix.SYS_SENDMMSG, fastOpen(3), unix.EOPNOTSUPP},
	)
}

// otherNetlink returns the tests for netlink(7) protocols that do more than report the
// kernel's state: for example, some connect processes.
func otherNetlink() []test {
	tests := []test{{arg: 0, want: unix.AF_NETLINK}}
	for _, known := range []uint32{unix.NETLINK_ROUTE, unix.NETLINK_SOCK_DIAG, unix.NETLINK_KOBJECT_UEVENT, unix.NETLINK_GENERIC} {
		tests = append(tests, test{arg: 2, want: known, not: true})
	}
	return tests
}

// newNamespaces are the flags of clone(2) and unshare(2) that create namespaces, except those of time.
const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWPID |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// systemRules refuses calls that no terminal program needs.
func systemRules() []rule {
	rules := []rule{
		{unix.SYS_IOCTL, []test{{arg: 1, want: unix.TIOCSTI}}, unix.EPERM},    // types into a terminal
		{unix.SYS_IOCTL, []test{{arg: 1, want: unix.TIOCLINUX}}, unix.EPERM},  // pastes into a console
		{unix.SYS_CLONE3, nil, unix.ENOSYS},                                   // a filter cannot read its flags; libraries fall back to clone
		{unix.SYS_FCNTL, []test{{arg: 1, want: unix.F_SETLEASE}}, unix.EPERM}, // delays other processes that open the file
	}
	rules = append(rules, attributeRules()...)
	for shift := range 32 {
		if flag := uint32(newNamespaces) & (1 << shift); flag != 0 {
			rules = append(rules,
				rule{unix.SYS_CLONE, []test{{arg: 0, mask: flag, want: flag}}, unix.EPERM},
				rule{unix.SYS_UNSHARE, []test{{arg: 0, mask: flag, want: flag}}, unix.EPERM})
		}
	}
	rules = append(rules, processRules()...)
	for _, number := range refusedCalls {
		rules = append(rules, rule{number: number, errno: unix.EPERM})
	}
	for _, number := range []uint32{unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER} {
		rules = append(rules, rule{number: number, errno: unix.ENOSYS})
	}
	return rules
}

// attributeRules refuses the ioctl(2) requests that change a file that is open only for reading, or
// the file's directory: flags, attributes, encryption, immutability, subvolumes. Landlock covers
// none of them. Each file system has a letter for its requests. Most requests change something, so
// all requests of a letter are refused, except for the listed ones.
func attributeRules() []rule {
	const letter = 0xff00 // the bits of a request that contain the letter
	rules := []rule{
		{number: unix.SYS_FILE_SETATTR, errno: unix.EPERM},
		{unix.SYS_IOCTL, []test{{arg: 1, want: 0x40087602}}, unix.EPERM}, // FS_IOC_SETVERSION
		{unix.SYS_IOCTL, []test{{arg: 1, want: 0x40047602}}, unix.EPERM}, // FS_IOC32_SETVERSION
		{unix.SYS_IOCTL, []test{{arg: 1, want: 0x40047211}}, unix.EPERM}, // FAT_IOCTL_SET_ATTRIBUTES
	}
	for _, l := range []struct {
		letter  uint32
		allowed []uint32
	}{
		{'f', []uint32{unix.FS_IOC_GETFLAGS, 0x80046601, 0xc020660b}},                     // FS_IOC32_GETFLAGS, FS_IOC_FIEMAP
		{'X', []uint32{0x801c581f}},                                                       // FS_IOC_FSGETXATTR
		{0x94, []uint32{unix.FICLONE, unix.FICLONERANGE, unix.FIDEDUPERANGE, 0x81009431}}, // these need a file open for writing, or do not change content; FS_IOC_GETFSLABEL
		{0xf5, nil}, // F2FS
	} {
		tests := []test{{arg: 1, mask: letter, want: l.letter << 8}}
		for _, t := range l.allowed {
			tests = append(tests, test{arg: 1, want: t, not: true})
		}
		rules = append(rules, rule{unix.SYS_IOCTL, tests, unix.EPERM})
	}
	return rules
}

// processRules refuses calls that affect other processes of the user and that Landlock does not
// cover. With them, a program could end another by a limit on processor time, break it by a limit on
// files, or starve it by a low priority. A process may apply these calls to itself, as process 0.
// Setting affinities is allowed, because libraries set the affinities of their threads by number.
func processRules() []rule {
	const prioUser, ioprioUser = 2, 3
	other := func(arg uint32) []test { return []test{{arg: arg, want: 0, not: true}} }
	return []rule{
		{unix.SYS_PRLIMIT64, other(0), unix.EPERM},
		{unix.SYS_SETPRIORITY, other(1), unix.EPERM},
		{unix.SYS_SETPRIORITY, []test{{arg: 0, want: prioUser}}, unix.EPERM},
		{unix.SYS_IOPRIO_SET, other(1), unix.EPERM},
		{unix.SYS_IOPRIO_SET, []test{{arg: 0, want: ioprioUser}}, unix.EPERM},
		{unix.SYS_SCHED_SETSCHEDULER, other(0), unix.EPERM},
		{unix.SYS_SCHED_SETPARAM, other(0), unix.EPERM},
		{unix.SYS_SCHED_SETATTR, other(0), unix.EPERM},
	}
}

// refusedCalls lists system calls that no program in a sandbox may make.
var refusedCalls = []uint32{
	unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT,
	unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR, unix.SYS_FSOPEN, unix.SYS_FSPICK, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_MOUNT_SETATTR,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, // the user's keyring
	unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, // files without a path
	unix.SYS_PIDFD_GETFD,                 // open files of another process
	unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK, // message queues of the user's programs, which have no path
	unix.SYS_FANOTIFY_INIT,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_SYSLOG,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP,
}

// restrictCalls installs the filter on this thread. The program inherits it.
func restrictCalls(p Policy) error {
	arch, known := auditArch[goarch]
	if !known {
		return nil // Support.Missing reports that the filter is missing
	}
	local := p.Sockets || p.Backend == Landlock && landlockVersion() >= landlockSockets
	raw, err := filter(p, arch, local)
	if err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	code := make([]unix.SockFilter, len(raw))
	for i, in := range raw {
		code[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0, 0); err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	return nil
}
