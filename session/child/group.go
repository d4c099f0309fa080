package child

import (
	"os"
	"strings"
)

// groupName begins the names of the control groups that sessions get.
const groupName = "glasstty-"

// tasksPerProcess is the assumed number of threads of a process: the kernel limits
// threads, and Limits limits processes.
const tasksPerProcess = 16

// Grouping says whether each session gets a control group, which holds all processes that
// the session has started.
type Grouping struct {
	// Dir is the directory of the sessions' control groups (cgroups(7), version 2), "" if
	// there are none; Why says why.
	Dir string
	Why error
	// Limits says that the kernel enforces the limits of a group.
	Limits bool
}

// groupOf returns the name of the group of a child with a tag. It ends with the process
// ID of the child's owner.
func groupOf(tag string) string {
	return groupName + strings.TrimPrefix(tag, tagName+"=")
}

// A group is the control group of one child and its descendants. A nil group has no
// processes, and its methods do nothing.
type group struct {
	path string
	dir  *os.File // open until the child is started
}
