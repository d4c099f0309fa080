package repo

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite THIRD_PARTY_NOTICES")

// noticesFile contains the licences of all software of others in the binary.
const noticesFile = "THIRD_PARTY_NOTICES"

// licenceFile matches the names of files that must be distributed with a binary.
var licenceFile = regexp.MustCompile(`(?i)^(?:licen[cs]e|copying|notice|patents)(?:[.-][a-z-]+)?$`)

// TestNotices checks that THIRD_PARTY_NOTICES is up to date with the modules in the
// binary.
func TestNotices(t *testing.T) {
	root := moduleRoot(t)
	want := notices(t, root)
	path := filepath.Join(root, noticesFile)
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale; run: go test ./internal/repo -run Notices -update", noticesFile)
	}
}

// notices returns the text of THIRD_PARTY_NOTICES. Equal licences appear once, with
// everything that they apply to.
func notices(t *testing.T, root string) []byte {
	t.Helper()
	parts := modulesInBinary(t, root)
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	parts["Go, its standard library"] = licencesIn(t, strings.TrimSpace(string(goroot)))
	parts["gitleaks, its rule file in internal/redact"] = []string{filepath.Join(root, "internal/redact/gitleaks.LICENSE")}
	parts["DejaVu Sans Mono, the fonts in emulator/picture/fonts and cmd/glasstty/live/page/font"] = []string{filepath.Join(root, "emulator/picture/fonts/LICENSE")}
	names := map[string][]string{} // by licence
	for name, files := range parts {
		if len(files) == 0 {
			t.Errorf("%s has no licence file", name)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			key := strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))
			names[key] = append(names[key], name)
		}
	}
	for _, list := range names {
		slices.Sort(list)
	}
	var b bytes.Buffer
	b.WriteString("The glasstty binary contains software of others, under these licences.\n" +
		"This file is generated: go test ./internal/repo -run Notices -update\n")
	for _, text := range slices.SortedFunc(maps.Keys(names), func(x, y string) int {
		return cmp.Or(slices.Compare(names[x], names[y]), cmp.Compare(x, y))
	}) {
		fmt.Fprintf(&b, "\n%s\n\n%s\n\n%s\n", strings.Repeat("=", 72), strings.Join(names[text], "\n"), text)
	}
	return b.Bytes()
}

// modulesInBinary returns the modules that the command is built from, on Linux or macOS,
// with the licence files of their packages that are in the binary.
func modulesInBinary(t *testing.T, root string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, system := range []string{"linux", "darwin"} {
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", "./cmd/glasstty")
		list.Dir = root
		list.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly", "CGO_ENABLED=0", "GOOS="+system)
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			fields := strings.Split(strings.TrimSpace(line), "\t")
			if len(fields) != 3 {
				continue
			}
			name, module, dir := fields[0], fields[1], fields[2]
			for ; strings.HasPrefix(dir, module); dir = filepath.Dir(dir) {
				found[name] = append(found[name], licencesIn(t, dir)...)
			}
		}
	}
	for name, files := range found {
		slices.Sort(files)
		found[name] = slices.Compact(files)
	}
	return found
}

// licencesIn returns the licence files of a directory.
func licencesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, e := range entries {
		if licenceFile.MatchString(e.Name()) && !e.IsDir() && filepath.Ext(e.Name()) != ".go" {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files
}
