package child

import (
	"encoding/json"
	"os"
)

// groupingVar makes this binary tell its Grouping.
const groupingVar = "GLASSTTY_TEST_GROUPING"

// tellGrouping writes this process's Grouping to standard output, and what made a
// child's group impossible.
func tellGrouping() {
	g := FindGrouping()
	told := struct{ Dir, Why string }{Dir: g.Dir}
	if g.Why != nil {
		told.Why = g.Why.Error()
	}
	_ = json.NewEncoder(os.Stdout).Encode(told) // whoever reads it misses it
}
