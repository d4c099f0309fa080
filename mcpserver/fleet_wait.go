package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session"
)

// toolWait is the tool that may wait on sessions of several hosts.
const toolWait = "wait_for"

// hostGrace is how much longer than the timeout of a wait a host may take to answer.
const hostGrace = 2 * time.Second

// A hostGroup is the sessions of one host that a call names.
type hostGroup struct {
	host string // "" for this one
	ids  []string
}

// hostGroups returns the sessions that a call names in session_ids, by host, in the order
// in which it names the first of each.
func (s *Server) hostGroups(args map[string]json.RawMessage) []hostGroup {
	var all []string
	if args["session_id"] != nil || json.Unmarshal(args["session_ids"], &all) != nil {
		return nil
	}
	var groups []hostGroup
	for _, ref := range all {
		host, id := s.hostOf(ref)
		i := slices.IndexFunc(groups, func(g hostGroup) bool { return g.host == host })
		if i < 0 {
			i = len(groups)
			groups = append(groups, hostGroup{host: host})
		}
		groups[i].ids = append(groups[i].ids, id)
	}
	return groups
}

// A hostsWait is a call of wait_for on sessions of several hosts. Each host waits for its
// own; which of them is first is decided here.
type hostsWait struct {
	srv    *Server
	req    *mcp.CallToolRequest
	in     *waitForArgs
	args   map[string]json.RawMessage
	groups []hostGroup
	local  mcp.ToolHandler
	limit  limit
	began  time.Time
	away   []string // why hosts have not answered
	gone   []string // their names
}

// A hostAnswer is what a host answers to its part of a hostsWait.
type hostAnswer struct {
	group int
	res   *mcp.CallToolResult
	err   error
}

// waitHosts waits on sessions of several hosts.
func (s *Server) waitHosts(ctx context.Context, req *mcp.CallToolRequest, args map[string]json.RawMessage, groups []hostGroup, local mcp.ToolHandler) (*mcp.CallToolResult, error) {
	in := new(waitForArgs)
	if err := decodeArgs(req.Params.Arguments, in); err != nil || in.Since != nil {
		return local(ctx, req) // which says what is wrong
	}
	c := &call{srv: s, req: req}
	w := &hostsWait{srv: s, req: req, in: in, args: args, groups: groups, local: local, limit: c.limit(in.Timeout, waitTimeout), began: time.Now()}
	b := c.beat(ctx, w.limit)
	defer b.end()
	b.say(0, fmt.Sprintf("waiting on %d hosts", len(groups)))
	do := w.first
	if in.All {
		do = w.all
	}
	res, err := do(ctx)
	var refusal *hostRefusal
	switch {
	case errors.As(err, &refusal):
		return refusal.res, nil
	case err != nil:
		return failed(ctx, err), nil
	}
	return res, nil
}

// A hostRefusal is a host's answer that the call has failed there.
type hostRefusal struct{ res *mcp.CallToolResult }

// Error implements error.
func (r *hostRefusal) Error() string { return ResultText(r.res) }

// ask has a host make the call with some arguments changed.
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
	return w.srv.carry(ctx, host, withArgs(w.req, args), nil)
}

// askAll has all hosts wait for their sessions, and gives take their answers as they come,
// until it returns false. The waits of the others are cancelled then. Hosts that do not
// answer are noted.
func (w *hostsWait) askAll(ctx context.Context, change func(hostGroup, map[string]any), take func(hostAnswer) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan hostAnswer, len(w.groups))
	for i, g := range w.groups {
		go func() {
			args := map[string]any{"session_ids": g.ids, "timeout": w.limit.timeout.Seconds()}
			change(g, args)
			res, err := w.ask(ctx, g.host, args)
			answers <- hostAnswer{i, res, err}
		}()
	}
	late := time.NewTimer(w.limit.timeout + hostGrace)
	defer late.Stop()
	silent := make([]bool, len(w.groups))
	for i := range silent {
		silent[i] = true
	}
	for range w.groups {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-late.C:
			for i, g := range w.groups {
				if silent[i] {
					w.lost(g.host, fmt.Sprintf("host %s has not answered", g.host))
				}
			}
			return nil
		case a := <-answers:
			silent[a.group] = false
			host := w.groups[a.group].host
			switch {
			case a.err != nil && ctx.Err() == nil && w.srv.isHost(host) && w.srv.opt.Fleet.Allowed(ctx, host):
				w.lost(host, a.err.Error())
			case a.err != nil:
				return a.err
			case a.res.IsError:
				return &hostRefusal{a.res}
			case !take(a):
				return nil
			}
		}
	}
	return nil
}

// isHost reports whether a host is known, although it may not answer now.
func (s *Server) isHost(name string) bool {
	hosts, err := s.opt.Fleet.Hosts(name)
	return err == nil && slices.ContainsFunc(hosts, func(h Host) bool { return h.Name == name })
}

// lost notes that a host has not answered, and why.
func (w *hostsWait) lost(host, why string) {
	w.gone = append(w.gone, host)
	w.away = append(w.away, why)
}

// waitData is what of a wait's answer decides which is first.
type waitData struct {
	SessionID string `json:"session_id"`
	Reason    string `json:"reason"`
	Revision  uint64 `json:"revision"`
}

// first waits for the first session that is done. While the hosts wait nothing is taken
// from the readers of their sessions: the session that was first is asked once more.
func (w *hostsWait) first(ctx context.Context) (*mcp.CallToolResult, error) {
	found := make([]*waitData, len(w.groups))
	winner := -1
	look := session.WithObserver(ctx, session.Observer(ctx)+"/look")
	err := w.askAll(look, func(hostGroup, map[string]any) {}, func(a hostAnswer) bool {
		found[a.group] = new(waitData)
		if json.Unmarshal(mustJSON(a.res.StructuredContent), found[a.group]) == nil && found[a.group].Reason != string(detect.Timeout) {
			winner = a.group
		}
		return winner < 0
	})
	if err != nil {
		return nil, err
	}
	if winner < 0 { // the first of those that have answered says how it is
		winner = slices.IndexFunc(found, func(d *waitData) bool { return d != nil })
	}
	if winner < 0 {
		return nil, fmt.Errorf("no host has answered: %s", strings.Join(w.away, "; "))
	}
	res, err := w.take(ctx, w.groups[winner].host, *found[winner])
	if err != nil {
		return nil, err
	}
	return w.told(res), nil
}

// take makes the answer for the session that was first, whose wait is over.
func (w *hostsWait) take(ctx context.Context, host string, d waitData) (*mcp.CallToolResult, error) {
	changed := map[string]any{"session_id": d.SessionID, "timeout": session.MinTimeout.Seconds()}
	switch detect.Reason(d.Reason) {
	case detect.Timeout:
	case detect.Changed:
		changed["since"] = max(d.Revision, 1) - 1
		fallthrough
	default:
		changed["timeout"] = max(w.limit.timeout-time.Since(w.began), session.MinTimeout).Seconds()
	}
	res, err := w.ask(ctx, host, changed)
	if err == nil && res.IsError {
		err = &hostRefusal{res}
	}
	return res, err
}

// all waits until all sessions are done. The outputs share one budget.
func (w *hostsWait) all(ctx context.Context) (*mcp.CallToolResult, error) {
	n := 0
	for _, g := range w.groups {
		n += len(g.ids)
	}
	budget := cmp.Or(w.in.MaxOutputChars, w.srv.mgr.OutputLimit())
	results := make([]*mcp.CallToolResult, len(w.groups))
	err := w.askAll(ctx, func(g hostGroup, args map[string]any) {
		args["all"], args["max_output_chars"] = true, max(budget/n, 1)*len(g.ids)
	}, func(a hostAnswer) bool {
		results[a.group] = a.res
		return true
	})
	if err != nil {
		return nil, err
	}
	out := hostsAll{IsComplete: len(w.gone) == 0, Sessions: []json.RawMessage{}}
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
	if len(text) == 0 {
		return nil, fmt.Errorf("no host has answered: %s", strings.Join(w.away, "; "))
	}
	return w.told(&mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: strings.Join(text, "\n")}},
		StructuredContent: out,
	}), nil
}

// hostsAll is what a call answers that has waited for all sessions of several hosts.
type hostsAll struct {
	IsComplete bool              `json:"is_complete"`
	Sessions   []json.RawMessage `json:"sessions"`
}

// told adds to an answer how long the call took, and which hosts have not answered.
func (w *hostsWait) told(res *mcp.CallToolResult) *mcp.CallToolResult {
	data := map[string]any{}
	if err := json.Unmarshal(mustJSON(res.StructuredContent), &data); err != nil {
		return res // of another version: it is passed on as it is
	}
	took := time.Since(w.began)
	notes := append([]string{fmt.Sprintf("waited %s on %s", brief(took), plural(len(w.groups), "host"))}, w.away...)
	if data["reason"] == string(detect.Timeout) && w.limit.capped {
		notes = append(notes, w.limit.note())
	}
	data["elapsed"] = seconds(took)
	if len(w.gone) > 0 {
		data["unreachable"] = w.gone
	}
	res.StructuredContent = data
	res.Content = []mcp.Content{&mcp.TextContent{Text: ResultText(res) + "\n" + bracket(notes)}}
	return res
}
