package mcpserver

import (
	"context"
	"errors"
	"testing"
)

// TestTurnstile checks that a call waits at a full turnstile until another leaves, and no
// longer than its context.
func TestTurnstile(t *testing.T) {
	turns := newTurnstile()
	var leave []func()
	for range cap(turns) {
		l, err := turns.pass(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, l)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := turns.pass(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("pass with a cancelled context: %v", err)
	}
	passed := make(chan error, 1)
	go func() {
		l, err := turns.pass(t.Context())
		if err == nil {
			l()
		}
		passed <- err
	}()
	for _, l := range leave {
		l()
	}
	if err := <-passed; err != nil {
		t.Error(err)
	}
}
