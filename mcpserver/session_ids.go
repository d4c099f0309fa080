package mcpserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/glasstty/glasstty/session"
)

// sessionsIn returns the sessions that a call's arguments name.
func sessionsIn(args map[string]json.RawMessage) (refs []string) {
	var one string
	if json.Unmarshal(args["session_id"], &one) == nil {
		return []string{one}
	}
	if json.Unmarshal(args["session_ids"], &refs) != nil {
		return nil // the tool reports the error
	}
	return refs
}

// localID returns the id of a session without this host's name. In a fleet, ref may begin with the
// name; in a Remote, it must.
func (s *Server) localID(ref string) (string, error) {
	if f := s.opt.Fleet; f != nil && s.hostOf(ref) == "" {
		ref = strings.TrimPrefix(ref, f.Name()+hostSeparator)
	}
	if s.opt.host == "" {
		return ref, nil
	}
	if id, ok := strings.CutPrefix(ref, s.opt.host+hostSeparator); ok {
		return id, nil
	}
	return "", fmt.Errorf("%q is not a session of host %s; call list_sessions", clip(ref), s.opt.host)
}

// session returns the session with an id or name that a client gave.
func (s *Server) session(ref string) (*session.Session, error) {
	id, err := s.localID(ref)
	if err != nil {
		return nil, err
	}
	sess, err := s.mgr.Session(id)
	if errors.Is(err, session.ErrNoSession) {
		return nil, fmt.Errorf("no session %q; call list_sessions", s.ref(clip(id)))
	}
	return sess, err
}

// ref returns the id of a session for clients. In a Remote, it includes the host's name.
func (s *Server) ref(id string) string {
	if s.opt.host == "" {
		return id
	}
	return s.opt.host + hostSeparator + id
}

// ownIDs matches session ids in an error or a note. sessionID matches a text that is one id.
var (
	ownIDs    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^\[|\bsession(?:_id)? "?)(s[0-9]+[b-z]?)\b`) })
	sessionID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^s[0-9]+[b-z]?$`) })
)

// qualifyIDs applies ref to the session ids in an error or a note from package session.
func (s *Server) qualifyIDs(text string) string {
	if s.opt.host == "" {
		return text
	}
	return ownIDs().ReplaceAllString(text, "${1}"+s.ref("${2}"))
}

// qualifyReply returns a copy of r with ref applied to its session ids.
func (s *Server) qualifyReply(r *session.Reply) *session.Reply {
	out := *r
	out.SessionID, out.Notes = s.ref(r.SessionID), make([]string, len(r.Notes))
	for i, n := range r.Notes {
		out.Notes[i] = s.qualifyIDs(n)
	}
	return &out
}
