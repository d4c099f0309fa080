package danger

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// here returns the place where the lines of the corpus run.
func here() Place { return Place{Dir: "/home/dev/project", Home: "/home/dev"} }

// A sample is one line of the corpus.
type sample struct {
	lang Lang
	text string
}

// samples reads a file of the corpus.
func samples(tb testing.TB, file string) []sample {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(file)))
	if err != nil {
		tb.Fatal(err)
	}
	var out []sample
	for line := range strings.SplitSeq(string(data), "\n") {
		lang, text, ok := strings.Cut(line, "|")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		out = append(out, sample{Lang(lang), strings.ReplaceAll(text, "⏎", "\n")})
	}
	return out
}

// Limits that the check must meet: rates in percent, and the minimum size of a file.
const (
	minFound  = 99.0
	maxAlarms = 1.0
	minLines  = 300
)

// TestCorpus checks the rates over the published corpus and over the part written by
// somebody else. The held-out parts are only counted.
func TestCorpus(t *testing.T) {
	var c Checker
	for _, part := range []string{"corpus", "unseen", "heldout", "heldout-3", "heldout-4"} {
		counts := part == "corpus" || part == "unseen"
		found := rate(t, &c, part+"/dangerous.txt", counts, true)
		alarms := rate(t, &c, part+"/harmless.txt", counts, false)
		if counts && (found < minFound || alarms > maxAlarms) {
			t.Errorf("%s: %.1f %% found, %.1f %% false alarms; want at least %.0f %% and at most %.0f %%", part, found, alarms, minFound, maxAlarms)
		}
	}
}

// rate returns the share of a file's lines, in percent, that the check holds. If list is
// set, it logs the lines with the wrong result.
func rate(t *testing.T, c *Checker, file string, list, want bool) float64 {
	all := samples(t, file)
	if list && len(all) < minLines {
		t.Errorf("%s has %d lines, want at least %d", file, len(all), minLines)
	}
	held := 0
	for _, s := range all {
		got := c.CheckLine(s.lang, s.text, here())
		if len(got) > 0 {
			held++
		}
		if (len(got) > 0) != want && (list || os.Getenv("DANGER_LIST") != "") {
			t.Logf("%s: %s| %s: %v", file, s.lang, s.text, got)
		}
	}
	share := 100 * float64(held) / float64(len(all))
	t.Logf("%s: %d of %d lines held (%.1f %%)", file, held, len(all), share)
	return share
}
