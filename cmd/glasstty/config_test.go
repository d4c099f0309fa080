package main

import (
	"slices"
	"testing"

	"github.com/glasstty/glasstty/internal/cmdline"
)

// TestConfigShowsAll checks that the config command has every setting of mcp and serve, so
// that it prints all of them.
func TestConfigShowsAll(t *testing.T) {
	names := map[string][]string{}
	for _, n := range program().Commands {
		for _, f := range n.Flags {
			if f.Env != "" {
				names[n.Name] = append(names[n.Name], f.Name)
			}
		}
	}
	for _, server := range []string{"mcp", "serve"} {
		for _, f := range names[server] {
			if !slices.Contains(names["config"], f) {
				t.Errorf("%s has the flag --%s, config does not", server, f)
			}
		}
	}
}

// TestForeignSettings checks the variables of mcp-interactive-terminal one by one: each
// sets a flag of ours, has no effect, or is an error.
func TestForeignSettings(t *testing.T) {
	config := program().Find("config")
	for _, flag := range foreignSettings {
		if !slices.ContainsFunc(config.Flags, func(f cmdline.Param) bool { return f.Name == flag }) {
			t.Errorf("there is no flag --%s", flag)
		}
	}
	for v, want := range map[string]string{
		"MCP_TERMINAL_MAX_SESSIONS=5":              "max-sessions=5",
		"MCP_TERMINAL_DEFAULT_TIMEOUT=2500":        "default-timeout=2.5",
		"MCP_TERMINAL_BLOCKED_COMMANDS=rm, dd":     "block-command=rm, dd",
		"MCP_TERMINAL_DANGER_DETECTION=false":      "danger=false",
		"MCP_TERMINAL_IDLE_TIMEOUT=0":              "",
		"MCP_TERMINAL_REDACT_SECRETS=false":        "",
		"MCP_TERMINAL_SANDBOX_ALLOW_NETWORK=*":     "",
		"MCP_TERMINAL_IDLE_TIMEOUT=soon":           "error",
		"MCP_TERMINAL_SANDBOX_ALLOW_NETWORK=a.com": "error",
		"MCP_TERMINAL_NOTHING=1":                   "error",
	} {
		got, err := foreignVars([]string{v})
		text := ""
		for flag, val := range got {
			text = flag + "=" + val.value
		}
		if err != nil {
			text = "error"
		}
		if text != want {
			t.Errorf("%s: %q, %v; want %q", v, text, err, want)
		}
	}
}
