package child

import (
	"os"
	"strings"
)

// groupName begins the names of the control groups that sessions get.
const groupName = "glasstty-"

// tasksPerProcess is how many threads a process is taken to have: the kernel counts
// those, and Limits counts processes.
const tasksPerProcess = 16

// Grouping is how what a session has started is found, whatever it does.
type Grouping struct {
	// Dir is where each session gets a control group (cgroups(7), version 2), "" where
	// none can be had; Why says why.
	Dir string
	Why error
	// Limits says that the kernel keeps a group within its limits.
	Limits bool
}

// groupOf returns the name of the group of a child with a tag, which ends with the
// process id of its owner.
func groupOf(tag string) string {
	return groupName + strings.TrimPrefix(tag, tagName+"=")
}

// A group is the control group of one child and all that it starts. A nil group is
// none.
type group struct {
	path string
	dir  *os.File // open until the child is started
}
