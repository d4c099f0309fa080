package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// releaseVersion is the version of a release, such as "1.2.3". The linker's flag -X sets it, see
// packaging/goreleaser.yaml.
var releaseVersion string

// versionCmd prints the version.
type versionCmd struct{}

func (versionCmd) run(_ context.Context, std stdio) error {
	_, err := fmt.Fprintf(std.out, "glasstty %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// version returns the version of a release, or else the module's version as recorded by the go command.
// For a build from a work tree, that version contains the commit. If the go command has recorded no
// version, version returns devel or unknown.
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
