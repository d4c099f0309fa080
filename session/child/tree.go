package child

import (
	"bytes"
	"cmp"
	"os"
	"slices"
)

// A root identifies the process tree of a child, whose owner may have ended.
type root struct {
	tag     string
	group   *group
	pid     int   // the child's process ID, or 0 if it is not known
	started int64 // when its process was started, see process
}

// is reports whether p is the child itself. Another process may have its ID once the child
// is reaped.
func (r *root) is(p process) bool { return p.pid == r.pid && p.started == r.started }

// living returns the living processes of the tree. all is the process table.
func (r *root) living(all []process) []process {
	return slices.DeleteFunc(trees(all, []*root{r})[r], func(p process) bool { return !p.alive() })
}

// trees returns the process tree of each root: the child, the members of its control group, the
// processes that have its mark or tag, the descendants of these, the processes in sessions that
// these lead, and orphans in the session of a reaped child (see seeds). all is the process table.
func trees(all []process, roots []*root) map[*root][]process {
	byPID, reaped := seeds(all, roots)
	for grew := true; grew; {
		grew = false
		for _, p := range all {
			r := cmp.Or(byPID[p.pid], byPID[p.parent], byPID[p.session])
			if r == nil && p.orphan && reaped[p.session] != nil && readMark(p.pid) == 0 {
				r = reaped[p.session]
			}
			if r != byPID[p.pid] && p.pid != os.Getpid() {
				byPID[p.pid], grew = r, true
			}
		}
	}
	out := make(map[*root][]process, len(roots))
	for _, p := range all {
		if r := byPID[p.pid]; r != nil {
			out[r] = append(out[r], p)
		}
	}
	return out
}

// seeds returns the root of each process that belongs to a tree whatever its parent and session
// are, and the roots of children that were reaped, by process ID, which is also the ID of their
// sessions. An orphan without a mark in such a session was left behind by the child: if the ID has
// been reused since, the processes of the new session are not our orphans.
func seeds(all []process, roots []*root) (byPID, reaped map[int]*root) {
	byPID, reaped = map[int]*root{}, map[int]*root{}
	marks := map[mark]*root{}
	for _, r := range roots {
		if r.pid != 0 { // 0 is also the session of processes whose leader is outside our PID namespace
			reaped[r.pid] = r // deleted below if the process table has r.pid
		}
		if m := markOf(r.tag); m != 0 {
			marks[m] = r
		}
		for _, pid := range r.group.members() {
			byPID[pid] = r
		}
	}
	own := ownSession()
	for _, p := range all {
		r := reaped[p.pid]
		delete(reaped, p.pid)
		switch {
		case r != nil && r.is(p):
			byPID[p.pid] = r
		case byPID[p.pid] == nil && p.session != own:
			byPID[p.pid] = rootOf(p, marks, roots)
		}
	}
	return byPID, reaped
}

// rootOf returns the root whose mark a process has. For a process without a mark, it returns the
// root whose tag is in the environment: su(1) may remove the mark, and some systems, such as
// gVisor, have no marks. It reads the environment only of orphans or, for a root whose owner has
// ended, of every process.
func rootOf(p process, marks map[mark]*root, roots []*root) *root {
	if m := readMark(p.pid); m != 0 {
		return marks[m]
	}
	for _, r := range roots {
		if (p.orphan || r.pid == 0) && hasTag(p.pid, r.tag) {
			return r
		}
	}
	return nil
}

// hasTag reports whether a process was started with a tag in its environment.
func hasTag(pid int, tag string) bool {
	env, _ := os.ReadFile(procFile(pid, "environ")) // it may be hidden
	return bytes.Contains(append([]byte{0}, env...), []byte("\x00"+tagName+"="+tag+"\x00"))
}
