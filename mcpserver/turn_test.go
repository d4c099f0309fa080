package mcpserver

import (
	"context"
	"errors"
	"testing"
)

// TestTurnstile fills the turnstile: the next waits until one leaves, and no
// longer than its call.
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
		t.Errorf("out of turn: %v", err)
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
