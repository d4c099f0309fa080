package mcpserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ToolsAll and ToolsCore name sets of tools in Options.Tools.
const (
	ToolsAll  = "all"
	ToolsCore = "core"
)

// coreTools is the set "core": enough to drive any program.
var coreTools = []string{
	"start_process", "send_and_read", "run_steps", "send_keys", "wait_for",
	"read_output", "snapshot", "list_sessions", "terminate_process",
}

// allTools returns every tool.
func allTools() []tool {
	return []tool{
		startProcess(), sendAndRead(), sendInput(), sendKeys(), runSteps(), sendMouse(),
		waitFor(), readOutput(), snapshot(),
		listSessions(), getSessionInfo(),
		terminateProcess(), deleteSession(), resizePTY(),
		registerReader(), unregisterReader(),
		listMessages(), getMessage(),
		confirmDangerousCommand(),
	}
}

// ToolNames returns the names of all tools, in the order of the contract.
func ToolNames() []string {
	var names []string
	for _, t := range allTools() {
		names = append(names, t.name)
	}
	return names
}

// Tools returns the definitions of all tools for people, in the order of the contract:
// tools/list leaves out arguments and words that a model does well without.
func Tools() []*mcp.Tool {
	var out []*mcp.Tool
	for _, t := range allTools() {
		out = append(out, t.define(forPeople))
	}
	return out
}

// chosen returns the tools that names asks for; all when it is empty.
func chosen(names []string) ([]tool, error) {
	all := allTools()
	if len(names) == 0 {
		return all, nil
	}
	want := map[string]bool{}
	for _, n := range names {
		switch {
		case n == ToolsAll:
			return all, nil
		case n == ToolsCore:
			for _, c := range coreTools {
				want[c] = true
			}
		case slices.Contains(ToolNames(), n):
			want[n] = true
		default:
			return nil, fmt.Errorf("unknown tool %q; allowed are %s, %s and %s", n, ToolsAll, ToolsCore, strings.Join(ToolNames(), ", "))
		}
	}
	return slices.DeleteFunc(all, func(t tool) bool { return !want[t.name] }), nil
}
