package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/glasstty/glasstty/session"
)

// StatusUnreachable is the status of a recorded session whose host does not answer. The session can
// be used again when the host answers.
const StatusUnreachable session.Status = "unreachable"

// A RecordedSession is a session whose host does not answer. Info comes from its recording:
// LastActivity is the last recorded activity.
type RecordedSession struct {
	Host string       // the host's name in the fleet
	Info session.Info // ID and Name do not contain the host
}

// entry returns the session's entry in a list.
func (r RecordedSession) entry() sessionEntry {
	e := newEntry(r.Info)
	e.ID, e.RecordedUntil = r.Host+hostSeparator+e.ID, e.LastActivity
	return e
}

// Targets returns the local ids of the sessions that a call names. It returns none if the call does
// more than read or delete sessions, because recordings cannot answer such a call. If onlyIfLost is
// true, the call waits for sessions or deletes them, and recordings can answer it only if the host is lost.
func (r *Remote) Targets(body []byte) (ids []string, onlyIfLost bool) {
	var c remoteCall
	if json.Unmarshal(body, &c) != nil {
		return nil, false
	}
	switch {
	case c.Method == methodReadResource:
		var uri string
		if json.Unmarshal(c.Args, &uri) == nil {
			if ref, _, ok := splitURI(uri); ok {
				ids = []string{ref}
			}
		}
	case c.Method == methodCallTool && (r.srv.tools[c.Tool].readOnly || c.Tool == toolDelete):
		args := map[string]json.RawMessage{}
		if json.Unmarshal(c.Args, &args) == nil {
			ids = sessionsIn(args)
		}
	}
	for i, ref := range ids {
		id, err := r.srv.localID(ref)
		if err != nil {
			return nil, false
		}
		ids[i] = id
	}
	return ids, c.Tool == toolDelete || c.Tool == toolWait
}

// A recording describes the recording from which a call is answered, because the session's host does
// not answer.
type recording struct {
	note      string // for the client
	mayReturn bool   // the host may come back, and its programs may still run
}

// recordingKey is the context key for a recording.
type recordingKey struct{}

// WithRecording returns the context in which a Remote answers a call from recordings. The note
// follows the result as a status line. mayReturn reports whether the host may come back. If so, its
// programs may still run, and sessions with the status lost are shown as unreachable.
func WithRecording(ctx context.Context, note string, mayReturn bool) context.Context {
	return context.WithValue(ctx, recordingKey{}, recording{note, mayReturn})
}

// recordingOf returns the recording that WithRecording has set, or the zero value.
func recordingOf(ctx context.Context) recording {
	r, _ := ctx.Value(recordingKey{}).(recording)
	return r
}

// unreachable reports whether a session with a status is shown as unreachable.
func (r recording) unreachable(s session.Status) bool { return r.mayReturn && s == session.StatusLost }
