package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// Set by a release build with the linker's -X, see packaging/goreleaser.yaml.
var (
	releaseVersion string // "1.2.3"
	releaseCommit  string // the commit hash
	releaseDate    string // the commit's date, RFC 3339
)

// versionCmd prints the version.
type versionCmd struct{}

func (versionCmd) run(_ context.Context, std stdio) error {
	_, err := fmt.Fprintf(std.out, "glasstty %s %s %s/%s\n", versionLine(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// versionLine returns the version, with the commit and its date in a release.
func versionLine() string {
	if releaseCommit == "" {
		return version()
	}
	return fmt.Sprintf("%s (commit %s, %s)", version(), releaseCommit[:min(len(releaseCommit), shortRevision)], releaseDate)
}

// shortRevision is the number of characters of a commit hash that are shown.
const shortRevision = 12

// version returns the version of a release, or else the module's version as recorded by the go
// command: for a build from a work tree it contains the commit. Without one, it returns devel.
func version() string {
	if releaseVersion != "" {
		return releaseVersion
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return cmp.Or(strings.Trim(info.Main.Version, "()"), "devel")
}
