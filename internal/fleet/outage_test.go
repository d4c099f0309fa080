package fleet

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// TestOutage checks that the log has one line for each change between success and failure.
func TestOutage(t *testing.T) {
	var said bytes.Buffer
	o := NewOutage("cats", slog.New(slog.NewTextHandler(&said, nil)))
	full := errors.New("full")
	for i, err := range []error{nil, full, full, nil, nil, full} {
		o.Record(err)
		if lines, want := strings.Count(said.String(), "\n"), []int{0, 1, 1, 2, 2, 3}[i]; lines != want {
			t.Errorf("after %d results: %d lines in the log, want %d:\n%s", i+1, lines, want, said.String())
		}
	}
	if !strings.Contains(said.String(), "cats are not shipped") || !strings.Contains(said.String(), "cats are shipped again") {
		t.Errorf("log:\n%s", said.String())
	}
}
