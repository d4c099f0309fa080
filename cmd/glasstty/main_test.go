package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// binary is the path of the built command that the end-to-end tests run. TestMain sets it.
var binary string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

// buildAndRun builds the command, with the race detector if the tests have it, and runs
// the tests. Test results are cached correctly: the command's code is in the same package
// as the tests.
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
