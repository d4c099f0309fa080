// Package need skips tests whose programs are missing, and gives tests a home directory of their own.
package need

import (
	"os"
	"os/exec"
	"testing"
)

// RequireVar is the environment variable that, set to 1, turns a missing
// program into a failure: CI installs everything and must not skip.
const RequireVar = "GLASSTTY_REQUIRE"

// LongVar is the environment variable that, set to 1, enables tests that take long or drive
// many programs. CI sets it.
const LongVar = "GLASSTTY_LONG"

// Long skips a test that takes long, unless LongVar is 1.
func Long(t testing.TB) {
	t.Helper()
	if os.Getenv(LongVar) != "1" {
		t.Skipf("left out because it takes long; %s=1 runs it", LongVar)
	}
}

// Few returns all if LongVar is 1. Otherwise it returns few and logs that. Both are a
// number or a size of the cases of a test that takes long with all of them.
func Few(t testing.TB, few, all int) int {
	t.Helper()
	if os.Getenv(LongVar) == "1" {
		return all
	}
	t.Logf("%d of %d, because all take long; %s=1 runs all", few, all, LongVar)
	return few
}

// Program returns the path of the named program. If it is not installed, the test is skipped,
// or fails if RequireVar is 1.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, err)
	}
	return path
}

// Missing skips the test because of err, about a program or a file that is not there, or fails
// it if RequireVar is 1.
func Missing(t testing.TB, err error) {
	t.Helper()
	if os.Getenv(RequireVar) == "1" {
		t.Fatalf("%v (%s=1)", err, RequireVar)
	}
	t.Skip(err)
}
