package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
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

// shortRevision is how many characters of a commit hash are shown.
const shortRevision = 12

// version returns the version of a release, or the module's version as the go
// command recorded it, and the commit for a build from a work tree.
func version() string {
	if releaseVersion != "" {
		return releaseVersion
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v != "" && v != "(devel)" {
		return v
	}
	v = "devel"
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v += "-" + s.Value[:min(len(s.Value), shortRevision)]
		case "vcs.modified":
			if s.Value == "true" {
				v += "-modified"
			}
		}
	}
	return v
}
