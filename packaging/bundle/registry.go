package main

import (
	"maps"
	"path/filepath"
	"slices"
)

// A registryServer is a server.json of the MCP registry
// (github.com/modelcontextprotocol/registry, docs/reference/server-json).
type registryServer struct {
	Schema      string            `json:"$schema"`
	Name        string            `json:"name"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Version     string            `json:"version"`
	WebsiteURL  string            `json:"websiteUrl"`
	Repository  map[string]string `json:"repository"`
	Packages    []registryPackage `json:"packages"`
}

// A registryPackage is one way to install the server.
type registryPackage struct {
	Type       string            `json:"registryType"`
	Identifier string            `json:"identifier"`
	Version    string            `json:"version,omitempty"`
	SHA256     string            `json:"fileSha256,omitempty"`
	Hint       string            `json:"runtimeHint,omitempty"`
	Transport  map[string]string `json:"transport"`
}

// registry writes server.json. It needs the bundles' sums.
func (r *release) registry() error {
	stdio := map[string]string{"type": "stdio"}
	packages := []registryPackage{
		{Type: "npm", Identifier: name, Version: r.version, Hint: "npx", Transport: stdio},
		{Type: "oci", Identifier: image + ":" + r.version, Hint: "docker", Transport: stdio},
	}
	for _, system := range slices.Sorted(maps.Keys(r.systems())) {
		file := r.bundleFile(system)
		sum, err := sumOf(filepath.Join(r.dist, file))
		if err != nil {
			return err
		}
		packages = append(packages, registryPackage{Type: "mcpb", Identifier: r.url(file), SHA256: sum, Transport: stdio})
	}
	text, err := toJSON(registryServer{
		Schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		Name:   registryName, Title: title, Description: summary, Version: r.version, WebsiteURL: repository,
		Repository: map[string]string{"url": repository, "source": "github"}, Packages: packages,
	})
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(r.dist, "server.json"), text)
}
