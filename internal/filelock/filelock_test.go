package filelock_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/filelock"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first, second := open(), open()
	defer second.Close()
	if err := filelock.Lock(t.Context(), first, time.Millisecond); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := filelock.Lock(ctx, second, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting for a taken lock: %v", err)
	}
	got := make(chan error)
	go func() { got <- filelock.Lock(t.Context(), second, time.Millisecond) }()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Errorf("waiting for a released lock: %v", err)
	}
	if err := filelock.Lock(t.Context(), first, time.Millisecond); err == nil {
		t.Error("a closed file was locked")
	}
}
