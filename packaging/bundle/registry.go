package main

import (
	"maps"
	"path/filepath"
	"slices"
)

// registry writes server.json for the MCP registry (github.com/modelcontextprotocol/registry,
// docs/reference/server-json). It must be called after bundles, because it needs the bundles' sums.
func (r *release) registry() error {
	stdio := object{"type": "stdio"}
	packages := []object{
		{"registryType": "npm", "identifier": name, "version": r.version, "runtimeHint": "npx", "transport": stdio},
		{"registryType": "oci", "identifier": image + ":" + r.version, "runtimeHint": "docker", "transport": stdio},
	}
	for _, system := range slices.Sorted(maps.Keys(r.systems())) {
		file := r.bundleFile(system)
		sum, err := sumOf(filepath.Join(r.dist, file))
		if err != nil {
			return err
		}
		packages = append(packages, object{"registryType": "mcpb", "identifier": r.url(file), "fileSha256": sum, "transport": stdio})
	}
	text, err := toJSON(object{
		"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":    registryName, "title": title, "description": summary, "version": r.version, "websiteUrl": repository,
		"repository": object{"url": repository, "source": "github"}, "packages": packages,
	})
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(r.dist, "server.json"), text)
}
