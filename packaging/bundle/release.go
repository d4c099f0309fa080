package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// GoReleaser's descriptions of its output.
const (
	artifactsFile = "artifacts.json"
	metadataFile  = "metadata.json"
)

// A release is the version that is packaged.
type release struct {
	dist     string // GoReleaser's directory
	version  string
	binaries []binary
	notices  []file // the license and the notices, which every package contains
}

// A binary is glasstty for one platform.
type binary struct {
	system  string // as in GOOS
	machine string // as in GOARCH
	path    string // of the file that GoReleaser has built
}

// nodePlatform returns the names that Node.js has for the system and the machine.
func (b binary) nodePlatform() (system, machine string) {
	if b.machine == "amd64" {
		return b.system, "x64"
	}
	return b.system, b.machine
}

// platformFile returns the name of a platform's file, such as its archive.
func (r *release) platformFile(b binary, suffix string) string {
	return fmt.Sprintf("%s_%s_%s_%s%s", name, r.version, b.system, b.machine, suffix)
}

// url returns the download address of a file of the release.
func (r *release) url(file string) string {
	return fmt.Sprintf("%s/releases/download/v%s/%s", repository, r.version, file)
}

// readRelease returns the release that GoReleaser's files in dist describe.
func readRelease(dist string) (*release, error) {
	var meta struct{ Version string }
	if err := readJSON(filepath.Join(dist, metadataFile), &meta); err != nil {
		return nil, err
	}
	var artifacts []struct{ Path, Goos, Goarch, Type string }
	if err := readJSON(filepath.Join(dist, artifactsFile), &artifacts); err != nil {
		return nil, err
	}
	r := &release{dist: dist, version: meta.Version}
	for _, a := range artifacts {
		if a.Type == "Binary" {
			// a.Path begins with GoReleaser's own path of the directory dist, which has one element.
			_, below, _ := strings.Cut(filepath.ToSlash(a.Path), "/")
			r.binaries = append(r.binaries, binary{a.Goos, a.Goarch, filepath.Join(dist, filepath.FromSlash(below))})
		}
	}
	// GoReleaser lists the binaries in the order in which its builds ended, which varies.
	slices.SortFunc(r.binaries, func(a, b binary) int { return strings.Compare(a.path, b.path) })
	if r.version == "" || len(r.binaries) == 0 {
		return nil, fmt.Errorf("%s names no version or no binaries; run packaging/build", dist)
	}
	for _, name := range []string{"LICENSE", "THIRD_PARTY_NOTICES"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("%w; run in the root of the repository", err)
		}
		r.notices = append(r.notices, file{name, fileMode, data})
	}
	return r, nil
}

// program returns the binary as a member called name of an archive.
func (b binary) program(name string) (file, error) {
	data, err := os.ReadFile(b.path)
	return file{name, programMode, data}, err
}

// checksums writes the sums of all files in the format of sha256sum, with paths relative to dist, so
// that "sha256sum --check" can verify them in dist.
func (r *release) checksums() error {
	var sums strings.Builder
	err := filepath.WalkDir(r.dist, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		sum, err := sumOf(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(r.dist, path)
		fmt.Fprintf(&sums, "%s  %s\n", sum, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.dist, "checksums.txt"), []byte(sums.String()), fileMode)
}

// sumOf returns a file's SHA-256 in hexadecimal.
func sumOf(path string) (string, error) {
	data, err := os.ReadFile(path)
	return fmt.Sprintf("%x", sha256.Sum256(data)), err
}

// readJSON reads a file into v.
func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// An object is a JSON object. Its members are written in alphabetical order.
type object map[string]any

// toJSON returns v as indented JSON.
func toJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return out.Bytes(), err
}
