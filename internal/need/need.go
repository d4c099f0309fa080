// Package need skips tests whose programs are missing, and gives tests a temporary home directory.
package need

import (
	"os"
	"os/exec"
	"testing"
)

// RequireVar is an environment variable. If it is 1, a test fails if a program is missing: CI
// installs all programs and must not skip tests.
const RequireVar = "GLASSTTY_REQUIRE"

// LongVar is an environment variable. If it is 1, tests that take long or drive many programs run.
// CI sets it.
const LongVar = "GLASSTTY_LONG"

// Long skips a test that takes long, unless LongVar is 1.
func Long(t testing.TB) {
	t.Helper()
	if os.Getenv(LongVar) != "1" {
		t.Skipf("left out because it takes long; %s=1 runs it", LongVar)
	}
}

// Few returns all if LongVar is 1. Otherwise it returns few, and logs how to run all. Both are the
// number or the size of test cases; with all, the test takes long.
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

// Missing skips the test, or fails it if RequireVar is 1. err says which program or file is missing.
func Missing(t testing.TB, err error) {
	t.Helper()
	if os.Getenv(RequireVar) == "1" {
		t.Fatalf("%v (%s=1)", err, RequireVar)
	}
	t.Skip(err)
}
