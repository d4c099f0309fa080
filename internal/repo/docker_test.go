package repo

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// goVersion matches the version of Go in go.mod.
var goVersion = regexp.MustCompile(`(?m)^go (\d+\.\d+\.\d+)$`)

// pinned matches a base image with a full version.
var pinned = regexp.MustCompile(`^[a-z0-9./-]+:\d+\.\d+[\w.-]*$`)

// platform matches the option that runs a stage on the build machine's platform.
var platform = regexp.MustCompile(`FROM --platform=\S+ `)

// labels lists the labels that image registries use.
var labels = []string{
	"org.opencontainers.image.source", "org.opencontainers.image.description", "org.opencontainers.image.licenses",
	"org.opencontainers.image.version", "org.opencontainers.image.revision", "org.opencontainers.image.created",
	"io.modelcontextprotocol.server.name",
}

// toolchain matches words that must not appear in the last stage.
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

// TestDockerfile checks the Dockerfile: base images have versions, the container does not
// run as root, the last stage has no compiler, and the labels are set.
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
			t.Errorf("the Dockerfile has no label %s", label)
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
