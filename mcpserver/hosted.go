package mcpserver

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// localArgs returns a call's arguments with the sessions' ids as they are on this host.
func (r *Remote) localArgs(raw json.RawMessage) (json.RawMessage, error) {
	args := map[string]json.RawMessage{}
	if len(raw) == 0 || json.Unmarshal(raw, &args) != nil {
		return raw, nil // the tool reports the error
	}
	var one string
	if json.Unmarshal(args["session_id"], &one) == nil {
		id, err := r.localID(one)
		if err != nil {
			return nil, err
		}
		args["session_id"] = mustJSON(id)
	}
	var all []string
	if json.Unmarshal(args["session_ids"], &all) == nil && all != nil {
		for i := range all {
			id, err := r.localID(all[i])
			if err != nil {
				return nil, err
			}
			all[i] = id
		}
		args["session_ids"] = mustJSON(all)
	}
	return mustJSON(args), nil
}

// localID returns a session's id without this host's name.
func (r *Remote) localID(ref string) (string, error) {
	if id, ok := strings.CutPrefix(ref, r.host+hostSeparator); ok {
		return id, nil
	}
	return "", fmt.Errorf("%q is not a session of host %s; call list_sessions", clip(ref), r.host)
}

// ownLines matches the server's status lines, which a program's line cannot look like (see
// text.ProgramMark). ownIDs matches session ids in a status line or an error.
var (
	ownLines   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\[s[0-9]+[b-z]?[^a-zA-Z0-9_/].*$`) })
	ownIDs     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^\[|\bsession(?:_id)? "?)(s[0-9]+[b-z]?)\b`) })
	listedLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^(s[0-9]+[b-z]? (?:running|exited|lost))\b`) })
	sessionID  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^s[0-9]+[b-z]?$`) })
)

// prefixed puts this host's name before the session ids in an answer.
func (r *Remote) prefixed(tool string, res *mcp.CallToolResult) {
	named := func(text string) string {
		return ownIDs().ReplaceAllString(text, "${1}"+r.host+hostSeparator+"${2}")
	}
	for _, c := range res.Content {
		t, ok := c.(*mcp.TextContent)
		switch {
		case !ok:
		case res.IsError:
			t.Text = r.named(t.Text)
		case tool == toolList:
			t.Text = listedLine().ReplaceAllString(t.Text, r.host+hostSeparator+"${1}")
		default:
			t.Text = ownLines().ReplaceAllStringFunc(t.Text, named)
		}
	}
	r.prefixData(tool, res.StructuredContent)
}

// prefixData does the same in structured content.
func (r *Remote) prefixData(tool string, v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			r.prefixData(tool, e)
		}
	case map[string]any:
		for _, key := range []string{"session_id", "id"} {
			id, ok := v[key].(string)
			if ok && sessionID().MatchString(id) && (key == "session_id" || tool == toolList || tool == toolInfo) {
				v[key] = r.host + hostSeparator + id
			}
		}
		for _, key := range []string{"sessions", "messages"} {
			r.prefixData(tool, v[key])
		}
	}
}
