package mcpserver

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// safe matches the places where a text lists the tools that are safe to approve once and
// for all. The list may come before or after these words. code matches the name of a tool.
var (
	safe = regexp.MustCompile(`(?s)((?:` + "`[a-z_]+`" + `[,\s]+(?:and\s+)?)*)(?:only\s+look,\s+and\s+are\s+)?safe\s+to\s+approve\s+once\s+and\s+for\s+all(:[^.]*)?`)
	code = regexp.MustCompile("`([a-z_]+)`")
)

// TestSafeTools checks that README.md and SECURITY.md list exactly the read-only tools as
// safe to approve.
func TestSafeTools(t *testing.T) {
	var want []string
	for _, tool := range allTools() {
		if tool.hints.readOnly {
			want = append(want, tool.name)
		}
	}
	slices.Sort(want)
	for _, file := range []string{"../README.md", "../SECURITY.md"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, m := range safe.FindAllString(string(data), -1) {
			for _, name := range code.FindAllStringSubmatch(m, -1) {
				names = append(names, name[1])
			}
		}
		slices.Sort(names)
		if d := cmp.Diff(want, slices.Compact(names)); d != "" {
			t.Errorf("%s (-read-only tools +listed tools):\n%s", file, strings.TrimSpace(d))
		}
	}
}
