package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// listTime is the time that a host has to list its sessions.
	listTime = 3 * time.Second
	// maxListing limits the hosts that are asked at the same time, and maxListed those that
	// are asked for one call.
	maxListing = 64
	maxListed  = 1000
)

// A hostList is the part of the list for one host.
type hostList struct {
	host     string // "" for this host
	sessions []json.RawMessage
	lines    []string // the text, one line per session
	why      string   // why the host did not answer; "" if it did
}

// listAll lists the sessions of all hosts, or of those that match the argument host.
func (s *Server) listAll(ctx context.Context, call *mcp.CallToolRequest, args map[string]json.RawMessage, local mcp.ToolHandler) (*mcp.CallToolResult, error) {
	want, err := takeHost(args)
	if err != nil {
		return failed(ctx, err), nil
	}
	hosts, err := s.opt.Fleet.Hosts(ctx, want)
	switch {
	case err != nil:
		return failed(ctx, err), nil
	case len(hosts) > maxListed:
		return failed(ctx, fmt.Errorf("there are %d hosts, and one call asks %d; narrow it with host, as in host=build*", len(hosts), maxListed)), nil
	}
	lists := make([]hostList, len(hosts))
	var asking sync.WaitGroup
	slots := make(chan struct{}, maxListing)
	for i, name := range hosts {
		asking.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			lists[i] = s.listHost(ctx, name, withArgs(call, args), local)
		})
	}
	asking.Wait()
	recorded, older, err := s.recorded(ctx, want, lists)
	var note []string
	switch {
	case err != nil && len(hosts) == 0:
		return failed(ctx, err), nil
	case err != nil:
		note = []string{fmt.Sprintf("hosts that are away: %v", err)}
	case want != "" && len(hosts)+len(recorded) == 0:
		return failed(ctx, s.opt.Fleet.NoHost(ctx, want)), nil
	case older > 0:
		note = []string{fmt.Sprintf("%d older recorded sessions of hosts that are away are not listed; narrow it with host, or read one by its id", older)}
	}
	return mergeLists(len(hosts), append(lists, recorded...), note), nil
}

// listHost lists the sessions of one host.
func (s *Server) listHost(ctx context.Context, name string, call *mcp.CallToolRequest, local mcp.ToolHandler) hostList {
	l := hostList{}
	ask := local
	if l.host = s.unlessHere(name); l.host != "" {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, listTime, fmt.Errorf("host %s has not answered within %s", name, brief(listTime)))
		defer cancel()
		ask = func(ctx context.Context, call *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.forward(ctx, name, call)
		}
	}
	res, err := ask(ctx, call)
	var list fleetList
	switch {
	case err != nil:
		l.why = fmt.Sprintf("host %s: %v", name, err)
	case res.IsError:
		l.why = ResultText(res)
	default:
		if err := json.Unmarshal(mustJSON(res.StructuredContent), &list); err != nil {
			l.why = fmt.Sprintf("host %s: %v", name, err)
			return l
		}
		l.sessions, l.lines = list.Sessions, strings.Split(ResultText(res), "\n")
		l.lines = l.lines[:len(l.lines)-1] // the last is that host's status line
	}
	return l
}

// ResultText returns the text of a result.
func ResultText(res *mcp.CallToolResult) string {
	var parts []string
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// fleetList is the result of list_sessions in a fleet.
type fleetList struct {
	Sessions    []json.RawMessage `json:"sessions"`
	Unreachable []string          `json:"unreachable,omitempty"` // hosts that did not answer
}

// mergeLists merges the lists of all hosts into one result.
func mergeLists(asked int, lists []hostList, note []string) *mcp.CallToolResult {
	out := fleetList{Sessions: []json.RawMessage{}}
	var text, parts []string
	for _, l := range lists {
		out.Sessions = append(out.Sessions, l.sessions...)
		text = append(text, l.lines...)
		if l.why != "" {
			out.Unreachable = append(out.Unreachable, l.host)
			parts = append(parts, l.why)
		}
	}
	parts = slices.Concat([]string{plural(len(out.Sessions), "session"), fmt.Sprintf("hosts asked: %d", asked)}, parts, note)
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: withStatus(bracket(parts), strings.Join(text, "\n"))}},
		StructuredContent: out,
	}
}
