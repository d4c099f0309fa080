package repo

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// goVersion finds the version of Go that go.mod asks for.
var goVersion = regexp.MustCompile(`(?m)^go (\d+\.\d+\.\d+)$`)

// pinned finds a base image with a whole version.
var pinned = regexp.MustCompile(`^[a-z0-9./-]+:\d+\.\d+[\w.-]*$`)

// platform finds the option that has a stage run on the machine that builds.
var platform = regexp.MustCompile(`FROM --platform=\S+ `)

// labels are what registries of images want to know.
var labels = []string{
	"org.opencontainers.image.source", "org.opencontainers.image.description", "org.opencontainers.image.licenses",
	"org.opencontainers.image.version", "org.opencontainers.image.revision", "org.opencontainers.image.created",
	"io.modelcontextprotocol.server.name",
}

// toolchain are words that have no place in what is installed in the last stage.
var toolchain = regexp.MustCompile(`\b(golang|gcc|g\+\+|clang|build-essential|make|cargo|rustc)\b`)

// containerFaults returns what is wrong with a Dockerfile.
func containerFaults(docker, mod string) (faults []string) {
	docker = platform.ReplaceAllString(docker, "FROM ")
	m := goVersion.FindStringSubmatch(mod)
	if m == nil || !strings.Contains(docker, "FROM golang:"+m[1]+"-") {
		faults = append(faults, fmt.Sprintf("it is not built with the Go of go.mod, %v", m))
	}
	user, stages := "", 0
	for line := range strings.Lines(docker) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "FROM":
			stages, user = stages+1, ""
			if image, _, _ := strings.Cut(rest, " "); !pinned.MatchString(image) {
				faults = append(faults, fmt.Sprintf("base %q has no version", image))
			}
		case "USER":
			user = rest
		}
	}
	if user == "" || strings.HasPrefix(user, "0") || strings.HasPrefix(user, "root") {
		faults = append(faults, fmt.Sprintf("it runs as %q", user))
	}
	last := docker[strings.LastIndex(docker, "FROM "):]
	if word := toolchain.FindString(last); stages < 2 || word != "" {
		faults = append(faults, fmt.Sprintf("%d stages, with %q in the last", stages, word))
	}
	return faults
}

// TestDockerfile holds the container to what it promises: bases by their version, no
// root, no compiler.
func TestDockerfile(t *testing.T) {
	docker, err := os.ReadFile(filepath.Join(moduleRoot(t), "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(moduleRoot(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range containerFaults(string(docker), string(mod)) {
		t.Error(fault)
	}
	for _, label := range labels {
		if !strings.Contains(string(docker), label+`="`) {
			t.Errorf("it has no label %s", label)
		}
	}
	for name, bad := range map[string]string{
		"another Go":   "FROM golang:1.0.0-x AS b\nFROM debian:12.1-slim\nUSER 1:1\n",
		"no version":   "FROM golang:1.2.3-x AS b\nFROM debian:latest\nUSER 1:1\n",
		"root":         "FROM golang:1.2.3-x AS b\nUSER 1\nFROM debian:12.1-slim\n",
		"a compiler":   "FROM golang:1.2.3-x AS b\nFROM debian:12.1-slim\nRUN apt-get install gcc\nUSER 1:1\n",
		"a stage only": "FROM golang:1.2.3-x\nUSER 1:1\n",
	} {
		if got := containerFaults(bad, "go 1.2.3\n"); len(got) != 1 {
			t.Errorf("%s: %q", name, got)
		}
	}
}
