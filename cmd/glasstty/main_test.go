package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// binary is the built command that the end-to-end tests drive. TestMain sets it.
var binary string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

// buildAndRun builds the command, with the race detector when the tests have it
// too, and runs the tests. The go command sees that the tests depend on
// everything that is built: they are in the same package.
func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "glasstty")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "glasstty")
	args := []string{"build", "-o", binary}
	if raceEnabled {
		args = append(args, "-race")
	}
	build := exec.Command("go", append(args, ".")...)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the command:", err)
		return 1
	}
	return need.Home(m).Run()
}
