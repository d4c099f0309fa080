package sandbox

import (
	"fmt"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// The filter of system calls (seccomp(2)) closes ways around Landlock, which knows
// of files, TCP and signals: local sockets to daemons that do for a program what
// it may not do itself, protocols that Landlock takes for no TCP, io_uring that
// passes no filter, terminals that are typed to, the user's keyring, and what only
// root can do. It is written with package bpf's assembler; the libraries for it
// need C, or are not on the module proxy.

// A rule refuses a system call, when all its tests hold.
type rule struct {
	number uint32
	tests  []test
	errno  unix.Errno
}

// A test looks at the low half of one argument: flags and small numbers.
type test struct {
	arg  uint32
	mask uint32 // 0 for all bits
	want uint32
	not  bool // it must differ
}

// goarch of the machine's own system calls; see auditArch.
var auditArch = map[string]uint32{
	"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64, "riscv64": unix.AUDIT_ARCH_RISCV64,
}

// Offsets in struct seccomp_data, on little-endian machines.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

// x32Bit marks the system calls of x32, which have other numbers for the same.
const x32Bit = 0x40000000

// filter returns the program for a Policy.
func filter(p Policy, arch uint32, localSockets bool) ([]bpf.RawInstruction, error) {
	deny := bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)}
	prog := []bpf.Instruction{
		// Other system calls of the same machine (32 bits) could do the same.
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
		body = append(body, bpf.LoadAbsolute{Off: offArgs + 8*t.arg, Size: 4})
		// Each later test has three instructions at most, and a return follows.
		rest := uint8(1)
		for _, later := range r.tests[i+1:] {
			rest += 2
			if later.mask != 0 {
				rest++
			}
		}
		if t.mask != 0 {
			body = append(body, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: t.mask})
		}
		jump := bpf.JumpIf{Cond: bpf.JumpEqual, Val: t.want, SkipFalse: rest}
		if t.not {
			jump = bpf.JumpIf{Cond: bpf.JumpEqual, Val: t.want, SkipTrue: rest}
		}
		body = append(body, jump)
	}
	body = append(body, bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(r.errno)})
	return append([]bpf.Instruction{
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: r.number, SkipFalse: uint8(len(body))},
	}, body...)
}

// socketRules say which sockets there are.
func socketRules(p Policy, local bool) []rule {
	family := func(not ...uint32) (tests []test) {
		for _, f := range not {
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
	rules := []rule{{unix.SYS_SOCKET, family(allowed...), unix.EACCES}}
	if p.Network != NetworkPorts {
		return rules
	}
	// What is TCP for all but Landlock: MPTCP, SCTP, SMC, and the connection that a
	// first message makes.
	var protocols []test
	for _, known := range []uint32{0, unix.IPPROTO_TCP, unix.IPPROTO_UDP, unix.IPPROTO_ICMP, unix.IPPROTO_ICMPV6} {
		protocols = append(protocols, test{arg: 2, want: known, not: true})
	}
	internet := func(f uint32) []test { return append([]test{{arg: 0, want: f}}, protocols...) }
	fast := func(arg uint32) []test {
		return []test{{arg: arg, mask: unix.MSG_FASTOPEN, want: unix.MSG_FASTOPEN}}
	}
	return append(rules,
		rule{unix.SYS_SOCKET, internet(unix.AF_INET), unix.EPROTONOSUPPORT},
		rule{unix.SYS_SOCKET, internet(unix.AF_INET6), unix.EPROTONOSUPPORT},
		rule{unix.SYS_SENDTO, fast(3), unix.EOPNOTSUPP},
		rule{unix.SYS_SENDMSG, fast(2), unix.EOPNOTSUPP},
		rule{unix.SYS_SENDMMSG, fast(3), unix.EOPNOTSUPP},
	)
}

// newNamespaces are the flags of clone(2) and unshare(2) that make some.
const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWPID |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// systemRules refuse what no program of a terminal needs.
func systemRules() []rule {
	rules := []rule{
		{unix.SYS_IOCTL, []test{{arg: 1, want: unix.TIOCSTI}}, unix.EPERM},   // types into a terminal
		{unix.SYS_IOCTL, []test{{arg: 1, want: unix.TIOCLINUX}}, unix.EPERM}, // pastes into a console
		{unix.SYS_CLONE3, nil, unix.ENOSYS},                                  // its flags cannot be seen; libraries fall back
	}
	for shift := range 32 {
		if flag := uint32(newNamespaces) & (1 << shift); flag != 0 {
			rules = append(rules,
				rule{unix.SYS_CLONE, []test{{arg: 0, mask: flag, want: flag}}, unix.EPERM},
				rule{unix.SYS_UNSHARE, []test{{arg: 0, mask: flag, want: flag}}, unix.EPERM})
		}
	}
	rules = append(rules, otherRules()...)
	for _, number := range refused {
		rules = append(rules, rule{number: number, errno: unix.EPERM})
	}
	for _, number := range []uint32{unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER} {
		rules = append(rules, rule{number: number, errno: unix.ENOSYS})
	}
	return rules
}

// otherRules refuse what a process may do to any other of its user, and Landlock does
// not know of: a limit of processor time ends it, one of files or descriptors stops
// it, a priority starves it. A process may do it to itself, by the number 0.
// Affinities are let through: libraries set those of their own threads, by number.
func otherRules() []rule {
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

// refused are system calls that nothing in a sandbox may make.
var refused = []uint32{
	unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT,
	unix.SYS_OPEN_TREE, unix.SYS_FSOPEN, unix.SYS_FSPICK, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_MOUNT_SETATTR,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, // the user's keyring
	unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, // files without a path
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP,
}

// restrictCalls puts the filter on this thread, for the program.
func restrictCalls(p Policy) error {
	arch, known := auditArch[goarch]
	if !known {
		return nil // which is told as missing
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
