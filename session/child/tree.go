package child

import (
	"bytes"
	"cmp"
	"os"
	"slices"
)

// A root identifies the process tree of a child. The child's owner may have ended.
type root struct {
	tag     string
	group   *group
	pid     int   // the child's process ID; 0 if only the tag is known, because the owner has ended
	started int64 // process.started of the child
}

// is reports whether p is the child itself. Once the child is reaped, another process may have the
// child's ID, but not the same time of start.
func (r *root) is(p process) bool { return p.pid == r.pid && p.started == r.started }

// living returns the living processes of the tree. all is the process table.
func (r *root) living(all []process) []process {
	return slices.DeleteFunc(trees(all, []*root{r})[r], func(p process) bool { return !p.alive() })
}

// trees returns the process tree of each root. A tree contains the child, the members of its control
// group and the processes that have its mark or tag; all descendants of these, and the processes in
// sessions that these lead; and orphans in the session of a reaped child. all is the process table.
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

// seeds returns two maps by process ID. byPID has the root of the children, the members of their
// control groups, and the processes with their marks or tags. reaped has the roots of children that
// were reaped; the key is also the ID of the child's session. An orphan without a mark in that session
// was left behind by the child: if the ID has been reused, the new session has no orphans of ours.
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

// rootOf returns the root whose mark a process has. For a process without a mark, rootOf returns the
// root whose tag is in the process's environment: su(1) may remove the mark, and some systems, such
// as gVisor, have no marks. It reads the environment of orphans only, but of every process for a root
// whose owner has ended.
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
