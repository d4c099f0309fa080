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

// coreTools is the set "core". These tools are enough to drive any program.
var coreTools = []string{
	"start_process", "send_and_read", "run_steps", "send_keys", "wait_for",
	"read_output", "snapshot", "list_sessions", "terminate_process",
}

// allTools returns every tool, in the order of the documentation.
func allTools() []tool {
	reads, types, ends := hints{readOnly: true}, hints{destructive: true, openWorld: true}, hints{destructive: true}
	return []tool{
		newTool[startResult]("start_process", startProcessDoc, types, handleStartProcess),
		sessionTool[reply]("send_and_read", sendAndReadDoc, types, handleSendAndRead),
		sessionTool[sendInputResult]("send_input", sendInputDoc, types, handleSendInput),
		sessionTool[reply]("send_keys", sendKeysDoc, types, handleSendKeys),
		sessionTool[runResult]("run_steps", runStepsDoc, types, handleRunSteps),
		sessionTool[reply]("send_mouse", sendMouseDoc, types, handleSendMouse),
		newTool[waitResult]("wait_for", waitForDoc, reads, handleWaitFor),
		sessionTool[readResult]("read_output", readOutputDoc, reads, handleReadOutput),
		sessionTool[snapshotResult]("snapshot", snapshotDoc, reads, handleSnapshot),
		newTool[sessionList]("list_sessions", listSessionsDoc, reads, handleListSessions),
		sessionTool[sessionInfo](toolInfo, getSessionInfoDoc, reads, handleGetSessionInfo),
		newTool[terminateResult]("terminate_process", terminateProcessDoc, ends, handleTerminateProcess),
		newTool[deleteResult](toolDelete, deleteSessionDoc, ends, handleDeleteSession),
		sessionTool[resizeResult]("resize_pty", resizePTYDoc, hints{idempotent: true}, handleResizePTY),
		sessionTool[readerResult]("register_reader", registerReaderDoc, hints{reader: true}, handleRegisterReader),
		sessionTool[readerResult]("unregister_reader", unregisterReaderDoc, hints{idempotent: true, reader: true}, handleUnregisterReader),
		sessionTool[messageList]("list_messages", listMessagesDoc, reads, handleListMessages),
		sessionTool[messageTexts]("get_message", getMessageDoc, reads, handleGetMessage),
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

// ObserverTools reports for each tool whether a client that may only watch may call it. This includes
// the tools for readers: such a client needs a reader of its own, to leave the agent's output unread.
func ObserverTools() map[string]bool {
	allowed := map[string]bool{}
	for _, t := range allTools() {
		allowed[t.name] = t.hints.observersMayCall()
	}
	return allowed
}

// Tools returns the definitions of all tools for people, in the order of the documentation. Unlike
// those in tools/list, they include hidden arguments and all descriptions. Each InputSchema is a
// *Schema.
func Tools() []*mcp.Tool {
	var out []*mcp.Tool
	for _, t := range allTools() {
		out = append(out, t.define(forPeople))
	}
	return out
}

// selectTools returns the tools and sets of tools in names, or all tools if names is empty.
func selectTools(names []string) ([]tool, error) {
	all := ToolNames()
	var want []string
	for _, n := range names {
		switch {
		case n == ToolsAll:
			want = all
		case n == ToolsCore:
			want = slices.Concat(want, coreTools)
		case slices.Contains(all, n):
			want = append(want, n)
		default:
			return nil, fmt.Errorf("unknown tool %q; want %s, %s or one of %s", n, ToolsAll, ToolsCore, strings.Join(all, ", "))
		}
	}
	unwanted := func(t tool) bool { return len(names) > 0 && !slices.Contains(want, t.name) }
	return slices.DeleteFunc(allTools(), unwanted), nil
}
