package shellmarks

import (
	"os"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestMain gives the programs that the tests start a home directory of their own.
func TestMain(m *testing.M) { os.Exit(need.Home(m).Run()) }
