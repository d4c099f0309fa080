package child

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// procFile returns the path of a file that describes a process (proc(5)). On systems other than
// Linux the file does not exist.
func procFile(pid int, name string) string { return filepath.Join("/proc", strconv.Itoa(pid), name) }

// memoryOf returns the bytes that processes use together. Memory that several of them share is
// divided among them. Mapped files do not count, since the kernel can drop them from memory. Of a
// process whose smaps_rollup this user cannot read, all resident memory counts.
func memoryOf(tree []process) (sum int64) {
	for _, p := range tree {
		data, err := os.ReadFile(procFile(p.pid, "smaps_rollup"))
		if err != nil || len(data) == 0 {
			// The file is hidden, or the process has ended and uses nothing.
			if now, ok := readProcess(p.pid); ok {
				sum += now.resident
			}
			continue
		}
		sum += rollup(string(data))
	}
	return sum
}

// rollup returns the bytes in a smaps_rollup file (proc_pid_smaps(5)) without those of mapped
// files. Before Linux 5.4 the sum includes mapped files, because the file does not list them apart.
func rollup(data string) (sum int64) {
	values := namedValues(data)
	kb := func(name string) int64 {
		n, _ := strconv.ParseInt(strings.TrimSuffix(values[name], " kB"), 10, 64) // 0 if it is missing
		return n
	}
	if _, ok := values["Pss_Anon"]; ok {
		return (kb("Pss_Anon") + kb("Pss_Shmem") + kb("SwapPss")) << 10
	}
	return (kb("Pss") + kb("SwapPss")) << 10
}

// namedValues returns the values in lines such as "Rss: 9 kB" by name.
func namedValues(data string) map[string]string {
	values := map[string]string{}
	for line := range strings.Lines(data) {
		name, value, _ := strings.Cut(line, ":")
		values[name] = strings.TrimSpace(value)
	}
	return values
}

// endsOnHangup reports whether a process ignores SIGTERM and has a handler for SIGHUP,
// as bash and zsh do while they are interactive.
func endsOnHangup(pid int) bool {
	status, _ := os.ReadFile(procFile(pid, "status")) // the process may have ended
	sets := namedValues(string(status))
	return inSet(sets["SigIgn"], syscall.SIGTERM) && inSet(sets["SigCgt"], syscall.SIGHUP)
}

// inSet reports whether a set of signals in a process's status contains sig.
func inSet(set string, sig syscall.Signal) bool {
	bits, err := strconv.ParseUint(set, 16, 64)
	return err == nil && bits&(1<<(sig-1)) != 0
}

// ownSession returns the terminal session of this process, or -1. Children of a Local and their
// descendants are not in the session. Programs that other code in this process starts usually are,
// and inherit a child's mark if they start at the same moment as the child.
func ownSession() int {
	own, err := unix.Getsid(0)
	if err != nil {
		return -1 // no process has this session
	}
	return own
}

// isChild reports whether pid is a child that localChild.wait reaps.
func isChild(pid int) bool {
	_, is := ownChildren.Load(pid)
	return is
}

// adoptedOrphans returns the orphans that this process has adopted: the living ones and the zombies.
func adoptedOrphans() (alive, zombies []process) {
	own := ownSession()
	exe, _ := os.Readlink("/proc/self/exe")
	for _, p := range processes() {
		switch {
		case !p.orphan || p.session == own || isChild(p.pid) || isFork(p.pid, exe):
		case p.state == 'Z':
			zombies = append(zombies, p)
		default:
			alive = append(alive, p)
		}
	}
	return alive, zombies
}

// isFork reports whether a process is a fork of this one that has not executed its program yet: such
// a fork still runs exe, the program file of this process. A descendant of a child may run exe too,
// but has a mark of this process.
func isFork(pid int, exe string) bool {
	if m := readMark(pid); m>>markOwner<<markOwner == ownerMark(ownNonce()) {
		return false
	}
	theirs, err := os.Readlink(procFile(pid, "exe"))
	return err == nil && theirs == exe
}

// reap reaps one child of this process that has ended.
func reap(pid int) {
	var st unix.WaitStatus
	_, _ = unix.Wait4(pid, &st, unix.WNOHANG, nil)
}

// Name returns the kernel's name of a process, or "" if it is not known.
func Name(pid int) string {
	p, _ := readProcess(pid) // it may have ended
	return p.name
}

// GroupName returns the name of a process group's leader or, if the leader has ended, of
// another member.
func GroupName(group int) string {
	if p, ok := readProcess(group); ok && p.state != 'Z' {
		return p.name
	}
	for _, p := range processes() {
		if p.group == group && p.state != 'Z' {
			return p.name
		}
	}
	return ""
}

// PipeReaders returns the names of the processes whose standard input is the standard output of a
// process in the group: a pipe, or a file outside of /dev. If that is a named pipe, a file or the
// pipe of a coprocess, the readers may belong to another job.
func PipeReaders(group int) (names []string) {
	all := processes()
	file := func(p process, fd string) string {
		to, err := os.Readlink(procFile(p.pid, "fd/"+fd))
		if err != nil || strings.HasPrefix(to, "/dev/") {
			return "" // the process belongs to another user, or the descriptor is a terminal
		}
		return to
	}
	written := map[string]bool{}
	for _, p := range all {
		if p.group == group {
			written[file(p, "1")] = true
		}
	}
	delete(written, "")
	for _, p := range all {
		if len(written) > 0 && written[file(p, "0")] {
			names = append(names, p.name)
		}
	}
	return names
}

// CommandLine returns the first maxLine bytes of a process's command line, with blanks between the
// arguments. If the command line cannot be read, it returns the name. For a zombie, it returns "".
func CommandLine(pid int) string {
	f, err := os.Open(procFile(pid, "cmdline"))
	if err != nil {
		return Name(pid)
	}
	defer f.Close()
	line := make([]byte, maxLine)
	n, _ := io.ReadFull(f, line) // a zombie has no command line
	return string(bytes.ReplaceAll(bytes.TrimRight(line[:n], "\x00"), []byte{0}, []byte{' '}))
}

// maxLine limits the bytes of a command line that are read.
const maxLine = 1 << 10

// Cwd returns the working directory of a process, or "" if it is not known.
func Cwd(pid int) string {
	dir, err := os.Readlink(procFile(pid, "cwd"))
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(dir, " (deleted)")
}

// Alive reports whether the process exists and is not a zombie.
func Alive(pid int) bool {
	p, ok := readProcess(pid)
	return ok && p.alive()
}

// HasMapped reports whether a process has mapped a file, such as a library, whose path has an
// element that begins with prefix (proc_pid_maps(5)).
func HasMapped(pid int, prefix string) bool {
	f, err := os.Open(procFile(pid, "maps"))
	if err != nil {
		return false
	}
	defer f.Close()
	maps, err := io.ReadAll(io.LimitReader(f, maxMaps))
	return err == nil && bytes.Contains(maps, []byte("/"+prefix))
}

// maxMaps limits the bytes of a list of mapped files that are read.
const maxMaps = 1 << 20
