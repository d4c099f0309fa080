package need

import (
	"os"
	"path/filepath"
	"testing"
)

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	want := filepath.Join(dir, "present")
	if err := os.WriteFile(want, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if got := Program(t, "present"); got != want {
		t.Errorf("Program(present) = %q, want %q", got, want)
	}
	t.Setenv(RequireVar, "")
	var skipped bool
	t.Run("absent", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		Program(t, "absent")
	})
	if !skipped {
		t.Error("a missing program did not skip the test")
	}

	t.Setenv(RequireVar, "1")
}

func TestLong(t *testing.T) {
	for value, want := range map[string]bool{"": true, "0": true, "1": false} {
		t.Setenv(LongVar, value)
		skipped := false
		t.Run("long", func(t *testing.T) {
			defer func() { skipped = t.Skipped() }()
			Long(t)
		})
		if skipped != want {
			t.Errorf("%s=%s: skipped %v, want %v", LongVar, value, skipped, want)
		}
		if got := Few(t, 1, 2); (got == 1) != want {
			t.Errorf("%s=%s: Few(1, 2) = %d", LongVar, value, got)
		}
	}
}
