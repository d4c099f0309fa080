package child

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// FindGrouping returns what this process can have. It is found out once.
var FindGrouping = sync.OnceValue(findGrouping)

// errOld says what the kernel lacks.
var errOld = errors.New("it cannot be killed as a whole (Linux 5.14)")

// findGrouping looks where groups can be made: beside the one that this process is
// in, where a service manager has given it the one above (Delegate=yes and
// DelegateSubgroup= of systemd), with limits; or else in it, without: those need a
// group that has no processes of its own.
func findGrouping() Grouping {
	own, err := ownGroup()
	if err != nil {
		return Grouping{Why: err}
	}
	g := Grouping{Dir: own}
	if above := filepath.Dir(own); delegated(above) {
		g.Dir = above
		// Nothing can be limited where it has none of these to give.
		_ = os.WriteFile(filepath.Join(above, "cgroup.subtree_control"), []byte("+pids +memory"), 0)
	}
	if g.Why = tryGroup(g.Dir); g.Why != nil {
		g.Dir = ""
		return g
	}
	given, err := os.ReadFile(filepath.Join(g.Dir, "cgroup.subtree_control"))
	words := strings.Fields(string(given))
	g.Limits = err == nil && slices.Contains(words, "pids") && slices.Contains(words, "memory")
	return g
}

// ownGroup returns the directory of the group that this process is in.
func ownGroup() (string, error) {
	mounts, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	defer mounts.Close()
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", err
	}
	_, own, found := strings.Cut("\n"+string(text), "\n0::")
	own, _, _ = strings.Cut(own, "\n")
	for lines := bufio.NewScanner(mounts); found && lines.Scan(); {
		// proc_pid_mountinfo(5): number, parent, device, root, mount point, …, -, type
		mount, kind, _ := strings.Cut(lines.Text(), " - ")
		f := strings.Fields(mount)
		if len(f) < 5 || !strings.HasPrefix(kind, "cgroup2 ") {
			continue
		}
		if rest, ok := strings.CutPrefix(own, strings.TrimSuffix(f[3], "/")); ok {
			return filepath.Join(f[4], rest), nil
		}
	}
	return "", errors.New("control groups of version 2 are not mounted here")
}

// delegated reports whether a service manager leaves a group to us.
func delegated(dir string) bool {
	b := make([]byte, 1)
	for _, name := range []string{"user.delegate", "trusted.delegate"} {
		if n, err := unix.Getxattr(dir, name, b); n == 1 && err == nil && b[0] == '1' {
			return true
		}
	}
	return false
}

// tryGroup makes a group in dir, starts a program in it and ends it, and removes
// groups that killed owners have left.
func tryGroup(dir string) error {
	removeLeft(dir)
	g, err := makeGroup(dir, "try."+strconv.Itoa(os.Getpid()), Limits{})
	if err != nil {
		return err
	}
	defer g.remove()
	if _, err := os.Stat(filepath.Join(g.path, "cgroup.kill")); err != nil {
		return fmt.Errorf("%s: %w", g.path, errOld)
	}
	name, err := exec.LookPath("true")
	if err != nil {
		return err
	}
	cmd := exec.Command(name)
	g.enter(cmd)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("start a program in %s: %w", g.path, err)
	}
	return nil
}

// removeLeft removes the groups in dir whose owners have ended.
func removeLeft(dir string) {
	entries, _ := os.ReadDir(dir) // none is left, as far as we can see
	for _, e := range entries {
		owner, err := strconv.Atoi(strings.TrimPrefix(filepath.Ext(e.Name()), "."))
		if strings.HasPrefix(e.Name(), groupName) && err == nil && !Alive(owner) {
			(&group{path: filepath.Join(dir, e.Name())}).remove()
		}
	}
}

// newGroup makes the group of a child, nil where there is to be none.
func (l *Local) newGroup(tag string, limits Limits) *group {
	dir := l.groups().Dir
	if dir == "" {
		return nil
	}
	g, err := makeGroup(dir, strings.TrimPrefix(groupOf(tag), groupName), limits)
	if err != nil {
		return nil // too many, it may be: the child does without
	}
	return g
}

// groupNonce returns which owner in a process has made the group that another process
// is in, "" where none there has.
func groupNonce(pid, owner int) string {
	text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cgroup")) // gone meanwhile, it may be
	_, path, _ := strings.Cut("\n"+string(text), "\n0::")
	path, _, _ = strings.Cut(path, "\n")
	path = strings.TrimSuffix(path, " (deleted)") // of a zombie, whose group was removed
	for name := range strings.SplitSeq(path, "/") {
		rest, made := strings.CutSuffix(name, "."+strconv.Itoa(owner))
		_, child, tagged := strings.Cut(rest, ".") // see Local.tag
		if made && tagged && strings.HasPrefix(name, groupName) {
			nonce, _, _ := strings.Cut(child, "-")
			return nonce
		}
	}
	return ""
}

// leftGroups returns the groups that children of this owner have left with processes.
func (l *Local) leftGroups() (all []*group) {
	if dir := l.groups().Dir; dir != "" {
		paths, _ := filepath.Glob(filepath.Join(dir, groupName+"*."+l.nonce+"-*")) // the pattern is one
		for _, path := range paths {
			all = append(all, &group{path: path})
		}
	}
	return all
}

// leftGroup returns the group of a child with a tag whose owner is no more, nil where
// there is none.
func leftGroup(tag string) *group {
	g := &group{path: filepath.Join(FindGrouping().Dir, groupOf(tag))}
	if _, err := os.Stat(g.path); tag == "" || !filepath.IsAbs(g.path) || err != nil {
		return nil
	}
	return g
}

// makeGroup makes a group in dir. Limits are set where the group has them.
func makeGroup(dir, name string, limits Limits) (*group, error) {
	g := &group{path: filepath.Join(dir, groupName+name)}
	if err := os.Mkdir(g.path, 0o755); err != nil {
		return nil, err
	}
	for file, limit := range map[string]int64{"pids.max": int64(limits.Processes) * tasksPerProcess, "memory.max": limits.Memory} {
		if limit > 0 {
			_ = g.write(file, strconv.FormatInt(limit, 10)) // without it the watcher alone looks
		}
	}
	_ = g.write("memory.oom.group", "1") // all of it or nothing
	var err error
	if g.dir, err = os.Open(g.path); err != nil {
		g.remove()
		return nil, err
	}
	return g, nil
}

// write writes to one of the group's files, which the kernel has made.
func (g *group) write(name, text string) error {
	f, err := os.OpenFile(filepath.Join(g.path, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// enter has a command start in the group.
func (g *group) enter(cmd *exec.Cmd) {
	if g == nil {
		return
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(g.dir.Fd())
}

// entered is called when the child was started.
func (g *group) entered() {
	if g != nil {
		_ = g.dir.Close() // it was only named by it
	}
}

// dirs returns the group's directory and those that programs have made in it, each
// before those in it.
func (g *group) dirs() (dirs []string) {
	_ = filepath.WalkDir(g.path, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			dirs = append(dirs, path)
		}
		return nil // what has gone meanwhile needs no look
	})
	return dirs
}

// members returns the processes in the group.
func (g *group) members() (pids []int) {
	if g == nil {
		return nil
	}
	for _, dir := range g.dirs() {
		text, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs")) // gone meanwhile, it may be
		for line := range strings.Lines(string(text)) {
			if pid, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && pid > 0 {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// empty reports whether no thread of any process is left in the group: of one that is
// being killed the first may be gone before the others.
func (g *group) empty() bool {
	if g == nil {
		return true
	}
	events, err := os.ReadFile(filepath.Join(g.path, "cgroup.events"))
	return err != nil || !strings.Contains(string(events), "populated 1")
}

// kill kills all processes in the group, also those that they are forking.
func (g *group) kill() {
	if g != nil {
		_ = g.write("cgroup.kill", "1") // gone meanwhile, it may be
	}
}

// outOfMemory reports whether the kernel has killed the group for its memory, and how
// much it had at most.
func (g *group) outOfMemory() (peak int64, killed bool) {
	if g == nil {
		return 0, false
	}
	events, _ := os.ReadFile(filepath.Join(g.path, "memory.events")) // none where it has no limit
	counts := map[string]bool{}
	for line := range strings.Lines(string(events)) {
		name, n, _ := strings.Cut(strings.TrimSpace(line), " ")
		counts[name] = n != "0"
	}
	text, _ := os.ReadFile(filepath.Join(g.path, "memory.peak"))
	peak, _ = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // 0 where it is not told
	return peak, counts["oom"] && counts["oom_kill"]
}

// remove removes the group when no process is in it; what is left the next owner
// removes.
func (g *group) remove() {
	if g == nil {
		return
	}
	if g.dir != nil {
		_ = g.dir.Close() // again, it may be
	}
	dirs := g.dirs()
	slices.Reverse(dirs)
	for _, dir := range dirs {
		_ = os.Remove(dir)
	}
}
