package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/glasstty/glasstty/session"
)

// StatusUnreachable is the status of a recorded session whose host does not answer. The session
// returns with its host.
const StatusUnreachable session.Status = "unreachable"

// A RecordedSession is a session whose host does not answer. Its facts come from its
// recording, so that the last activity is the last recorded one.
type RecordedSession struct {
	Host string
	Info session.Info // ID and Name do not contain the host
}

// entry returns the session's entry in a list.
func (r RecordedSession) entry() sessionEntry {
	e := newEntry(r.Info)
	e.ID, e.RecordedUntil = r.Host+hostSeparator+e.ID, e.LastActivity
	return e
}

// Looked returns the local ids of the sessions that a call names. ok is false unless the call
// only reads or deletes sessions. current reports whether a recording is not enough for the call,
// because the call waits for the sessions or deletes them.
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
	case c.Method == methodCallTool && (r.srv.tools[c.Tool].readOnly || deletes):
		args := map[string]json.RawMessage{}
		ok = json.Unmarshal(c.Args, &args) == nil
		ids = sessionsIn(args)
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

// A recording describes the recording that a call is answered from when the session's host does
// not answer.
type recording struct {
	note string // for the client
	away bool   // the host may come back, so that the state of the program is unknown
}

// recordingKey is the context key for a recording.
type recordingKey struct{}

// FromRecording returns the context of a call of a Remote for recorded sessions. The note
// follows the result as a status line. If away is true, the state of the programs is unknown,
// and a session shown as lost becomes unreachable.
func FromRecording(ctx context.Context, note string, away bool) context.Context {
	return context.WithValue(ctx, recordingKey{}, recording{note, away})
}

// recordingOf returns what FromRecording has set, or the zero value.
func recordingOf(ctx context.Context) recording {
	r, _ := ctx.Value(recordingKey{}).(recording)
	return r
}

// unreachable reports whether a session with a status is shown as unreachable.
func (r recording) unreachable(s session.Status) bool { return r.away && s == session.StatusLost }
