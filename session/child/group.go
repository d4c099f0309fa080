package child

import (
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

	"golang.org/x/sys/unix"
)

// groupName is the beginning of the name of a child's control group. The rest of the name is the
// child's tag, which ends with the owner's process ID.
const groupName = "glasstty-"

// tasksPerProcess is the number of threads that a group may have for each process that Limits
// allows. The kernel limits threads, and cannot limit processes.
const tasksPerProcess = 16

// Cgroups describes the control groups of the children. A child's group contains the child and
// all its descendants.
type Cgroups struct {
	// Dir is the directory of the control groups (cgroups(7), version 2). If groups cannot be made,
	// Dir is empty, and Err is the reason.
	Dir string
	Err error
	// Limits reports that the kernel can limit the memory and the threads of a group.
	Limits bool
}

// A group is the control group of one child and its descendants. It is nil for a child without a
// control group; all methods except write and dirs accept nil.
type group struct {
	path string   // the group's directory
	dir  *os.File // the open directory, closed once the child is started; nil for an abandonedGroup
}

// FindCgroups reports whether this process can make control groups, and where. Only the first call tries.
var FindCgroups = sync.OnceValue(findCgroups)

// errNoKill is returned if the kernel lacks cgroup.kill.
var errNoKill = errors.New("no cgroup.kill, which needs Linux 5.14")

// findCgroups finds the directory in which groups can be made. If a service manager has
// delegated the parent of this process's group (Delegate=yes and DelegateSubgroup= of systemd),
// groups are made in the parent, with limits. Otherwise they are made in this process's group, without
// limits: the kernel limits only groups whose parent contains no processes itself.
func findCgroups() Cgroups {
	own, err := ownGroup()
	if err != nil {
		return Cgroups{Err: err}
	}
	g := Cgroups{Dir: own}
	if above := filepath.Dir(own); delegated(above) {
		g.Dir = above
		// If this fails, Limits stays false.
		_ = os.WriteFile(filepath.Join(above, "cgroup.subtree_control"), []byte("+pids +memory"), 0)
	}
	if g.Err = tryGroup(g.Dir); g.Err != nil {
		g.Dir = ""
		return g
	}
	enabled, err := os.ReadFile(filepath.Join(g.Dir, "cgroup.subtree_control"))
	words := strings.Fields(string(enabled))
	g.Limits = err == nil && slices.Contains(words, "pids") && slices.Contains(words, "memory")
	return g
}

// ownGroup returns the directory of this process's group.
func ownGroup() (string, error) {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", err
	}
	_, own, _ := strings.Cut("\n"+string(text), "\n0::")
	own, _, _ = strings.Cut(own, "\n")
	// If version 1 is mounted too, systemd mounts version 2 at /sys/fs/cgroup/unified.
	for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		dir := filepath.Join(root, own)
		if _, err := os.Stat(filepath.Join(dir, "cgroup.controllers")); err == nil {
			return dir, nil
		}
	}
	return "", errors.New("control groups of version 2 are not mounted here")
}

// delegated reports whether a service manager has delegated the group in dir to this user.
func delegated(dir string) bool {
	b := make([]byte, 1)
	for _, name := range []string{"user.delegate", "trusted.delegate"} {
		if n, err := unix.Getxattr(dir, name, b); n == 1 && err == nil && b[0] == '1' {
			return true
		}
	}
	return false
}

// tryGroup checks that a group can be made in dir, and that a program can be started in the group.
// It also removes the groups that killed owners have left in dir.
func tryGroup(dir string) error {
	removeAbandoned(dir)
	g, err := makeGroup(dir, groupName+"try."+strconv.Itoa(os.Getpid()), Limits{})
	if err != nil {
		return err
	}
	defer g.remove()
	if _, err := os.Stat(filepath.Join(g.path, "cgroup.kill")); err != nil {
		return fmt.Errorf("%s: %w", g.path, errNoKill)
	}
	name, err := exec.LookPath("true")
	if err != nil {
		return err
	}
	cmd := exec.Command(name)
	g.startIn(cmd)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("start a program in %s: %w", g.path, err)
	}
	return nil
}

// removeAbandoned removes the groups in dir whose owners have ended.
func removeAbandoned(dir string) {
	entries, _ := os.ReadDir(dir) // an unreadable directory has no groups of ours
	for _, e := range entries {
		owner, err := strconv.Atoi(strings.TrimPrefix(filepath.Ext(e.Name()), "."))
		if strings.HasPrefix(e.Name(), groupName) && err == nil && !Alive(owner) {
			(&group{path: filepath.Join(dir, e.Name())}).remove()
		}
	}
}

// newGroup makes the group of a child. It returns nil if that is impossible.
func (l *Local) newGroup(tag string, limits Limits) *group {
	dir := l.groups().Dir
	if dir == "" {
		return nil
	}
	g, err := makeGroup(dir, groupName+tag, limits)
	if err != nil {
		return nil // the system may limit the number of groups
	}
	return g
}

// abandonedGroup returns the group of the child with a tag, whose owner has ended. The group need not
// exist.
func abandonedGroup(tag string) *group {
	dir := FindCgroups().Dir
	if dir == "" {
		return nil
	}
	return &group{path: filepath.Join(dir, groupName+tag)}
}

// makeGroup makes a group in dir, with limits if the system can enforce them.
func makeGroup(dir, name string, limits Limits) (*group, error) {
	g := &group{path: filepath.Join(dir, name)}
	if err := os.Mkdir(g.path, 0o755); err != nil {
		return nil, err
	}
	for file, limit := range map[string]int64{"pids.max": int64(limits.Processes) * tasksPerProcess, "memory.max": limits.Memory} {
		if limit > 0 {
			_ = g.write(file, strconv.FormatInt(limit, 10)) // if this fails, only the watcher enforces the limit
		}
	}
	_ = g.write("memory.oom.group", "1") // if the memory does not suffice, kill all processes or none
	var err error
	if g.dir, err = os.Open(g.path); err != nil {
		g.remove()
		return nil, err
	}
	return g, nil
}

// write writes to one of the group's files, which exist already.
func (g *group) write(name, text string) error {
	return os.WriteFile(filepath.Join(g.path, name), []byte(text), 0)
}

// closeDir closes the group's directory. Only the start of the child needs the open directory.
func (g *group) closeDir() {
	if g != nil {
		_ = g.dir.Close()
	}
}

// dirs returns the group's directory and the directories that programs have made in it,
// parents first.
func (g *group) dirs() (dirs []string) {
	_ = filepath.WalkDir(g.path, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			dirs = append(dirs, path)
		}
		return nil // a directory may be removed meanwhile
	})
	return dirs
}

// members returns the processes in the group.
func (g *group) members() (pids []int) {
	if g == nil {
		return nil
	}
	for _, dir := range g.dirs() {
		text, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs")) // it may be removed meanwhile
		for line := range strings.Lines(string(text)) {
			if pid, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && pid > 0 {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// empty reports whether the group has no threads any more, or was removed. It counts threads because
// the first thread of a killed process may end before the others.
func (g *group) empty() bool {
	if g == nil {
		return true
	}
	events, err := os.ReadFile(filepath.Join(g.path, "cgroup.events"))
	return err != nil || !strings.Contains(string(events), "populated 1")
}

// kill kills all processes in the group, including those that are being forked.
func (g *group) kill() {
	if g != nil {
		_ = g.write("cgroup.kill", "1") // the group may be removed meanwhile
	}
}

// outOfMemory reports whether the kernel has killed the group for its use of memory. peak is the
// greatest use in bytes, or 0 if the kernel does not show it.
func (g *group) outOfMemory() (peak int64, killed bool) {
	if g == nil {
		return 0, false
	}
	events, _ := os.ReadFile(filepath.Join(g.path, "memory.events")) // missing without limits
	counts := map[string]bool{}
	for line := range strings.Lines(string(events)) {
		name, n, _ := strings.Cut(strings.TrimSpace(line), " ")
		counts[name] = n != "0"
	}
	text, _ := os.ReadFile(filepath.Join(g.path, "memory.peak"))
	peak, _ = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // 0 if it is not known
	return peak, counts["oom"] && counts["oom_kill"]
}

// remove removes the group if no process is in it. A group that stays is removed by the next owner.
func (g *group) remove() {
	if g == nil {
		return
	}
	if g.dir != nil {
		_ = g.dir.Close() // it may be closed already
	}
	dirs := g.dirs()
	slices.Reverse(dirs)
	for _, dir := range dirs {
		_ = os.Remove(dir)
	}
}
