package clientconfig

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/glasstty/glasstty/internal/nearest"
)

// A syntax is how a client's file is written.
type syntax int

const (
	strictJSON    syntax = iota
	commentedJSON        // with comments and trailing commas
	tomlText
	yamlText
	skillText   // a whole file of instructions
	sectionText // a section among the instructions of others
)

// A Client is one MCP client, or one place of instructions for agents that have only
// a shell.
type Client struct {
	ID    string // as users name it: "claude-code"
	Title string

	syntax  syntax
	table   string // the object that holds the servers
	shape   shape
	user    func(Env) string // nil when there are only projects
	project string           // below the project's directory; "" when there is none
	other   string           // another suffix of the file's name, used when only that file exists
}

// Env is the environment that determines the path of a file.
type Env struct {
	OS     string // as in runtime.GOOS
	Home   string
	Getenv func(string) string
}

// Clients returns the known clients, each with a link to the documentation or source of its
// file.
func Clients() []Client {
	plain := shape{command: "command", args: "args"}
	typed := shape{before: []field{{"type", `"stdio"`}}, command: "command", args: "args"}
	return []Client{
		// https://code.claude.com/docs/en/mcp
		{ID: "claude-code", Title: "Claude Code", syntax: strictJSON, table: "mcpServers", shape: typed, user: claudeCode, project: ".mcp.json"},
		// https://modelcontextprotocol.io/docs/develop/connect-local-servers
		{ID: "claude-desktop", Title: "Claude Desktop", syntax: strictJSON, table: "mcpServers", shape: plain, user: claudeDesktop},
		// https://cursor.com/docs/context/mcp
		{ID: "cursor", Title: "Cursor", syntax: commentedJSON, table: "mcpServers", shape: plain, user: below(".cursor/mcp.json"), project: ".cursor/mcp.json"},
		// https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
		{ID: "vscode", Title: "VS Code", syntax: commentedJSON, table: "servers", shape: typed, user: vsCode, project: ".vscode/mcp.json"},
		// https://docs.windsurf.com/windsurf/cascade/mcp
		{ID: "windsurf", Title: "Windsurf", syntax: strictJSON, table: "mcpServers", shape: plain, user: below(".codeium/windsurf/mcp_config.json")},
		// https://developers.openai.com/codex/mcp: a project's file is read once the project is trusted
		{ID: "codex", Title: "Codex", syntax: tomlText, table: "mcp_servers", shape: plain, user: in("CODEX_HOME", ".codex", "config.toml"), project: ".codex/config.toml"},
		// https://geminicli.com/docs/tools/mcp-server
		{ID: "gemini-cli", Title: "Gemini CLI", syntax: commentedJSON, table: "mcpServers", shape: plain, user: below(".gemini/settings.json"), project: ".gemini/settings.json"},
		// https://zed.dev/docs/ai/mcp
		{ID: "zed", Title: "Zed", syntax: commentedJSON, table: "context_servers", shape: plain, user: zed, project: ".zed/settings.json"},
		// https://opencode.ai/docs/mcp-servers, https://opencode.ai/docs/config
		{ID: "opencode", Title: "opencode", syntax: commentedJSON, table: "mcp", shape: shape{
			before: []field{{"type", `"local"`}}, command: "command", after: []field{{"enabled", "true"}},
		}, user: openCode, project: "opencode.json", other: ".jsonc"},
		// https://docs.cline.bot/cli/configuration: one file for the editors and the command line
		{ID: "cline", Title: "Cline", syntax: strictJSON, table: "mcpServers", shape: plain, user: in("CLINE_DIR", ".cline", "data/settings/cline_mcp_settings.json")},
		// https://junie.jetbrains.com/docs/junie-cli-mcp-configuration.html. JetBrains' AI
		// Assistant keeps its servers in the IDE's settings, where the snippet can be pasted.
		{ID: "jetbrains", Title: "JetBrains Junie", syntax: strictJSON, table: "mcpServers", shape: plain, user: below(".junie/mcp/mcp.json"), project: ".junie/mcp/mcp.json"},
		// https://block.github.io/goose/docs/guides/config-files
		{ID: "goose", Title: "Goose", syntax: yamlText, table: "extensions", shape: shape{
			before: []field{{"name", ""}, {"type", `"stdio"`}}, command: "cmd", args: "args",
			after: []field{{"enabled", "true"}, {"timeout", "300"}},
		}, user: goose},
		// https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers
		{ID: "copilot-cli", Title: "GitHub Copilot CLI", syntax: strictJSON, table: "mcpServers", shape: shape{
			before: []field{{"type", `"local"`}}, command: "command", args: "args", after: []field{{"tools", `["*"]`}},
		}, user: in("COPILOT_HOME", ".copilot", "mcp-config.json"), project: ".github/mcp.json"},
		// https://agentskills.io/specification; https://developers.openai.com/codex/skills: most
		// clients but Claude Code read this directory
		{ID: "skill", Title: "Agent skill", syntax: skillText, user: below(".agents/skills/glasstty/SKILL.md"), project: ".agents/skills/glasstty/SKILL.md"},
		// https://code.claude.com/docs/en/skills
		{ID: "claude-skill", Title: "Claude Code skill", syntax: skillText, user: below(".claude/skills/glasstty/SKILL.md"), project: ".claude/skills/glasstty/SKILL.md"},
		// https://agents.md
		{ID: "agents-md", Title: "AGENTS.md", syntax: sectionText, project: "AGENTS.md"},
	}
}

// Instructs reports whether the file contains instructions instead of servers.
func (c Client) Instructs() bool { return c.syntax == skillText || c.syntax == sectionText }

// Find returns the client with an id. The error suggests the nearest and lists all.
func Find(id string) (Client, error) {
	var ids []string
	for _, c := range Clients() {
		if c.ID == id {
			return c, nil
		}
		ids = append(ids, c.ID)
	}
	guess := ""
	if near := nearest.Word(strings.ToLower(id), ids); near != "" {
		guess = fmt.Sprintf("; did you mean %s?", near)
	}
	return Client{}, fmt.Errorf("unknown client %q%s known are %s", id, cmp.Or(guess, ";"), strings.Join(ids, ", "))
}

// UserFile returns the path of the user's own settings.
func (c Client) UserFile(e Env) (string, error) {
	if e.Home == "" {
		return "", errors.New("the home directory is not known: set HOME, or name the file")
	}
	if c.user == nil {
		return "", fmt.Errorf("%s belongs to a project; use --project in its directory", c.Title)
	}
	return c.existing(c.user(e)), nil
}

// existing returns the path, or the one with the other suffix when only that file exists.
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

// ProjectFile returns the path of the settings of the project in a directory.
func (c Client) ProjectFile(dir string) (string, error) {
	if c.project == "" {
		return "", fmt.Errorf("%s has no settings of a project", c.Title)
	}
	return c.existing(filepath.Join(dir, filepath.FromSlash(c.project))), nil
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

// in returns a path below a directory that a variable names, or below one in the home.
func in(variable, dir, path string) func(Env) string {
	return func(e Env) string {
		root := e.Getenv(variable)
		if root == "" {
			root = filepath.Join(e.Home, dir)
		}
		return filepath.Join(root, filepath.FromSlash(path))
	}
}

// claudeDesktop is the path on macOS, and the one of unofficial builds on Linux.
func claudeDesktop(e Env) string {
	if e.OS == "darwin" {
		return filepath.Join(e.Home, "Library", "Application Support", "Claude", "claude_desktop_config.json")
	}
	return filepath.Join(xdgConfig(e), "Claude", "claude_desktop_config.json")
}

func openCode(e Env) string { return filepath.Join(xdgConfig(e), "opencode", "opencode.json") }

func goose(e Env) string { return filepath.Join(xdgConfig(e), "goose", "config.yaml") }

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
