package keeper

import (
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestSpawnEnds checks the error for a keeper that ends before it sends anything.
func TestSpawnEnds(t *testing.T) {
	err := Spawn(t.Context(), []string{need.Program(t, "true")}, nil)
	if err == nil || !strings.Contains(err.Error(), "ended without a message; try again") || strings.Contains(err.Error(), "%!") {
		t.Errorf("%v", err)
	}
}
