package clientconfig

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// A syntax is how a client's file is written.
type syntax int

const (
	strictJSON    syntax = iota
	commentedJSON        // with comments and trailing commas
	tomlText
)

// A Client is one MCP client.
type Client struct {
	ID    string // as users name it: "claude-code"
	Title string

	syntax  syntax
	table   string // the object that holds the servers
	typed   bool   // an entry says "type": "stdio"
	user    func(Env) string
	project string // below the project's directory; "" when there is none
}

// Env is what the place of a file depends on.
type Env struct {
	OS     string // as in runtime.GOOS
	Home   string
	Getenv func(string) string
}

// Clients returns the clients that are known.
func Clients() []Client {
	return []Client{
		{ID: "claude-code", Title: "Claude Code", syntax: strictJSON, table: "mcpServers", typed: true, user: claudeCode, project: ".mcp.json"},
		{ID: "cursor", Title: "Cursor", syntax: commentedJSON, table: "mcpServers", user: below(".cursor/mcp.json"), project: ".cursor/mcp.json"},
		{ID: "vscode", Title: "VS Code", syntax: commentedJSON, table: "servers", typed: true, user: vsCode, project: ".vscode/mcp.json"},
		{ID: "windsurf", Title: "Windsurf", syntax: strictJSON, table: "mcpServers", user: below(".codeium/windsurf/mcp_config.json")},
		{ID: "codex", Title: "Codex", syntax: tomlText, table: "mcp_servers", user: codex},
		{ID: "gemini-cli", Title: "Gemini CLI", syntax: commentedJSON, table: "mcpServers", user: below(".gemini/settings.json"), project: ".gemini/settings.json"},
		{ID: "zed", Title: "Zed", syntax: commentedJSON, table: "context_servers", user: zed, project: ".zed/settings.json"},
	}
}

// Find returns the client with an id. The error names those that there are.
func Find(id string) (Client, error) {
	var ids []string
	for _, c := range Clients() {
		if c.ID == id {
			return c, nil
		}
		ids = append(ids, c.ID)
	}
	return Client{}, fmt.Errorf("unknown client %q; known are %s", id, strings.Join(ids, ", "))
}

// UserFile returns the path of the user's own settings.
func (c Client) UserFile(e Env) (string, error) {
	if e.Home == "" {
		return "", errors.New("the home directory is not known: set HOME, or name the file")
	}
	return c.user(e), nil
}

// ProjectFile returns the path of the settings of the project in a directory.
func (c Client) ProjectFile(dir string) (string, error) {
	if c.project == "" {
		return "", fmt.Errorf("%s has no settings of a project", c.Title)
	}
	return filepath.Join(dir, filepath.FromSlash(c.project)), nil
}

// below returns a path below the home directory.
func below(path string) func(Env) string {
	return func(e Env) string { return filepath.Join(e.Home, filepath.FromSlash(path)) }
}

func claudeCode(e Env) string {
	if dir := e.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return filepath.Join(dir, ".claude.json")
	}
	return filepath.Join(e.Home, ".claude.json")
}

func codex(e Env) string {
	if dir := e.Getenv("CODEX_HOME"); dir != "" {
		return filepath.Join(dir, "config.toml")
	}
	return filepath.Join(e.Home, ".codex", "config.toml")
}

func vsCode(e Env) string {
	if e.OS == "darwin" {
		return filepath.Join(e.Home, "Library", "Application Support", "Code", "User", "mcp.json")
	}
	return filepath.Join(xdgConfig(e), "Code", "User", "mcp.json")
}

func zed(e Env) string {
	if e.OS == "darwin" {
		return filepath.Join(e.Home, ".config", "zed", "settings.json")
	}
	return filepath.Join(xdgConfig(e), "zed", "settings.json")
}

// xdgConfig returns the directory of the XDG Base Directory Specification.
func xdgConfig(e Env) string {
	if dir := e.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(e.Home, ".config")
}
