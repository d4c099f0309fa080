package live

import (
	"os"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestMain runs the tests with a temporary home directory.
func TestMain(m *testing.M) { os.Exit(need.Home(m).Run()) }
