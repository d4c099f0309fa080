package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/session"
)

// The verdicts on a call in the audit log.
const (
	verdictAllowed   = "allowed"
	verdictHeld      = "held"      // by the danger check
	verdictAsked     = "asked"     // the client's user was asked; another call has the answer
	verdictConfirmed = "confirmed" // held input was confirmed
	verdictRefused   = "refused"   // by a rule, a person or a check of the arguments
	verdictLimited   = "limited"   // by a limit of the server, for example on the rate of typing
	verdictFailed    = "failed"    // for any other reason
)

// methodReadResource is the method that reads a resource. It is logged like a tool call, because it
// also shows sessions.
const methodReadResource = "resources/read"

// An outcome describes how a tool call ended. The result does not contain these facts.
type outcome struct {
	err       error
	confirmed bool // the call confirmed held input
}

// outcomeKey is the context key for the *outcome.
type outcomeKey struct{}

// setOutcome sets the outcome of a call for the audit log.
func setOutcome(ctx context.Context, err error, confirmed bool) {
	if o, ok := ctx.Value(outcomeKey{}).(*outcome); ok {
		o.err, o.confirmed = err, confirmed
	}
}

// auditCalls is the middleware that logs each call twice: before it is made, and afterwards with the
// outcome. If a required log cannot be written, the call is not made. A successful read-only call,
// or read of a resource or a prompt, is logged only before.
func (s *Server) auditCalls(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if s.opt.Audit == nil {
			return next(ctx, method, req)
		}
		r, ok := recordOf(method, req)
		if !ok {
			return next(ctx, method, req)
		}
		if named, err := s.session(r.Session); err == nil {
			r.Session = named.ID()
		}
		r.Actor = s.actor(ctx, req)
		seq, err := s.opt.Audit.Write(ctx, r)
		if err != nil && method == methodCallTool {
			return errorResult(ctx, err), nil
		}
		if err != nil {
			return nil, err
		}
		r.Call = seq
		o := new(outcome)
		start := time.Now()
		res, err := next(context.WithValue(audit.WithActor(ctx, r.Actor), outcomeKey{}, o), method, req)
		done := audit.Record{Event: r.Event + ".done", Actor: r.Actor, Tool: r.Tool, Session: r.Session, Millis: time.Since(start).Milliseconds()}
		o.setVerdict(&done, res, err)
		if done.Verdict == verdictAllowed && (r.Tool == "" || s.tools[r.Tool].readOnly) {
			return res, err
		}
		// The call is done, so an error is ignored. As long as a required log cannot be written, the
		// next calls are refused.
		_, _ = s.opt.Audit.Write(ctx, done)
		return res, err
	}
}

// recordOf returns the record to write before a request; ok is false if the request is not
// logged.
func recordOf(method string, req mcp.Request) (r audit.Record, ok bool) {
	switch q := req.(type) {
	case *mcp.CallToolRequest:
		r = audit.Record{Event: "call", Tool: q.Params.Name, Args: auditArgs(q.Params.Name, q.Params.Arguments)}
		r.Session, _ = r.Args["session_id"].(string)
		delete(r.Args, "session_id")
		return r, true
	case *mcp.ReadResourceRequest:
		return audit.Record{Event: "read", Args: map[string]any{"uri": q.Params.URI}}, method == methodReadResource
	case *mcp.GetPromptRequest:
		return audit.Record{Event: "prompt", Session: q.Params.Arguments["session_id"], Args: map[string]any{"name": q.Params.Name}}, true
	}
	return r, false
}

// typedArgs are the arguments left out of the record of a call: typed text, for which package session
// writes other records, and values that may be secret.
var typedArgs = []string{"text", "keys", "input", "env"}

// auditArgs returns the arguments of a call without typedArgs. For arguments that the tool does not have, it
// returns only the names: a wrong name may have typed text. For invalid JSON, it returns only the length.
func auditArgs(name string, raw json.RawMessage) map[string]any {
	args := map[string]any{}
	if err := json.Unmarshal(raw, &args); err != nil {
		return map[string]any{"unreadable": len(raw)}
	}
	known := []string{"host"} // see hostDescriptions
	for _, t := range allTools() {
		if t.name == name {
			known = append(known, namesOf(t.in)...)
		}
	}
	removeUnlogged(args, known)
	if list, ok := args["steps"].([]any); ok {
		for i, item := range list {
			st, _ := item.(map[string]any) // the tool refuses other items
			removeUnlogged(st, namesOf(reflect.TypeFor[stepArgs]()))
			list[i] = st
		}
	}
	return args
}

// removeUnlogged removes from args the arguments whose values are not logged. Under the key
// "unknown" it adds the names of arguments that are not in known.
func removeUnlogged(args map[string]any, known []string) {
	var unknown []string
	for name := range args {
		switch {
		case !slices.Contains(known, name):
			unknown = append(unknown, clip(name))
			delete(args, name)
		case slices.Contains(typedArgs, name):
			delete(args, name)
		}
	}
	if unknown != nil {
		slices.Sort(unknown)
		args["unknown"] = unknown
	}
}

// actor returns the sender of a request, as the transport identifies it, with the client's name and
// version from the request.
func (s *Server) actor(ctx context.Context, req mcp.Request) audit.Actor {
	a := audit.ActorOf(ctx)
	a.Client = cmp.Or(clientTitle(req), a.Client)
	return a
}

// clientTitle returns the name and version in clientInfo as text, or "".
func clientTitle(req mcp.Request) string {
	info := clientInfo(req)
	return strings.TrimSpace(info.Name + " " + info.Version)
}

// setVerdict sets the verdict on a call, and the reason, in r.
func (o *outcome) setVerdict(r *audit.Record, res mcp.Result, err error) {
	if o.err == nil {
		o.err = err
	}
	result, _ := res.(*mcp.CallToolResult)
	var held *session.HeldError
	var ask *askError
	r.Verdict = verdictAllowed
	switch {
	case errors.As(o.err, &held):
		r.Verdict, r.Why = verdictHeld, "the danger check found: "+rulesOf(held)
		r.SetInput(held.Input, false)
		if result != nil && len(result.InputRequests) > 0 {
			r.Verdict = verdictAsked
		}
	case errors.As(o.err, &ask):
		r.Verdict, r.Why = verdictAsked, "the model confirms input; its client's user is asked"
	case o.err != nil:
		// Errors quote arguments, and an argument may be a password in the wrong place.
		r.Verdict, r.Why = verdictOf(o.err), quotes().ReplaceAllString(o.err.Error(), `"…"`)
	case result != nil && result.IsError:
		r.Verdict = verdictFailed
	case o.confirmed:
		r.Verdict = verdictConfirmed
	}
}

// quotes matches the quoted parts of an error.
var quotes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:[^"\\]|\\.)*"?`) })

// rulesOf lists the rules of the danger check because of which an input is held. The record of the
// input has their findings.
func rulesOf(held *session.HeldError) string {
	var ids []string
	for _, f := range held.Findings {
		if !slices.Contains(ids, f.Rule) {
			ids = append(ids, f.Rule)
		}
	}
	return strings.Join(ids, ", ")
}
