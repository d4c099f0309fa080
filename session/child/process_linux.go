package child

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// adoptOrphans makes this process the parent of descendants whose own parent has ended
// (PR_SET_CHILD_SUBREAPER, prctl(2)), so that a daemon that has left its session can still
// be found and ended.
func adoptOrphans() {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// readProcess reads one process; ok is false when it is gone or hidden.
func readProcess(pid int) (p process, ok bool) {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return p, false
	}
	// The name is in parentheses and may itself contain any character.
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return p, false
	}
	fields := strings.Fields(string(stat[end+1:]))
	if len(fields) < 4 {
		return p, false
	}
	p.pid, p.name, p.state = pid, string(stat[open+1:end]), fields[0][0]
	for i, to := range []*int{&p.parent, &p.group, &p.session} {
		if *to, err = strconv.Atoi(fields[i+1]); err != nil {
			return p, false
		}
	}
	p.orphan = p.parent == os.Getpid()
	p.count(fields)
	return p, true
}

// clockTick is the unit of times in /proc (USER_HZ, which Linux never changes).
const clockTick = 10 * time.Millisecond

// count fills in what a process uses and when it was started, from the fields of its stat
// file after its name: field n of proc_pid_stat(5) is fields[n-3].
func (p *process) count(fields []string) {
	const utime, cstime, starttime, rss = 14 - 3, 17 - 3, 22 - 3, 24 - 3
	if len(fields) <= rss {
		return
	}
	for _, f := range fields[utime : cstime+1] {
		if ticks, err := strconv.ParseInt(f, 10, 64); err == nil {
			p.cpu += time.Duration(ticks) * clockTick
		}
	}
	p.started, _ = strconv.ParseInt(fields[starttime], 10, 64) // 0 if it is not known
	if pages, err := strconv.ParseInt(fields[rss], 10, 64); err == nil {
		p.resident = pages * int64(os.Getpagesize())
	}
}

// memoryOf returns the bytes that processes use together. Memory that several of them
// share is divided among them, and mapped files do not count, since the kernel can drop
// them. Of another user's process all memory counts.
func memoryOf(tree []process) (sum int64) {
	for _, p := range tree {
		data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.pid), "smaps_rollup"))
		if err != nil || len(data) == 0 {
			// Hidden, or ended: then it uses nothing now.
			if now, ok := readProcess(p.pid); ok {
				sum += now.resident
			}
			continue
		}
		sum += rollup(string(data))
	}
	return sum
}

// rollup returns the bytes in a smaps_rollup file (proc_pid_smaps(5)) without those of
// mapped files. Kernels before 5.4 do not list files separately.
func rollup(data string) (sum int64) {
	kb := kilobytes(data)
	if _, apart := kb["Pss_Anon"]; apart {
		kb["Pss"] = kb["Pss_Anon"] + kb["Pss_Shmem"]
	}
	return (kb["Pss"] + kb["SwapPss"]) << 10
}

// kilobytes reads a file of lines such as "Rss: 9 kB".
func kilobytes(data string) map[string]int64 {
	kb := map[string]int64{}
	for line := range strings.Lines(data) {
		name, rest, _ := strings.Cut(line, ":")
		if n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64); err == nil {
			kb[name] = n
		}
	}
	return kb
}

// claim assigns the orphans that this process has adopted to the children whose mark or
// tag they carry, and reports whether there was one.
func (l *Local) claim(all []process, of map[int]*localChild, kids []*localChild) (any bool) {
	own := ownSession()
	for _, p := range all {
		if !p.orphan || p.session == own || of[p.pid] != nil || l.knows(p.pid) {
			continue
		}
		if i := slices.IndexFunc(kids, func(c *localChild) bool { return hasTag(p.pid, c.tag) }); i >= 0 {
			of[p.pid], any = kids[i], true
		}
	}
	return any
}

// Measures reports which of the limits can be measured here.
func Measures() []Limited { return []Limited{LimitedProcesses, LimitedMemory, LimitedCPU} }

// hangsUp reports whether a process ignores SIGTERM and has a handler for SIGHUP,
// as bash and zsh do while they are interactive.
func hangsUp(pid int) bool {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return false
	}
	return inSet(string(status), "SigIgn:", syscall.SIGTERM) && inSet(string(status), "SigCgt:", syscall.SIGHUP)
}

// inSet reports whether a set of signals in a process's status has sig.
func inSet(status, name string, sig syscall.Signal) bool {
	for line := range strings.Lines(status) {
		if set, ok := strings.CutPrefix(line, name); ok {
			bits, err := strconv.ParseUint(strings.TrimSpace(set), 16, 64)
			return err == nil && bits&(1<<(sig-1)) != 0
		}
	}
	return false
}

// processes reads the process table.
func processes() []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var all []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if p, ok := readProcess(pid); ok {
			all = append(all, p)
		}
	}
	return all
}

// ownSession returns the terminal session of this process. No child of a Local is in it,
// nor a descendant of one. Programs that other code in this process starts are in it; they
// have a child's mark when they start at the same moment as the child.
func ownSession() int {
	own, err := unix.Getsid(0)
	if err != nil {
		return -1 // no process has this session
	}
	return own
}

// tagged returns the living processes that carry the tag, those of the sessions that they
// lead, and their descendants.
func tagged(tag string) (pids []int) {
	if tag == "" {
		return nil
	}
	all, in := processes(), map[int]bool{}
	for _, p := range all {
		in[p.pid] = hasTag(p.pid, tag)
	}
	for grew := true; grew; {
		grew = false
		for _, p := range all {
			if !in[p.pid] && (in[p.parent] || in[p.session]) {
				in[p.pid], grew = true, true
			}
		}
	}
	for _, p := range all {
		if in[p.pid] && p.state != 'Z' && p.pid != os.Getpid() {
			pids = append(pids, p.pid)
		}
	}
	return pids
}

// hasTag reports whether a process has the mark of a tag, or was started with the tag in
// its environment.
func hasTag(pid int, tag string) bool {
	if m := readMark(pid); m != 0 {
		return m == markOf(tag)
	}
	env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	return err == nil && bytes.Contains(append([]byte{0}, env...), []byte("\x00"+tag+"\x00"))
}

// strangers returns the orphans that this process has adopted, living ones and zombies.
// Children of this owner and of others in this process are not among them.
func (l *Local) strangers() (alive, zombies []int) {
	self, own := os.Getpid(), ownSession()
	exe, _ := os.Readlink("/proc/self/exe")
	for _, p := range processes() {
		switch {
		case p.parent != self || p.session == own || l.knows(p.pid) || l.foreign(p.pid, exe):
		case p.state == 'Z':
			zombies = append(zombies, p.pid)
		default:
			alive = append(alive, p.pid)
		}
	}
	return alive, zombies
}

// foreign reports whether a child of this process belongs to another owner in it, or is a
// fork that has not executed its program yet: then it still runs exe, which this process
// runs.
func (l *Local) foreign(pid int, exe string) bool {
	self := os.Getpid()
	if owner, of := readMark(pid).owner(); of == self {
		return owner != ownerMark(l.nonce, self)
	}
	// A process that has lost its mark is still in its group.
	if nonce := groupNonce(pid, self); nonce != "" {
		return nonce != l.nonce
	}
	theirs, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
	return err == nil && theirs == exe
}

// reap reaps one child of this process that has ended.
func reap(pid int) {
	var st unix.WaitStatus
	_, _ = unix.Wait4(pid, &st, unix.WNOHANG, nil)
}

// Name returns the kernel's name of a process, "" when it is not known.
func Name(pid int) string {
	name, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "comm"))
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(name), "\n")
}

// GroupName returns the name of a process group's leader or, when that has
// ended, of another member.
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

// Piped returns the names of the processes of a group whose standard input is a pipe.
func Piped(group int) (names []string) {
	for _, p := range processes() {
		if p.group != group || p.state == 'Z' {
			continue
		}
		if in, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(p.pid), "fd/0")); err == nil && strings.HasPrefix(in, "pipe:") {
			names = append(names, p.name)
		}
	}
	return names
}

// Line returns the beginning of the command line of a process with blanks between the
// arguments, "" when it is not known.
func Line(pid int) string {
	f, err := os.Open(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err != nil {
		return ""
	}
	defer f.Close()
	line := make([]byte, maxLine)
	n, _ := io.ReadFull(f, line) // a zombie has no command line
	return string(bytes.ReplaceAll(bytes.TrimRight(line[:n], "\x00"), []byte{0}, []byte{' '}))
}

// maxLine is how much of a process's command line is read.
const maxLine = 1 << 10

// Cwd returns the working directory of a process, "" when it is not known.
func Cwd(pid int) string {
	dir, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "cwd"))
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

// Maps reports whether a process has mapped a file, such as a library, whose name begins
// with prefix (proc_pid_maps(5)).
func Maps(pid int, prefix string) bool {
	f, err := os.Open(filepath.Join("/proc", strconv.Itoa(pid), "maps"))
	if err != nil {
		return false
	}
	defer f.Close()
	maps, err := io.ReadAll(io.LimitReader(f, maxMaps))
	return err == nil && bytes.Contains(maps, []byte("/"+prefix))
}

// maxMaps bounds how much of a process's list of mapped files is read, in bytes.
const maxMaps = 1 << 20
