package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

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
func (s *Server) addRecorded(ctx context.Context, want string, lists []hostList) []hostList {
	found, err := s.opt.Fleet.Recorded(ctx, want)
	if err != nil {
		return append(lists, hostList{note: fmt.Sprintf("the recordings of hosts that are away: %v", err)})
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
	return lists
}

// Looked returns the local ids of the sessions that a read-only or deleting call names.
func (r *Remote) Looked(body []byte) (ids []string, deletes, ok bool) {
	var c remoteCall
	var args struct {
		SessionID  string   `json:"session_id"`
		SessionIDs []string `json:"session_ids"`
	}
	if json.Unmarshal(body, &c) != nil {
		return nil, false, false
	}
	deletes = c.Tool == toolDelete
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
	return ids, deletes, ok && len(ids) > 0
}

// WithNote returns the answer to a tool call with a status line of the server appended.
func WithNote(answer []byte, note string) []byte {
	var res mcp.CallToolResult
	if json.Unmarshal(answer, &res) != nil || len(res.Content) == 0 {
		return answer // not the answer to a tool call
	}
	res.Content = append(res.Content, &mcp.TextContent{Text: bracket([]string{strings.TrimSpace(note)})})
	return mustJSON(&res)
}
