package need

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
)

// homeVars are variables that override HOME for some of the user's files.
var homeVars = []string{
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "ZDOTDIR",
	"HISTFILE", "PYTHON_HISTORY", "LESSHISTFILE", "SQLITE_HISTORY", "NODE_REPL_HISTORY",
}

// Tests are the tests of a package. goleak accepts them in place of a testing.M.
type Tests struct{ m *testing.M }

// Home returns tests that run with a temporary home directory, where shells and interpreters write
// their histories, and with the real python3 before a version manager's shim in PATH. It is for
// TestMain.
func Home(m *testing.M) Tests { return Tests{m} }

// Run runs the tests.
func (t Tests) Run() int {
	dir, err := os.MkdirTemp("", "home")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) // an error leaves only temporary files
	if err := errors.Join(moveHome(dir), skipShims(), setParallel()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return t.m.Run()
}

// parallelTests is the minimum for the flag -parallel. Tests that drive programs mostly wait, so a
// few processors can run many of them.
const parallelTests = 6

// setParallel sets the default of the flag -parallel. The command line, which is parsed later, may override it.
func setParallel() error {
	return flag.Set("test.parallel", strconv.Itoa(max(parallelTests, runtime.GOMAXPROCS(0))))
}

// moveHome makes dir the home directory. The go command keeps its caches.
func moveHome(dir string) error {
	if out, err := exec.Command("go", "env", "-json", "GOCACHE", "GOENV", "GOMODCACHE", "GOPATH").Output(); err == nil {
		vars := map[string]string{}
		if err := json.Unmarshal(out, &vars); err != nil {
			return err
		}
		for name, value := range vars {
			if err := os.Setenv(name, value); err != nil {
				return err
			}
		}
	}
	for _, name := range homeVars {
		if err := os.Unsetenv(name); err != nil {
			return err
		}
	}
	return os.Setenv("HOME", dir)
}

// skipShims puts the directory of the real python3 first in PATH. The python3 of a version manager
// such as pyenv is a script that searches for the interpreter at each start. The search takes longer
// than the start of the interpreter.
func skipShims() error {
	path, err := exec.LookPath("python3")
	if err != nil || filepath.Base(filepath.Dir(path)) != "shims" {
		return nil // not installed, or not a shim
	}
	out, err := exec.Command(path, "-c", "import os, sys; print(os.path.dirname(sys.executable), end='')").Output()
	if err != nil {
		return nil // the tests that need python3 will report it
	}
	return os.Setenv("PATH", string(out)+string(os.PathListSeparator)+os.Getenv("PATH"))
}
