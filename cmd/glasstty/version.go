package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionCmd prints the version.
type versionCmd struct{}

func (versionCmd) run(_ context.Context, std stdio) error {
	_, err := fmt.Fprintf(std.out, "glasstty %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// shortRevision is how many characters of a commit's name are shown.
const shortRevision = 12

// version returns the module's version as the go command recorded it, and the
// commit for a build from a work tree.
func version() string {
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
