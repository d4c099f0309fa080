package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session"
)

// The states of a session whose host does not answer and that has a recording.
const (
	StatusUnreachable session.Status = "unreachable" // it comes back with its host
	StatusLost                       = session.StatusLost
)

// A RecordedSession is a session whose host does not answer, with the facts from its
// recording: the last activity is the last recorded one.
type RecordedSession struct {
	Host string
	Info session.Info // ID and Name are those that the host knows
}

// addRecorded adds the recorded sessions of hosts that do not answer to the lists of the
// others.
func (s *Server) addRecorded(ctx context.Context, want string, lists []hostList) ([]hostList, error) {
	found, err := s.opt.Fleet.Recorded(ctx, want)
	if err != nil {
		return lists, err
	}
	now := time.Now()
	for _, r := range found {
		if !s.opt.Fleet.Allowed(ctx, r.Host) || slices.ContainsFunc(lists, func(l hostList) bool { return l.host == r.Host && l.result != nil }) {
			continue
		}
		r.Info.ID = r.Host + hostSeparator + r.Info.ID
		e := newEntry(r.Info)
		e.RecordedUntil = e.LastActivity
		lists = append(lists, hostList{entry: &e, note: entryLine(r.Info, now) + separator + "its recording can be read"})
	}
	return lists, nil
}

// Looked returns the local ids of the sessions that a read-only or deleting call names. now
// reports that the call is about what becomes of them: it waits for them or deletes them.
func (r *Remote) Looked(body []byte) (ids []string, now, ok bool) {
	var c remoteCall
	var args struct {
		SessionID  string   `json:"session_id"`
		SessionIDs []string `json:"session_ids"`
	}
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
	case c.Method == methodGetPrompt, c.Method == "" && (r.srv.looks[c.Tool] || deletes):
		ok = json.Unmarshal(c.Args, &args) == nil
		ids = args.SessionIDs
		if args.SessionID != "" {
			ids = append(ids, args.SessionID)
		}
	}
	for i, ref := range ids {
		id, err := r.localID(ref)
		if err != nil {
			return nil, false, false
		}
		ids[i] = id
	}
	return ids, deletes || c.Tool == toolWait, ok && len(ids) > 0
}

// FromRecording returns the answer of a Remote of recorded sessions with a status line
// appended. Where away is true nobody knows what their programs do now, and so it says.
func FromRecording(answer []byte, note string, away bool) []byte {
	var res mcp.CallToolResult
	if json.Unmarshal(answer, &res) != nil || len(res.Content) == 0 {
		return answer // not the answer to a tool call
	}
	if data, ok := res.StructuredContent.(map[string]any); ok && away && data["status"] == string(StatusLost) {
		data["status"] = StatusUnreachable
		if data["reason"] != nil {
			data["reason"], data["is_complete"] = detect.Returned, false
		}
	}
	if data, ok := res.StructuredContent.(map[string]any); ok {
		path, _ := data["recording_path"].(string)
		delete(data, "recording_path") // a temporary file of the gateway's
		if c, ok := res.Content[0].(*mcp.TextContent); ok && path != "" {
			c.Text = strings.Replace(c.Text, "recording: "+path+"\n", "", 1)
		}
	}
	res.Content = append(res.Content, &mcp.TextContent{Text: bracket([]string{strings.TrimSpace(note)})})
	return mustJSON(&res)
}
