package main

import (
	_ "embed"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
)

// chooser is the program of a bundle: it starts the binary for the machine.
//
//go:embed mcpb/glasstty.sh
var chooser []byte

// A bundleManifest is an MCPB manifest.json, version 0.3
// (github.com/modelcontextprotocol/mcpb, MANIFEST.md).
type bundleManifest struct {
	ManifestVersion string              `json:"manifest_version"`
	Name            string              `json:"name"`
	DisplayName     string              `json:"display_name"`
	Version         string              `json:"version"`
	Description     string              `json:"description"`
	Author          map[string]string   `json:"author"`
	Repository      map[string]string   `json:"repository"`
	Homepage        string              `json:"homepage"`
	License         string              `json:"license"`
	Keywords        []string            `json:"keywords"`
	Server          bundleServer        `json:"server"`
	ToolsGenerated  bool                `json:"tools_generated"` // the server is asked for its tools
	Compatibility   map[string][]string `json:"compatibility"`
}

// A bundleServer says how the server is started.
type bundleServer struct {
	Type       string       `json:"type"`
	EntryPoint string       `json:"entry_point"`
	Config     bundleConfig `json:"mcp_config"`
}

// A bundleConfig is the command that starts the server.
type bundleConfig struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// bundleFile returns the name of a system's bundle.
func (r *release) bundleFile(system string) string {
	return fmt.Sprintf("%s_%s_%s.mcpb", name, r.version, system)
}

// bundles makes a bundle for each system. A manifest distinguishes systems but not machines,
// so a bundle has the binaries of all machines, and a script chooses.
func (r *release) bundles() error {
	systems := r.systems()
	for _, system := range slices.Sorted(maps.Keys(systems)) {
		text, err := toJSON(r.bundleManifest(system))
		if err != nil {
			return err
		}
		files := append([]file{{"manifest.json", fileMode, text}, {"server/glasstty", programMode, chooser}}, r.papers...)
		for _, b := range systems[system] {
			program, err := b.program("server/glasstty-" + b.machine)
			if err != nil {
				return err
			}
			files = append(files, program)
		}
		if err := writeZip(filepath.Join(r.dist, r.bundleFile(system)), files); err != nil {
			return err
		}
	}
	return nil
}

// systems returns the binaries by system.
func (r *release) systems() map[string][]binary {
	of := map[string][]binary{}
	for _, b := range r.binaries {
		of[b.system] = append(of[b.system], b)
	}
	return of
}

// bundleManifest returns the manifest of a system's bundle.
func (r *release) bundleManifest(system string) bundleManifest {
	return bundleManifest{
		ManifestVersion: "0.3", Name: name, DisplayName: title, Version: r.version, Description: summary,
		Author: map[string]string{"name": authors}, Repository: map[string]string{"type": "git", "url": repository},
		Homepage: repository, License: license, Keywords: []string{"terminal", "shell", "pty"}, ToolsGenerated: true,
		Compatibility: map[string][]string{"platforms": {system}},
		Server: bundleServer{
			Type: "binary", EntryPoint: "server/glasstty",
			Config: bundleConfig{Command: "${__dirname}/server/glasstty", Args: []string{"mcp"}},
		},
	}
}
