package child

import (
	"encoding/json"
	"os"
)

// groupingVar makes this binary report its Grouping.
const groupingVar = "GLASSTTY_TEST_GROUPING"

// tellGrouping writes this process's Grouping to standard output, with the reason if a child's
// group is impossible.
func tellGrouping() {
	g := FindGrouping()
	told := struct{ Dir, Why string }{Dir: g.Dir}
	if g.Why != nil {
		told.Why = g.Why.Error()
	}
	_ = json.NewEncoder(os.Stdout).Encode(told) // the reader notices if it fails
}
