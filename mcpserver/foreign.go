package mcpserver

import (
	"fmt"
	"slices"
)

// ForeignTools maps the tool names of other terminal servers to our tools. The error for such a name
// suggests our tool, because prompts may be written for those servers.
var ForeignTools = map[string]string{
	"create_session": "start_process",
	"spawn_process":  "start_process",
	"send_command":   "send_and_read, with press_enter true",
	"send_control":   `send_keys, for example keys ["ctrl+c"]`,
	"read_buffer":    "read_output, or snapshot for the screen",
	"close_session":  "terminate_process, then delete_session",
	"kill_session":   "terminate_process with force true",
}

// foreignArguments maps argument names of other servers, and of our other tools, to ours. Errors
// suggest the first one that the tool accepts.
var foreignArguments = map[string][]string{
	"cmd":        {"command", "text", "input"},
	"input":      {"text"},
	"command":    {"text", "input"},
	"timeout_ms": {"timeout"},
	"pattern":    {"wait_for", "search"},
	"wait_for":   {"pattern"},
	"enter":      {"press_enter"},
}

// foreignArgument returns a hint that names our argument for the argument name of another server, or
// "" if allowed contains no such argument.
func foreignArgument(name string, allowed []string) string {
	for _, ours := range foreignArguments[name] {
		if !slices.Contains(allowed, ours) {
			continue
		}
		if name == "timeout_ms" {
			return fmt.Sprintf(": here it is %q, in seconds", ours)
		}
		return fmt.Sprintf(": here it is %q", ours)
	}
	return ""
}
