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

// coreTools is the set "core". It is enough to drive any program.
var coreTools = []string{
	"start_process", "send_and_read", "run_steps", "send_keys", "wait_for",
	"read_output", "snapshot", "list_sessions", "terminate_process",
}

// allTools returns every tool, in the order of the documentation.
func allTools() []tool {
	looks, types, ends := hints{readOnly: true}, hints{destructive: true, openWorld: true}, hints{destructive: true}
	return []tool{
		newTool[started]("start_process", startProcessDoc, types, handleStartProcess),
		sessionTool[reply]("send_and_read", sendAndReadDoc, types, handleSendAndRead),
		sessionTool[sendInputResult]("send_input", sendInputDoc, types, handleSendInput),
		sessionTool[reply]("send_keys", sendKeysDoc, types, handleSendKeys),
		sessionTool[runResult]("run_steps", runStepsDoc, types, handleRunSteps),
		sessionTool[reply]("send_mouse", sendMouseDoc, types, handleSendMouse),
		newTool[waitResult]("wait_for", waitForDoc, looks, handleWaitFor),
		sessionTool[readResult]("read_output", readOutputDoc, looks, handleReadOutput),
		sessionTool[snapshotResult]("snapshot", snapshotDoc, looks, handleSnapshot),
		newTool[sessionList]("list_sessions", listSessionsDoc, looks, handleListSessions),
		sessionTool[sessionInfo](toolInfo, getSessionInfoDoc, looks, handleGetSessionInfo),
		newTool[terminateResult]("terminate_process", terminateProcessDoc, ends, handleTerminateProcess),
		newTool[deleteResult](toolDelete, deleteSessionDoc, ends, handleDeleteSession),
		sessionTool[resizeResult]("resize_pty", resizePTYDoc, hints{idempotent: true}, handleResizePTY),
		sessionTool[readerResult]("register_reader", registerReaderDoc, hints{reader: true}, handleRegisterReader),
		sessionTool[readerResult]("unregister_reader", unregisterReaderDoc, hints{idempotent: true, reader: true}, handleUnregisterReader),
		sessionTool[messageList]("list_messages", listMessagesDoc, looks, handleListMessages),
		sessionTool[messageTexts]("get_message", getMessageDoc, looks, handleGetMessage),
		newTool[reply](toolConfirm, confirmDoc, types, handleConfirm),
	}
}

// ToolNames returns the names of all tools, in the order of the documentation.
func ToolNames() []string {
	var names []string
	for _, t := range allTools() {
		names = append(names, t.name)
	}
	return names
}

// Looks reports for each tool whether read-only clients may call it. These clients need cursors
// of their own, so that they do not consume the agent's output.
func Looks() map[string]bool {
	looks := map[string]bool{}
	for _, t := range allTools() {
		looks[t.name] = t.hints.looks()
	}
	return looks
}

// Tools returns the definitions of all tools for people, in the order of the documentation. In
// contrast to tools/list, they include hidden arguments and all descriptions, and each
// InputSchema is a *jsonschema.Schema.
func Tools() []*mcp.Tool {
	var out []*mcp.Tool
	for _, t := range allTools() {
		out = append(out, t.define(forPeople))
	}
	return out
}

// chosen returns the tools and sets of tools in names, or all tools if names is empty.
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
			return nil, fmt.Errorf("unknown tool %q; want %s, %s or one of %s", n, ToolsAll, ToolsCore, strings.Join(ToolNames(), ", "))
		}
	}
	return slices.DeleteFunc(all, func(t tool) bool { return !want[t.name] }), nil
}
