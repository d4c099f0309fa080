package mcpserver

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	sessiontext "github.com/glasstty/glasstty/session/text"
)

// A host is trusted only with its own sessions. An answer that names another host's session could
// trick the client into typing there, so this file checks the answers of hosts.

// An answerError reports an unacceptable answer from a host. The host may have carried out the call.
type answerError struct{ error }

// Sent reports that the call may have been made.
func (answerError) Sent() bool { return true }

// rejected returns the error for an answer that the client does not get. format and args give the
// reason.
func rejected(host, format string, args ...any) error {
	return answerError{fmt.Errorf("dropped the answer from host %s: %s", host, fmt.Sprintf(format, args...))}
}

// checkRef returns an error if ref, which host has sent, is not the id of a session of that host.
func checkRef(host, ref string) error {
	id, ok := strings.CutPrefix(ref, host+hostSeparator)
	if ok && sessionID().MatchString(id) {
		return nil
	}
	return rejected(host, "it names %q, which is not a session of that host", clip(ref))
}

// checkAnswer returns an error if a host's answer to a tool call names a session of another host in
// its structured content, or has content of a type that no tool returns. In the text, it marks lines
// that look like status lines of other hosts as program output.
func checkAnswer(host, tool string, res *mcp.CallToolResult) error {
	for _, c := range res.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			c.Text = markOtherHosts(host, c.Text)
		case *mcp.ImageContent:
		default:
			return rejected(host, "it has content of the type %T", c)
		}
	}
	return checkData(host, tool, res.StructuredContent)
}

// checkData returns an error if structured content names a session of another host, at any depth.
// Sessions are named by session_id, and in the results of some tools also by id.
func checkData(host, tool string, v any) error {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if err := checkData(host, tool, e); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, e := range v {
			if key == "session_id" || key == "id" && (tool == toolList || tool == toolInfo) {
				ref, ok := e.(string)
				if !ok {
					return rejected(host, "its %s is not a string", key)
				}
				if err := checkRef(host, ref); err != nil {
					return err
				}
				continue
			}
			if err := checkData(host, tool, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// statusLineStart matches the start of a line that looks like the status line of a session on any
// host.
var statusLineStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\[(?:[^/\s\]]*/)?s[0-9]+[b-z]?\b`) })

// markOtherHosts marks the lines of a host's text that look like status lines of sessions on other
// hosts as program output.
func markOtherHosts(host, text string) string {
	return statusLineStart().ReplaceAllStringFunc(text, func(start string) string {
		if strings.HasPrefix(start, "["+host+hostSeparator) {
			return start
		}
		return sessiontext.ProgramMark + start
	})
}
