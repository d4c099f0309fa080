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
	// listTime is how long a host may take to list its sessions.
	listTime = 3 * time.Second
	// maxListing bounds the hosts that are asked at once, and maxListed those that one
	// call asks.
	maxListing = 64
	maxListed  = 1000
)

// A hostList is what one host answers.
type hostList struct {
	host   string // "" for this one
	result *mcp.CallToolResult
	why    string // it has not answered
	// Of a session of a host that is away: its entry, nil with a note alone.
	entry *sessionEntry
	note  string
}

// listAll lists the sessions of all hosts that are meant.
func (s *Server) listAll(ctx context.Context, call *mcp.CallToolRequest, args map[string]json.RawMessage, local mcp.ToolHandler) (*mcp.CallToolResult, error) {
	want, err := takeHost(args)
	if err != nil {
		return failed(ctx, err), nil
	}
	hosts, err := s.opt.Fleet.Hosts(want)
	hosts = slices.DeleteFunc(hosts, func(h Host) bool { return s.unlessHere(h.Name) != "" && !s.opt.Fleet.Allowed(ctx, h.Name) })
	switch {
	case err != nil:
		return failed(ctx, err), nil
	case len(hosts) > maxListed:
		return failed(ctx, fmt.Errorf("there are %d hosts, and one call asks %d; narrow it with host, as in host=build*", len(hosts), maxListed)), nil
	}
	lists := make([]hostList, len(hosts))
	var asking sync.WaitGroup
	slots := make(chan struct{}, maxListing)
	for i, h := range hosts {
		asking.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			lists[i] = s.listHost(ctx, h, withArgs(call, args), local)
		})
	}
	asking.Wait()
	asked := len(lists)
	lists, err = s.addRecorded(ctx, want, lists)
	switch {
	case err != nil && asked == 0:
		return failed(ctx, err), nil
	case err != nil:
		lists = append(lists, hostList{note: fmt.Sprintf("hosts that are away: %v", err)})
	case want != "" && len(lists) == 0:
		return failed(ctx, s.opt.Fleet.NoHost(ctx, want)), nil
	}
	return mergeLists(lists), nil
}

// listHost lists the sessions of one host.
func (s *Server) listHost(ctx context.Context, h Host, call *mcp.CallToolRequest, local mcp.ToolHandler) hostList {
	if s.unlessHere(h.Name) == "" {
		res, err := local(ctx, call)
		if err != nil {
			return hostList{why: fmt.Sprintf("this host: %v", err)}
		}
		return hostList{result: res}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, listTime, fmt.Errorf("host %s has not answered within %s", h.Name, brief(listTime)))
	defer cancel()
	res, err := s.forward(ctx, h.Name, call)
	switch {
	case err != nil:
		return hostList{host: h.Name, why: err.Error()}
	case res.IsError:
		return hostList{host: h.Name, why: ResultText(res)}
	}
	return hostList{host: h.Name, result: res}
}

// ResultText returns a result's text.
func ResultText(res *mcp.CallToolResult) string {
	var parts []string
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// fleetList is what list_sessions answers in a fleet.
type fleetList struct {
	Sessions    []json.RawMessage `json:"sessions"`
	Unreachable []string          `json:"unreachable,omitempty"` // hosts
}

// mergeLists makes one answer of those of all hosts.
func mergeLists(lists []hostList) *mcp.CallToolResult {
	out := fleetList{Sessions: []json.RawMessage{}}
	var text []string
	var parts []string
	asked := 0
	for _, l := range lists {
		if l.entry != nil {
			out.Sessions = append(out.Sessions, mustJSON(l.entry))
			text = append(text, l.note)
			continue
		}
		if l.note != "" {
			parts = append(parts, l.note)
			continue
		}
		asked++
		if l.result == nil {
			out.Unreachable = append(out.Unreachable, l.host)
			parts = append(parts, l.why)
			continue
		}
		var one fleetList
		if err := json.Unmarshal(mustJSON(l.result.StructuredContent), &one); err != nil {
			parts = append(parts, fmt.Sprintf("host %s: %v", l.host, err))
			continue
		}
		out.Sessions = append(out.Sessions, one.Sessions...)
		lines := strings.Split(ResultText(l.result), "\n")
		text = append(text, lines[:len(lines)-1]...) // the last is that host's status line
	}
	parts = append([]string{plural(len(out.Sessions), "session"), "hosts asked: " + fmt.Sprint(asked)}, parts...)
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: withStatus(bracket(parts), strings.Join(text, "\n"))}},
		StructuredContent: out,
	}
}
