package mcpserver

import (
	"fmt"
	"slices"
)

// foreignTools gives our tool for the names that other terminal servers use
// for the same job, so that a prompt written for them finds its way.
var foreignTools = map[string]string{
	"create_session":  "start_process",
	"spawn_process":   "start_process",
	"send_command":    "send_and_read, with press_enter true",
	"send_control":    `send_keys, for example keys ["ctrl+c"]`,
	"read_buffer":     "read_output, or snapshot for the screen",
	"close_session":   "terminate_process, then delete_session",
	"kill_session":    "terminate_process with force true",
	"list_processes":  "list_sessions",
	"get_screen":      "snapshot",
	"resize_session":  "resize_pty",
	"interact":        "send_and_read",
	"execute_command": "start_process, then send_and_read",
}

// ForeignTool returns this server's replacement for a tool of another terminal server, or
// "".
func ForeignTool(name string) string { return foreignTools[name] }

// foreignArguments gives our argument names for those of other servers. The first one that
// the tool has is used.
var foreignArguments = map[string][]string{
	"cmd":         {"command", "text", "input"},
	"input":       {"text"},
	"data":        {"text"},
	"command":     {"text", "input"},
	"timeout_ms":  {"timeout"},
	"session":     {"session_id"},
	"sessionId":   {"session_id"},
	"id":          {"session_id"},
	"pid":         {"session_id"},
	"key":         {"keys"},
	"control":     {"keys"},
	"enter":       {"press_enter"},
	"newline":     {"press_enter"},
	"pattern":     {"wait_for", "search"},
	"wait_for":    {"pattern"},
	"regex":       {"wait_for", "pattern", "search"},
	"working_dir": {"cwd"},
	"lines":       {"tail", "max_lines", "rows", "scrollback"},
	"columns":     {"cols"},
	"width":       {"cols"},
	"height":      {"rows"},
	"environment": {"env"},
}

// foreignArgument returns a hint from another server's argument name to ours, "" when ours is
// not among the allowed arguments.
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
