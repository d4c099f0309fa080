package main

import (
	_ "embed"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
)

// chooser is the script that clients run from a bundle. It starts the binary for the machine's processor.
//
//go:embed mcpb/glasstty.sh
var chooser []byte

// bundleFile returns the name of a system's bundle.
func (r *release) bundleFile(system string) string {
	return fmt.Sprintf("%s_%s_%s.mcpb", name, r.version, system)
}

// bundles writes a bundle for each operating system. A manifest can name systems but not processors, so a
// bundle contains the system's binaries for all processors, and the script chooser.
func (r *release) bundles() error {
	systems := r.systems()
	for _, system := range slices.Sorted(maps.Keys(systems)) {
		text, err := toJSON(r.bundleManifest(system))
		if err != nil {
			return err
		}
		files := append([]file{{"manifest.json", fileMode, text}, {"server/glasstty", programMode, chooser}}, r.notices...)
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

// bundleManifest returns the MCPB manifest.json, version 0.3, of a system's bundle
// (github.com/modelcontextprotocol/mcpb, MANIFEST.md).
func (r *release) bundleManifest(system string) object {
	return object{
		"manifest_version": "0.3", "name": name, "display_name": title, "version": r.version, "description": summary,
		"author": object{"name": authors}, "repository": object{"type": "git", "url": repository},
		"homepage": repository, "license": license, "keywords": []string{"terminal", "shell", "pty"},
		"tools_generated": true, // clients must ask the server for its tools
		"compatibility":   object{"platforms": []string{system}},
		"server": object{
			"type": "binary", "entry_point": "server/glasstty",
			"mcp_config": object{"command": "${__dirname}/server/glasstty", "args": []string{"mcp"}},
		},
	}
}
