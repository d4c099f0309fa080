package main

import (
	_ "embed"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
)

// launcher is the script of the npm package. It starts the binary.
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

// npm writes the main package and one package for each platform. With the main package, npm installs the
// package for the machine's platform, so no install script has to download a binary.
func (r *release) npm() error {
	optional := map[string]string{}
	for _, b := range r.binaries {
		system, machine := b.nodePlatform()
		part := fmt.Sprintf("%s/%s-%s", npmScope, system, machine)
		optional[part] = r.version
		program, err := b.program("bin/glasstty")
		if err != nil {
			return err
		}
		err = r.npmPackage(part, fmt.Sprintf("The program of the package %s for %s on %s.", name, system, machine), object{
			"os": []string{system}, "cpu": []string{machine},
			"preferUnplugged": true, // a program cannot be run out of a zip file
		}, program)
		if err != nil {
			return err
		}
	}
	return r.npmPackage(name, summary, object{
		"mcpName":  registryName, // proves to the MCP registry who owns the package
		"keywords": []string{"mcp", "terminal", "pty", "terminal-emulator", "ai", "agent"},
		"bin":      object{name: "glasstty.js"}, "engines": object{"node": oldestNode}, "optionalDependencies": optional,
	}, file{"glasstty.js", programMode, launcher}, file{"README.md", fileMode, npmReadme})
}

// npmPackage writes a package to a file with the name that npm pack would use. more holds the members of
// package.json that the packages do not have in common.
func (r *release) npmPackage(name, description string, more object, files ...file) error {
	manifest := object{
		"name": name, "version": r.version, "description": description, "license": license, "author": authors,
		"homepage": repository, "repository": object{"type": "git", "url": "git+" + repository + ".git"},
	}
	maps.Copy(manifest, more)
	text, err := toJSON(manifest)
	if err != nil {
		return err
	}
	files = append([]file{{"package.json", fileMode, text}}, append(files, r.notices...)...)
	for i := range files {
		files[i].name = "package/" + files[i].name
	}
	base := strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-")
	return writeTarball(filepath.Join(r.dist, "npm", fmt.Sprintf("%s-%s.tgz", base, r.version)), files)
}
