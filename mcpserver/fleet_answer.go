package mcpserver

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	shown "github.com/glasstty/glasstty/session/text"
)

// A host is believed about its own sessions and about nothing else: an answer that names
// the session of another host would have a client type into that one.

// An answerError is the error of a call that a host has answered: it may have been made.
type answerError struct{ error }

// Sent reports that the call may have been made.
func (answerError) Sent() bool { return true }

// dropped says why a host's answer is not passed on.
func dropped(host, why string, args ...any) error {
	return answerError{fmt.Errorf("the answer of host "+host+" was dropped: "+why, args...)}
}

// ownedBy returns an error when an answer of a host names a session of another one.
func ownedBy(host, ref string) error {
	id, ok := strings.CutPrefix(ref, host+hostSeparator)
	if ok && sessionID().MatchString(id) {
		return nil
	}
	return dropped(host, "it names %q, which is not a session of that host", clip(ref))
}

// checkAnswer returns an error when a host's answer to a tool call names the session of
// another host, or has content that no tool has. Lines of its text that look like status
// lines of other hosts are marked as a program's.
func checkAnswer(host, tool string, res *mcp.CallToolResult) error {
	for _, c := range res.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			if c.Text = markOthers(host, c.Text); tool == toolList && !res.IsError {
				c.Text = ownEntries(host, c.Text)
			}
		case *mcp.ImageContent:
		default:
			return dropped(host, "it has content of the type %T", c)
		}
	}
	return checkData(host, tool, res.StructuredContent)
}

// checkData does the same for structured content, however deep in it the sessions are.
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
					return dropped(host, "its %s is not a text", key)
				}
				if err := ownedBy(host, ref); err != nil {
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

// anyStatus matches lines that begin like a status line of a session of this host or of
// any other, and anyEntry a line of list_sessions.
var (
	anyStatus = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\[(?:([^/\s\]]*)/)?s[0-9]+[b-z]?\b`) })
	anyEntry  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([^/\s]+)/s[0-9]+[b-z]? (?:running|exited|lost|unreachable)\b`)
	})
)

// markOthers marks the lines of a host's text that look like status lines of sessions that
// are not its own.
func markOthers(host, text string) string {
	return anyStatus().ReplaceAllStringFunc(text, func(begin string) string {
		if strings.HasPrefix(begin, "["+host+hostSeparator) {
			return begin
		}
		return shown.ProgramMark + begin
	})
}

// ownEntries returns a host's list of sessions without the lines that are not about its
// own. The last line is its status line.
func ownEntries(host, text string) string {
	lines := strings.Split(text, "\n")
	last := len(lines) - 1
	return strings.Join(append(slices.DeleteFunc(lines[:last:last], func(line string) bool {
		m := anyEntry().FindStringSubmatch(line)
		return m == nil || m[1] != host
	}), lines[last]), "\n")
}

// checkURI returns an error when a host names a resource of a session that is not its own.
func checkURI(host, uri string) error {
	ref, kind, ok := splitURI(uri)
	if !ok || !slices.ContainsFunc(resourceKinds, func(k resourceKind) bool { return k.name == kind }) {
		return dropped(host, "%q is not a resource of a session", clip(uri))
	}
	return ownedBy(host, ref)
}

// checkPrompt returns an error when a host's prompt has a resource of a session that is not
// its own, or content that no prompt has.
func checkPrompt(host string, res *mcp.GetPromptResult) error {
	for _, m := range res.Messages {
		switch c := m.Content.(type) {
		case *mcp.TextContent:
			c.Text = markOthers(host, c.Text)
		case *mcp.EmbeddedResource:
			if c.Resource == nil {
				return dropped(host, "it has a resource without contents")
			}
			if err := checkURI(host, c.Resource.URI); err != nil {
				return err
			}
		default:
			return dropped(host, "it has content of the type %T", c)
		}
	}
	return nil
}
