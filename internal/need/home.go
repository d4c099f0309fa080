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

// homeVars are variables with paths of the user's files, which override HOME.
var homeVars = []string{
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "ZDOTDIR",
	"HISTFILE", "PYTHON_HISTORY", "LESSHISTFILE", "SQLITE_HISTORY", "NODE_REPL_HISTORY",
}

// Tests runs the tests of a package, as testing.M does; goleak accepts it.
type Tests interface{ Run() int }

// Home returns tests with a home directory of their own, where shells and interpreters write
// their histories. It is for TestMain.
func Home(m *testing.M) Tests { return home{m} }

// home is the result of Home.
type home struct{ m *testing.M }

// Run runs the tests.
func (h home) Run() int {
	dir, err := os.MkdirTemp("", "home")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) // an error leaves only temporary files
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

// together is the number of parallel tests. It is high because tests that drive programs
// mostly wait.
const together = 6

// runTogether sets the number of parallel tests, unless -parallel is given.
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
