package child

import (
	"encoding/json"
	"os"
)

// groupingVar makes this binary report its Cgroups.
const groupingVar = "GLASSTTY_TEST_GROUPING"

// tellCgroups writes this process's Cgroups to standard output, with the reason if a child's
// group is impossible.
func tellCgroups() {
	g := FindCgroups()
	told := struct{ Dir, Why string }{Dir: g.Dir}
	if g.Err != nil {
		told.Why = g.Err.Error()
	}
	_ = json.NewEncoder(os.Stdout).Encode(told) // the reader notices if it fails
}
