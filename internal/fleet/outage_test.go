package fleet

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// TestOutage tells of failures and successes, and the log has each change once.
func TestOutage(t *testing.T) {
	var said bytes.Buffer
	o := NewOutage("cats", slog.New(slog.NewTextHandler(&said, nil)))
	full := errors.New("full")
	for i, err := range []error{nil, full, full, nil, nil, full} {
		o.Tell(err)
		if lines, want := strings.Count(said.String(), "\n"), []int{0, 1, 1, 2, 2, 3}[i]; lines != want {
			t.Errorf("after %d results the log has %d lines, want %d:\n%s", i+1, lines, want, said.String())
		}
	}
	if !strings.Contains(said.String(), "cats are not shipped") || !strings.Contains(said.String(), "cats are shipped again") {
		t.Errorf("the log is\n%s", said.String())
	}
}
