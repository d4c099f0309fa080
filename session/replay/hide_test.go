package replay

import (
	"strings"
	"testing"

	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/mask"
)

// TestHideSplit checks that a secret is hidden that was typed and echoed in several pieces.
func TestHideSplit(t *testing.T) {
	const secret = "ghp_Q7w3E9r1T5y8U2i6O0pA4sD7fG3hJ9kL1zX5"
	pieces := []string{"echo ", "g", "h", "p", "_", secret[4:20], secret[20:], "\r"}
	events := func(yield func(eventlog.Event, error) bool) {
		for _, p := range pieces {
			for _, k := range []eventlog.Kind{eventlog.Input, eventlog.Output} {
				if !yield(eventlog.Event{Kind: k, Data: []byte(p)}, nil) {
					return
				}
			}
		}
	}
	text := map[eventlog.Kind]*strings.Builder{eventlog.Input: {}, eventlog.Output: {}}
	for e, err := range hideEvents(mask.New(), events) {
		if err != nil {
			t.Fatal(err)
		}
		text[e.Kind].Write(e.Data)
	}
	for k, got := range text {
		if want := "echo " + strings.Repeat("*", len(secret)) + "\r"; got.String() != want {
			t.Errorf("%c: %q, want %q", k, got, want)
		}
	}
}
