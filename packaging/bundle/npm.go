package main

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"
)

// launcher is the program of the npm package: it starts the binary.
//
//go:embed npm/glasstty.js
var launcher []byte

// npmReadme is the text of the package's page.
//
//go:embed npm/README.md
var npmReadme []byte

// npmScope is the organisation whose packages hold the binaries.
const npmScope = "@glasstty"

// oldestNode is the oldest Node.js that the launcher supports.
const oldestNode = ">=18"

// A manifest is a package.json.
type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	Author      string            `json:"author"`
	Homepage    string            `json:"homepage"`
	Repository  map[string]string `json:"repository"`
	McpName     string            `json:"mcpName,omitempty"` // proves the ownership of the package to the MCP registry
	Keywords    []string          `json:"keywords,omitempty"`
	Bin         map[string]string `json:"bin,omitempty"`
	Engines     map[string]string `json:"engines,omitempty"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Unplugged   bool              `json:"preferUnplugged,omitempty"` // a program cannot be run out of a zip file
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
}

// npm makes the package, and one for each platform. npm installs only the matching one, so no
// install script and no later download is needed.
func (r *release) npm() error {
	main := r.manifest(name, summary)
	main.McpName = registryName
	main.Keywords = []string{"mcp", "terminal", "pty", "terminal-emulator", "ai", "agent"}
	main.Bin = map[string]string{name: "glasstty.js"}
	main.Engines = map[string]string{"node": oldestNode}
	main.Optional = map[string]string{}
	for _, b := range r.binaries {
		system, machine := b.node()
		part := r.manifest(fmt.Sprintf("%s/%s-%s", npmScope, system, machine), fmt.Sprintf("The program of the package %s for %s on %s.", name, system, machine))
		part.OS, part.CPU, part.Unplugged = []string{system}, []string{machine}, true
		main.Optional[part.Name] = r.version
		program, err := b.program("bin/glasstty")
		if err != nil {
			return err
		}
		if err := r.npmPackage(part, program); err != nil {
			return err
		}
	}
	return r.npmPackage(main, file{"glasstty.js", programMode, launcher}, file{"README.md", fileMode, npmReadme})
}

// manifest returns the common part of all package.json files.
func (r *release) manifest(name, description string) manifest {
	return manifest{
		Name: name, Version: r.version, Description: description, License: license, Author: authors,
		Homepage: repository, Repository: map[string]string{"type": "git", "url": "git+" + repository + ".git"},
	}
}

// npmPackage writes a package, under the name that npm pack gives it.
func (r *release) npmPackage(m manifest, files ...file) error {
	text, err := toJSON(m)
	if err != nil {
		return err
	}
	files = append([]file{{"package.json", fileMode, text}}, append(files, r.papers...)...)
	for i := range files {
		files[i].name = "package/" + files[i].name
	}
	base := strings.ReplaceAll(strings.TrimPrefix(m.Name, "@"), "/", "-")
	return writeTarball(filepath.Join(r.dist, "npm", fmt.Sprintf("%s-%s.tgz", base, r.version)), files)
}
