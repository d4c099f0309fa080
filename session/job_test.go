package session

import (
	"regexp"
	"strings"
	"testing"
)

// TestJobOnce checks that what a job writes at a prompt where nobody types is output once, and that
// the prompt before it is not.
func TestJobOnce(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	s, _ := launch(t, newManager(t), "bash")
	other, err := s.AddReader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := exchange(t, s, Input{Text: `(sleep 0.1; printf 'job%s\n' done) &`, Enter: true}, Wait{Timeout: patience}).Output
	exchange(t, s, Input{}, Wait{Pattern: regexp.MustCompile("jobdone"), Timeout: patience, Reader: other})
	for range 3 {
		r, _ := read(t, s, ReadOptions{}, Wait{})
		got += "\n" + r.Output
	}
	if strings.Count(got, "jobdone") != 1 || !strings.Contains(got, "\njobdone") {
		t.Errorf("output %q, want jobdone once, on a line of its own", got)
	}
}
