package clientconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/glasstty/glasstty/internal/nearest"
)

// A syntax is the syntax of a client's file.
type syntax int

const (
	strictJSON    syntax = iota
	commentedJSON        // with comments and trailing commas
	tomlText
	yamlText
	skillText   // a whole file of instructions
	sectionText // a section in a file with other instructions
)

// A Client is an MCP client, or a file of instructions for agents that have only a shell.
type Client struct {
	ID    string // the name in commands, such as "claude-code"
	Title string

	syntax  syntax
	table   string // the name of the object that contains the servers; "" for a file of instructions
	shape   shape
	user    location // of the user's file; zero if there are only project files
	project string   // path below a project's directory; "" if there is none
	other   string   // another extension that the file may have, or ""; used if only a file with this extension exists
}

// Env is the environment that determines the path of a file.
type Env struct {
	OS     string // as in runtime.GOOS
	Home   string
	Getenv func(string) string
}

// A location determines the path of a user's file. path is relative to the directory in the
// environment variable env or, if the variable is empty, to the subdirectory dir of the home directory.
type location struct {
	env, dir, path string
	mac            string // the path below the home directory on macOS; "" if env, dir and path apply there too
}

// xdgConfig is a variable of the XDG Base Directory Specification. A relative path in it is invalid
// and ignored.
const xdgConfig = "XDG_CONFIG_HOME"

// resolve returns the path in an environment.
func (l location) resolve(e Env) string {
	if e.OS == "darwin" && l.mac != "" {
		return filepath.Join(e.Home, l.mac)
	}
	root := ""
	if l.env != "" {
		root = e.Getenv(l.env)
	}
	if root == "" || l.env == xdgConfig && !filepath.IsAbs(root) {
		root = filepath.Join(e.Home, l.dir)
	}
	return filepath.Join(root, l.path)
}

// Clients returns the known clients. A comment on each links to the documentation of its file.
func Clients() []Client {
	plain := shape{command: "command", args: "args"}
	typed := shape{before: []field{{"type", `"stdio"`}}, command: "command", args: "args"}
	return []Client{
		// https://code.claude.com/docs/en/mcp
		{ID: "claude-code", Title: "Claude Code", syntax: strictJSON, table: "mcpServers", shape: typed, user: location{env: "CLAUDE_CONFIG_DIR", path: ".claude.json"}, project: ".mcp.json"},
		// https://modelcontextprotocol.io/docs/develop/connect-local-servers
		{ID: "claude-desktop", Title: "Claude Desktop", syntax: strictJSON, table: "mcpServers", shape: plain, user: location{env: xdgConfig, dir: ".config", path: "Claude/claude_desktop_config.json", mac: "Library/Application Support/Claude/claude_desktop_config.json"}},
		// https://cursor.com/docs/context/mcp
		{ID: "cursor", Title: "Cursor", syntax: commentedJSON, table: "mcpServers", shape: plain, user: location{path: ".cursor/mcp.json"}, project: ".cursor/mcp.json"},
		// https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
		{ID: "vscode", Title: "VS Code", syntax: commentedJSON, table: "servers", shape: typed, user: location{env: xdgConfig, dir: ".config", path: "Code/User/mcp.json", mac: "Library/Application Support/Code/User/mcp.json"}, project: ".vscode/mcp.json"},
		// https://docs.windsurf.com/windsurf/cascade/mcp
		{ID: "windsurf", Title: "Windsurf", syntax: strictJSON, table: "mcpServers", shape: plain, user: location{path: ".codeium/windsurf/mcp_config.json"}},
		// https://developers.openai.com/codex/mcp: a project's file is read once the project is trusted
		{ID: "codex", Title: "Codex", syntax: tomlText, table: "mcp_servers", shape: plain, user: location{env: "CODEX_HOME", dir: ".codex", path: "config.toml"}, project: ".codex/config.toml"},
		// https://geminicli.com/docs/tools/mcp-server
		{ID: "gemini-cli", Title: "Gemini CLI", syntax: commentedJSON, table: "mcpServers", shape: plain, user: location{path: ".gemini/settings.json"}, project: ".gemini/settings.json"},
		// https://zed.dev/docs/ai/mcp
		{ID: "zed", Title: "Zed", syntax: commentedJSON, table: "context_servers", shape: plain, user: location{env: xdgConfig, dir: ".config", path: "zed/settings.json", mac: ".config/zed/settings.json"}, project: ".zed/settings.json"},
		// https://opencode.ai/docs/mcp-servers, https://opencode.ai/docs/config
		{ID: "opencode", Title: "opencode", syntax: commentedJSON, table: "mcp", shape: shape{
			before: []field{{"type", `"local"`}}, command: "command", after: []field{{"enabled", "true"}},
		}, user: location{env: xdgConfig, dir: ".config", path: "opencode/opencode.json"}, project: "opencode.json", other: ".jsonc"},
		// https://docs.cline.bot/cli/configuration: one file for the editors and the command line
		{ID: "cline", Title: "Cline", syntax: strictJSON, table: "mcpServers", shape: plain, user: location{env: "CLINE_DIR", dir: ".cline", path: "data/settings/cline_mcp_settings.json"}},
		// https://junie.jetbrains.com/docs/junie-cli-mcp-configuration.html. JetBrains' AI
		// Assistant keeps its servers in the IDE's settings, where the snippet can be pasted.
		{ID: "jetbrains", Title: "JetBrains Junie", syntax: strictJSON, table: "mcpServers", shape: plain, user: location{path: ".junie/mcp/mcp.json"}, project: ".junie/mcp/mcp.json"},
		// https://block.github.io/goose/docs/guides/config-files
		{ID: "goose", Title: "Goose", syntax: yamlText, table: "extensions", shape: shape{
			before: []field{{"name", `"glasstty"`}, {"type", `"stdio"`}}, command: "cmd", args: "args",
			after: []field{{"enabled", "true"}, {"timeout", "300"}},
		}, user: location{env: xdgConfig, dir: ".config", path: "goose/config.yaml"}},
		// https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers
		{ID: "copilot-cli", Title: "GitHub Copilot CLI", syntax: strictJSON, table: "mcpServers", shape: shape{
			before: []field{{"type", `"local"`}}, command: "command", args: "args", after: []field{{"tools", `["*"]`}},
		}, user: location{env: "COPILOT_HOME", dir: ".copilot", path: "mcp-config.json"}, project: ".github/mcp.json"},
		// https://agentskills.io/specification; https://developers.openai.com/codex/skills:
		// most clients except Claude Code read this directory
		{ID: "skill", Title: "Agent skill", syntax: skillText, user: location{path: ".agents/skills/glasstty/SKILL.md"}, project: ".agents/skills/glasstty/SKILL.md"},
		// https://code.claude.com/docs/en/skills
		{ID: "claude-skill", Title: "Claude Code skill", syntax: skillText, user: location{path: ".claude/skills/glasstty/SKILL.md"}, project: ".claude/skills/glasstty/SKILL.md"},
		// https://agents.md
		{ID: "agents-md", Title: "AGENTS.md", syntax: sectionText, project: "AGENTS.md"},
	}
}

// HasInstructions reports whether the file contains instructions instead of servers.
func (c Client) HasInstructions() bool { return c.syntax == skillText || c.syntax == sectionText }

// IDs returns the IDs of all clients.
func IDs() (ids []string) {
	for _, c := range Clients() {
		ids = append(ids, c.ID)
	}
	return ids
}

// Find returns the client with an ID. The error suggests the nearest ID or lists all IDs.
func Find(id string) (Client, error) {
	for _, c := range Clients() {
		if c.ID == id {
			return c, nil
		}
	}
	return Client{}, fmt.Errorf("unknown client %q%s", id, nearest.Suggest(strings.ToLower(id), IDs(), "; known are "+strings.Join(IDs(), ", ")))
}

// UserFile returns the path of the user's settings file.
func (c Client) UserFile(e Env) (string, error) {
	if e.Home == "" {
		return "", errors.New("the home directory is not known: set HOME, or name the file")
	}
	if c.user == (location{}) {
		return "", fmt.Errorf("%s belongs to a project; use --project in its directory", c.Title)
	}
	return c.existing(c.user.resolve(e)), nil
}

// existing returns path, or path with the extension c.other if only the latter file exists.
func (c Client) existing(path string) string {
	if c.other == "" {
		return path
	}
	also := strings.TrimSuffix(path, filepath.Ext(path)) + c.other
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(also); err == nil {
			return also
		}
	}
	return path
}

// ProjectFile returns the path of the settings file of the project in dir.
func (c Client) ProjectFile(dir string) (string, error) {
	if c.project == "" {
		return "", fmt.Errorf("%s has no project settings", c.Title)
	}
	return c.existing(filepath.Join(dir, filepath.FromSlash(c.project))), nil
}
