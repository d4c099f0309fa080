package mcpserver

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	sessiontext "github.com/glasstty/glasstty/session/text"
)

// A host's answers are checked because a host is trusted only with its own sessions. An answer
// that names another host's session could trick the client into typing there.

// An answerError is an error in a host's answer. The host may have carried out the call.
type answerError struct{ error }

// Sent reports that the call may have been made.
func (answerError) Sent() bool { return true }

// dropped returns the error for an answer that is not passed on to the client. The reason why is
// a format for args.
func dropped(host, why string, args ...any) error {
	return answerError{fmt.Errorf("dropped the answer from host %s: "+why, append([]any{host}, args...)...)}
}

// checkRef returns an error if ref is not a session of host.
func checkRef(host, ref string) error {
	id, ok := strings.CutPrefix(ref, host+hostSeparator)
	if ok && sessionID().MatchString(id) {
		return nil
	}
	return dropped(host, "it names %q, which is not a session of that host", clip(ref))
}

// checkAnswer returns an error if a host's answer to a tool call names a session of another
// host, or has content of a type that no tool returns. Lines of the text that look like another
// host's status line are marked as program output.
func checkAnswer(host, tool string, res *mcp.CallToolResult) error {
	for _, c := range res.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			c.Text = markOthers(host, c.Text)
		case *mcp.ImageContent:
		default:
			return dropped(host, "it has content of the type %T", c)
		}
	}
	return checkData(host, tool, res.StructuredContent)
}

// checkData returns an error if structured content names a session of another host, at any
// depth.
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
					return dropped(host, "its %s is not a string", key)
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

// anyStatus matches the start of a line that looks like the status line of a session on any
// host.
var anyStatus = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\[(?:([^/\s\]]*)/)?s[0-9]+[b-z]?\b`) })

// markOthers marks the lines of a host's text that look like status lines of sessions on other
// hosts.
func markOthers(host, text string) string {
	return anyStatus().ReplaceAllStringFunc(text, func(begin string) string {
		if strings.HasPrefix(begin, "["+host+hostSeparator) {
			return begin
		}
		return sessiontext.ProgramMark + begin
	})
}
