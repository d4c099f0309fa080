package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// releaseVersion is set by a release build with the linker's -X, such as "1.2.3", see
// packaging/goreleaser.yaml.
var releaseVersion string

// versionCmd prints the version.
type versionCmd struct{}

func (versionCmd) run(_ context.Context, std stdio) error {
	_, err := fmt.Fprintf(std.out, "glasstty %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// version returns the version of a release, or else the module's version as recorded by the go
// command: for a build from a work tree it contains the commit. If that is not recorded, it
// returns devel or unknown.
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
