// Command bundle completes a release that GoReleaser has built in a directory. It adds the other
// packages and the checksums, and removes GoReleaser's own files.
//
//	bundle dist
//
//	npm/*.tgz          the npm package and one for each platform, for npm publish
//	*.mcpb             bundles for desktop clients, one for each system
//	homebrew/*.rb      the formula, for a tap
//	server.json        the entry in the MCP registry
//	checksums.txt      SHA-256 of all files
//
// The same input gives the same bytes. packaging/build runs it in the root of the repository.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// The description of glasstty in the packages.
const (
	name         = "glasstty"
	title        = "glasstty"
	summary      = "A real terminal for AI agents: any program, prompt or full screen, as a person sees it."
	license      = "MIT"
	authors      = "The glasstty authors"
	repository   = "https://github.com/glasstty/glasstty"
	registryName = "io.github.glasstty/glasstty" // in the registry's namespace of the repository's owner
	image        = "ghcr.io/glasstty/glasstty"
)

// Modes of files and programs. Directories have programMode.
const (
	fileMode    = 0o644
	programMode = 0o755
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: bundle DIRECTORY, which is GoReleaser's dist")
		os.Exit(2)
	}
	if err := bundle(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

// bundle completes the release in the directory dist.
func bundle(dist string) error {
	r, err := readRelease(dist)
	if err != nil {
		return err
	}
	for _, step := range []func() error{r.npm, r.bundles, r.formula, r.registry, r.tidy, r.checksums} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// tidy removes GoReleaser's own files, because they contain times and paths of this run.
func (r *release) tidy() error {
	var errs []error
	for _, b := range r.binaries {
		errs = append(errs, os.RemoveAll(filepath.Dir(b.path)))
	}
	for _, file := range []string{artifactsFile, metadataFile, "config.yaml"} {
		errs = append(errs, os.Remove(filepath.Join(r.dist, file)))
	}
	return errors.Join(errs...)
}
