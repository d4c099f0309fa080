package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/relay"
	"github.com/glasstty/glasstty/session"
)

// toolWait is the tool that may wait on sessions of several hosts.
const toolWait = "wait_for"

// hostGrace is the time for a host to answer after the timeout of a wait.
const hostGrace = 2 * time.Second

// A hostGroup lists the sessions of one host that a call names.
type hostGroup struct {
	host string // "" for this host
	ids  []string
}

// hostGroups groups the sessions that a call names by host. The hosts are in the order of their
// first session.
func (s *Server) hostGroups(args map[string]json.RawMessage) (groups []hostGroup) {
	for _, ref := range sessionsIn(args) {
		host := s.hostOf(ref)
		i := slices.IndexFunc(groups, func(g hostGroup) bool { return g.host == host })
		if i < 0 {
			i = len(groups)
			groups = append(groups, hostGroup{host: host})
		}
		groups[i].ids = append(groups[i].ids, ref)
	}
	return groups
}

// A hostsWait is a call of wait_for on sessions of several hosts. Each host waits for its own
// sessions; the hostsWait decides which session was done first.
type hostsWait struct {
	srv        *Server
	req        *mcp.CallToolRequest // a copy of the client's call, without MetaWaited
	in         *waitForArgs         // the decoded arguments
	args       map[string]json.RawMessage
	groups     []hostGroup
	local      mcp.ToolHandler // makes calls on this host
	limit      limit           // on the time of the whole call
	began      time.Time
	unanswered map[string]string // by name of a host: why the host did not answer
}

// waitHosts waits on sessions of several hosts.
func (s *Server) waitHosts(ctx context.Context, req *mcp.CallToolRequest, args map[string]json.RawMessage, groups []hostGroup, local mcp.ToolHandler) (*mcp.CallToolResult, error) {
	in := new(waitForArgs)
	if err := decodeArgs(req.Params.Arguments, in); err != nil || in.Since != nil {
		return local(ctx, req) // returns the error about the arguments
	}
	c := &call{srv: s, req: req}
	w := &hostsWait{srv: s, in: in, args: args, groups: groups, local: local, limit: c.limit(in.Timeout, waitTimeout), began: time.Now(), unanswered: map[string]string{}}
	w.req = withArgs(req, args)
	w.req.Params.Meta = maps.Clone(req.Params.Meta)
	delete(w.req.Params.Meta, relay.MetaWaited) // the time waited is already subtracted from w.limit
	p := c.startProgress(ctx, w.limit)
	defer p.end()
	p.setNote(0, fmt.Sprintf("waiting on %d hosts", len(groups)))
	if in.All {
		return w.all(ctx)
	}
	return w.first(ctx)
}

// ask makes the call on a host, with some arguments changed.
func (w *hostsWait) ask(ctx context.Context, host string, changed map[string]any) (*mcp.CallToolResult, error) {
	args := maps.Clone(w.args)
	delete(args, "session_ids")
	delete(args, "all")
	for key, value := range changed {
		args[key] = mustJSON(value)
	}
	if host == "" {
		return w.local(ctx, withArgs(w.req, args))
	}
	return w.srv.forwardWithin(ctx, w.limit.timeout+hostGrace, host, withArgs(w.req, args))
}

// askAll makes all hosts wait for their sessions and passes each result to take. change may change
// the arguments for a host. When take returns false, askAll cancels the other waits and returns. It
// records in w.unanswered why hosts did not answer, and returns an error if no host has answered. If
// the result of a host is an error of the tool, askAll returns this result as refusal.
func (w *hostsWait) askAll(ctx context.Context, change func(hostGroup, map[string]any), take func(group int, res *mcp.CallToolResult) bool) (refusal *mcp.CallToolResult, err error) {
	type answer struct {
		group int
		res   *mcp.CallToolResult
		err   error
	}
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan answer, len(w.groups))
	for i, g := range w.groups {
		go func() {
			args := map[string]any{"session_ids": g.ids, "timeout": w.limit.timeout.Seconds()}
			change(g, args)
			res, err := w.ask(asking, g.host, args)
			answers <- answer{i, res, err}
		}()
	}
	for range w.groups {
		a := <-answers
		switch host := w.groups[a.group].host; {
		case a.err != nil && ctx.Err() == nil && w.srv.isHost(ctx, host):
			w.unanswered[host] = a.err.Error()
		case a.err != nil:
			return nil, a.err
		case a.res.IsError:
			return a.res, nil
		case !take(a.group, a.res):
			return nil, nil
		}
	}
	if len(w.unanswered) == len(w.groups) {
		return nil, fmt.Errorf("no host has answered: %s", strings.Join(w.faults(), "; "))
	}
	return nil, nil
}

// isHost reports whether name is the name of another host that the client of ctx may use. The host
// may be unreachable.
func (s *Server) isHost(ctx context.Context, name string) bool {
	hosts, err := s.opt.Fleet.Hosts(ctx, name)
	return err == nil && slices.Contains(hosts, name)
}

// faults returns why hosts did not answer.
func (w *hostsWait) faults() []string { return slices.Sorted(maps.Values(w.unanswered)) }

// waitData is the part of a wait's answer that decides which session is first.
type waitData struct {
	SessionID string `json:"session_id"`
	Reason    string `json:"reason"`
	Revision  uint64 `json:"revision"`
}

// first waits until one session is done. During the waits, the output is read for a separate observer,
// so that it stays unread for the client. Another call then reads the output of the session that is done.
func (w *hostsWait) first(ctx context.Context) (*mcp.CallToolResult, error) {
	var first waitData
	at := len(w.groups) // the index of first's group
	look := session.WithObserver(ctx, session.Observer(ctx)+"/look")
	refusal, err := w.askAll(look, func(hostGroup, map[string]any) {}, func(group int, res *mcp.CallToolResult) bool {
		var data waitData
		err := json.Unmarshal(mustJSON(res.StructuredContent), &data)
		done := err == nil && data.Reason != string(detect.Timeout)
		if done || group < at { // if every wait times out, the first session in the call is used
			first, at = data, group
		}
		return !done
	})
	if refusal != nil || err != nil {
		return refusal, err
	}
	res, err := w.readFirst(ctx, w.groups[at].host, first)
	if err != nil || res.IsError {
		return res, err
	}
	return w.withNotes(res), nil
}

// readFirst makes another call for the session that first has chosen, and returns the answer. If the
// session was done, this call returns at once. If all waits have timed out, it returns after
// session.MinTimeout.
func (w *hostsWait) readFirst(ctx context.Context, host string, d waitData) (*mcp.CallToolResult, error) {
	changed := map[string]any{"session_id": d.SessionID, "timeout": session.MinTimeout.Seconds()}
	if d.Reason != string(detect.Timeout) {
		changed["timeout"] = max(w.limit.timeout-time.Since(w.began), session.MinTimeout).Seconds()
	}
	if d.Reason == string(detect.Changed) {
		changed["since"] = max(d.Revision, 1) - 1
	}
	return w.ask(ctx, host, changed)
}

// all waits until all sessions are done. The output limit is divided among the sessions.
func (w *hostsWait) all(ctx context.Context) (*mcp.CallToolResult, error) {
	n := 0
	for _, g := range w.groups {
		n += len(g.ids)
	}
	budget := cmp.Or(w.in.MaxOutputChars, w.srv.mgr.OutputLimit())
	results := make([]*mcp.CallToolResult, len(w.groups))
	refusal, err := w.askAll(ctx, func(g hostGroup, args map[string]any) {
		args["all"], args["max_output_chars"] = true, max(budget/n, 1)*len(g.ids)
	}, func(group int, res *mcp.CallToolResult) bool {
		results[group] = res
		return true
	})
	if refusal != nil || err != nil {
		return refusal, err
	}
	out := hostsAll{IsComplete: len(w.unanswered) == 0, Sessions: []json.RawMessage{}}
	var text []string
	for _, res := range results {
		if res == nil {
			continue
		}
		var one hostsAll
		if err := json.Unmarshal(mustJSON(res.StructuredContent), &one); err != nil {
			return nil, err
		}
		out.IsComplete = out.IsComplete && one.IsComplete
		out.Sessions = append(out.Sessions, one.Sessions...)
		text = append(text, ResultText(res))
	}
	return w.withNotes(&mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: strings.Join(text, "\n")}},
		StructuredContent: out,
	}), nil
}

// hostsAll is the result of a wait for all sessions of several hosts.
type hostsAll struct {
	IsComplete bool              `json:"is_complete"`
	Sessions   []json.RawMessage `json:"sessions"`
}

// withNotes adds the call's duration and the hosts that did not answer to a result.
func (w *hostsWait) withNotes(res *mcp.CallToolResult) *mcp.CallToolResult {
	data := map[string]any{}
	if err := json.Unmarshal(mustJSON(res.StructuredContent), &data); err != nil {
		return res // from a host of another version
	}
	took := time.Since(w.began)
	notes := append([]string{fmt.Sprintf("waited %s on %s", formatDuration(took), plural(len(w.groups), "host"))}, w.faults()...)
	if data["reason"] == string(detect.Timeout) && w.limit.capped {
		notes = append(notes, w.limit.note())
	}
	data["elapsed"] = seconds(took)
	if len(w.unanswered) > 0 {
		data["unreachable"] = slices.Sorted(maps.Keys(w.unanswered))
	}
	res.StructuredContent = data
	res.Content = []mcp.Content{&mcp.TextContent{Text: ResultText(res) + "\n" + bracket(notes)}}
	return res
}
