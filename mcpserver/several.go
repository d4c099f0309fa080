package mcpserver

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/glasstty/glasstty/session"
)

// sessionRefs contains the arguments of tools that take one session or several.
type sessionRefs struct {
	SessionID  string   `json:"session_id" doc:"id or name"`
	SessionIDs []string `json:"session_ids" min:"1" max:"100" doc:"several, instead of session_id"`
}

// several reports whether the call gives a list of sessions. The list may have one element.
func (r *sessionRefs) several() bool { return r.SessionIDs != nil }

// sessions returns the sessions that the call names.
func (c *call) sessions(r sessionRefs) ([]*session.Session, error) {
	switch {
	case r.SessionID != "" && r.several():
		return nil, refuse(`give "session_id" or "session_ids", not both`)
	case r.SessionID == "" && !r.several():
		return nil, refuse(`argument "session_id" is missing, or "session_ids"; list_sessions shows them`)
	case !r.several():
		r.SessionIDs = []string{r.SessionID}
	}
	var all []*session.Session
	for i, ref := range r.SessionIDs {
		s, err := c.srv.session(ref)
		if err != nil {
			return nil, err
		}
		if slices.Contains(all, s) {
			return nil, refuse("argument \"session_ids[%d]\" names session %s a second time", i, s.ID())
		}
		all = append(all, s)
	}
	return all, nil
}

// mapConcurrently calls do for all items concurrently. It returns all results, and the error of the
// first item in the list that has one.
func mapConcurrently[S, T any](all []S, do func(i int, item S) (T, error)) ([]T, error) {
	out, errs := make([]T, len(all)), make([]error, len(all))
	var doing sync.WaitGroup
	for i, item := range all {
		doing.Go(func() { out[i], errs[i] = do(i, item) })
	}
	doing.Wait()
	for _, err := range errs {
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// waitAll waits until all sessions are done, and answers with the reply of each. The output
// limit is divided among the sessions.
func (c *call) waitAll(ctx context.Context, all []*session.Session, w session.Wait, l limit) (*answer, error) {
	if w.MaxOutputChars == 0 {
		w.MaxOutputChars = c.srv.mgr.OutputLimit()
	}
	w.MaxOutputChars = max(w.MaxOutputChars/len(all), 1)
	p := c.startProgress(ctx, l)
	defer p.end()
	contexts := make([]context.Context, len(all))
	for i := range all {
		contexts[i] = c.stepContext(ctx)
	}
	began := time.Now()
	replies, err := mapConcurrently(all, func(i int, s *session.Session) (*session.Reply, error) {
		return s.Exchange(contexts[i], session.Input{}, w, p.setNote)
	})
	if err != nil {
		return nil, err
	}
	out := waitedAll{IsComplete: true, Elapsed: seconds(time.Since(began))}
	text := ""
	for i, r := range replies {
		if r = c.clientReply(r, l); i > 0 {
			text += "\n"
		}
		text += replyText(r)
		out.Sessions = append(out.Sessions, newReply(r))
		out.IsComplete = out.IsComplete && r.Reason.Complete()
	}
	return &answer{text: text, data: out}, nil
}

// waitAny waits until one of several sessions is done, and answers with its reply.
func (c *call) waitAny(ctx context.Context, all []*session.Session, w session.Wait, l limit) (*answer, error) {
	p := c.startProgress(ctx, l)
	defer p.end()
	r, err := session.WaitAny(c.stepContext(ctx), all, w, p.setNote)
	if err != nil {
		return nil, err
	}
	return replyAnswer(c.clientReply(r, l), nil)
}
