package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session"
)

// The states of a recorded session whose host does not answer.
const (
	StatusUnreachable session.Status = "unreachable" // the session returns with its host
	StatusLost                       = session.StatusLost
)

// A RecordedSession is a session whose host does not answer. Its facts come from its
// recording, so that the last activity is the last recorded one.
type RecordedSession struct {
	Host string
	Info session.Info // ID and Name do not contain the host
}

// recorded returns the recorded sessions on hosts that do not answer, one in each hostList. It
// omits hosts that answered in lists. older is the number of those that it leaves out.
func (s *Server) recorded(ctx context.Context, want string, lists []hostList) (out []hostList, older int, err error) {
	sessions, older, err := s.opt.Fleet.Recorded(ctx, want)
	if err != nil {
		return nil, 0, err
	}
	now := time.Now()
	for _, r := range sessions {
		if slices.ContainsFunc(lists, func(l hostList) bool { return l.host == r.Host && l.why == "" }) {
			continue
		}
		r.Info.ID = r.Host + hostSeparator + r.Info.ID
		e := newEntry(r.Info)
		e.RecordedUntil = e.LastActivity
		out = append(out, hostList{
			host: r.Host, sessions: []json.RawMessage{mustJSON(e)},
			lines: []string{entryLine(r.Info, now) + separator + "its recording can be read"},
		})
	}
	return out, older, nil
}

// Looked returns the local ids of the sessions that a read-only or deleting call names. current
// reports whether a recording is not enough for the call, because it waits for the sessions or
// deletes them. ok is false for other calls.
func (r *Remote) Looked(body []byte) (ids []string, current, ok bool) {
	var c remoteCall
	if json.Unmarshal(body, &c) != nil {
		return nil, false, false
	}
	deletes := c.Tool == toolDelete
	switch {
	case c.Method == methodReadResource:
		var uri string
		if json.Unmarshal(c.Args, &uri) != nil {
			return nil, false, false
		}
		ref, _, ours := splitURI(uri)
		ids = []string{ref}
		ok = ours
	case c.Method == methodGetPrompt, c.Method == "" && (r.srv.tools[c.Tool].readOnly || deletes):
		args := map[string]json.RawMessage{}
		ok = json.Unmarshal(c.Args, &args) == nil
		ids, _ = sessionsIn(args)
	}
	for i, ref := range ids {
		id, err := r.srv.localID(ref)
		if err != nil {
			return nil, false, false
		}
		ids[i] = id
	}
	return ids, deletes || c.Tool == toolWait, ok && len(ids) > 0
}

// FromRecording returns the answer of a Remote for recorded sessions, with note appended as a
// status line. If away is true, the state of their programs is unknown, and a session shown as
// lost becomes unreachable.
func FromRecording(answer []byte, note string, away bool) []byte {
	var res mcp.CallToolResult
	if json.Unmarshal(answer, &res) != nil || len(res.Content) == 0 {
		return answer // not the answer to a tool call
	}
	if data, ok := res.StructuredContent.(map[string]any); ok {
		ref, _ := data["session_id"].(string)
		reason, _ := data["reason"].(string)
		unreachable := away && data["status"] == string(StatusLost)
		if unreachable {
			data["status"] = StatusUnreachable
		}
		var omit []string                      // lines of the text
		if id, ok := data["id"].(string); ok { // get_session_info
			ref, data["recorded_until"] = id, data["last_activity"]
			if path, ok := data["recording_path"].(string); ok {
				delete(data, "recording_path") // the gateway's temporary file
				omit = append(omit, "recording: "+path+"\n")
			}
			if unreachable && reason != "" {
				delete(data, "reason") // that the program has ended
				omit = append(omit, "last reason: "+reason+"\n")
			}
		} else if unreachable && reason != "" {
			data["reason"], data["is_complete"] = detect.Returned, false
		}
		for _, c := range res.Content {
			c, ok := c.(*mcp.TextContent)
			if !ok {
				continue
			}
			for _, line := range omit {
				c.Text = strings.Replace(c.Text, line, "", 1)
			}
			last := strings.LastIndexByte(c.Text, '\n') + 1
			if rest, ok := strings.CutPrefix(c.Text[last:], fmt.Sprintf("[%s %s", ref, StatusLost)); ok && unreachable {
				c.Text = fmt.Sprintf("%s[%s %s%s", c.Text[:last], ref, StatusUnreachable, rest)
			}
		}
	}
	res.Content = append(res.Content, &mcp.TextContent{Text: bracket([]string{strings.TrimSpace(note)})})
	return mustJSON(&res)
}
