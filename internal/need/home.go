package need

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"
)

// homeVars are variables that lead programs to the user's own files in spite of HOME.
var homeVars = []string{
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "ZDOTDIR",
	"HISTFILE", "PYTHON_HISTORY", "LESSHISTFILE", "SQLITE_HISTORY", "NODE_REPL_HISTORY",
}

// A Tests runs the tests of a package: a testing.M does, and goleak takes one.
type Tests interface{ Run() int }

// Home returns tests that run with a home directory of their own, so that the shells
// and interpreters that they start write their histories there. It is for TestMain.
func Home(m *testing.M) Tests { return home{m} }

// home is what Home returns.
type home struct{ m *testing.M }

// Run runs the tests.
func (h home) Run() int {
	dir, err := os.MkdirTemp("", "home")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) // what is left in a temporary directory harms nobody
	if err := moveHome(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := runTogether(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return h.m.Run()
}

// together is how many tests that allow it run at the same time: tests that drive
// programs wait most of the time.
const together = 6

// runTogether runs tests together, unless -parallel says how many.
func runTogether() error {
	const name = "test.parallel"
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	if given {
		return nil
	}
	return flag.Set(name, strconv.Itoa(max(together, runtime.GOMAXPROCS(0))))
}

// moveHome makes dir the home. The go command keeps what it has downloaded and built.
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
