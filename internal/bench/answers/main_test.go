package main

import (
	"os"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestMain gives the programs that the tests start their own home directory.
func TestMain(m *testing.M) { os.Exit(need.Home(m).Run()) }
