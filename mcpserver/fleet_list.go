package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// listTime is the time limit for a host to list its sessions.
	listTime = 3 * time.Second
	// maxListed is the maximum number of hosts that one call asks.
	maxListed = 1000
)

// A fleetList is the result of list_sessions in a fleet.
type fleetList struct {
	sessionList
	Unreachable []string `json:"unreachable,omitempty"` // hosts that did not answer
}

// listAll lists the sessions of all hosts, or of those that match the argument host. For a host that
// does not answer, it lists the recorded sessions.
func (s *Server) listAll(ctx context.Context, call *mcp.CallToolRequest, args map[string]json.RawMessage) (*mcp.CallToolResult, error) {
	want, err := takeHost(args)
	if err != nil {
		return nil, err
	}
	if err := decodeArgs(mustJSON(args), new(listSessionsArgs)); err != nil {
		return nil, refuse("%w", err)
	}
	hosts, err := s.opt.Fleet.Hosts(ctx, want)
	switch {
	case err != nil:
		return nil, err
	case len(hosts) > maxListed:
		return nil, fmt.Errorf("there are %d hosts, and one call asks at most %d; narrow the list with host, as in host=build*", len(hosts), maxListed)
	}
	lists, faults := s.listHosts(ctx, hosts, withArgs(call, args))
	out := fleetList{sessionList: sessionList{Sessions: append([]sessionEntry{}, slices.Concat(lists...)...)}}
	var answered, notes []string
	for i, host := range hosts {
		if faults[i] == nil {
			answered = append(answered, host)
			continue
		}
		out.Unreachable = append(out.Unreachable, s.otherHost(host))
		notes = append(notes, faults[i].Error())
	}
	recorded, older, err := s.opt.Fleet.Recorded(ctx, want)
	recorded = slices.DeleteFunc(recorded, func(r RecordedSession) bool { return slices.Contains(answered, r.Host) })
	switch {
	case err != nil && len(hosts) == 0:
		return nil, err
	case err != nil:
		notes = append(notes, fmt.Sprintf("unreachable hosts: %v", err))
	case want != "" && len(hosts)+len(recorded) == 0:
		return nil, s.opt.Fleet.NoHost(ctx, want)
	case older > 0:
		notes = append(notes, fmt.Sprintf("%d older recorded sessions of unreachable hosts are not listed; narrow the list with host, or read one by its id", older))
	}
	for _, r := range recorded {
		out.Sessions = append(out.Sessions, r.entry())
	}
	status := append([]string{plural(len(out.Sessions), "session"), fmt.Sprintf("hosts asked: %d", len(hosts))}, notes...)
	return (&answer{text: withStatus(bracket(status), entryLines(out.Sessions)), data: out}).result(), nil
}

// listHosts lists the sessions of each host. faults has the errors of the hosts that did not answer.
func (s *Server) listHosts(ctx context.Context, hosts []string, call *mcp.CallToolRequest) (lists [][]sessionEntry, faults []error) {
	faults = make([]error, len(hosts))
	lists, _ = mapConcurrently(hosts, func(i int, host string) (list []sessionEntry, _ error) {
		list, faults[i] = s.listHost(ctx, host, call)
		return list, nil
	})
	return lists, faults
}

// listHost lists the sessions of one host.
func (s *Server) listHost(ctx context.Context, host string, call *mcp.CallToolRequest) ([]sessionEntry, error) {
	if s.otherHost(host) == "" {
		return s.entries(), nil
	}
	res, err := s.forwardWithin(ctx, listTime, host, call)
	switch {
	case err != nil:
		return nil, err
	case res.IsError:
		return nil, errors.New(ResultText(res))
	}
	var list sessionList
	if err := json.Unmarshal(mustJSON(res.StructuredContent), &list); err != nil {
		return nil, fmt.Errorf("host %s: %w", host, err)
	}
	for _, e := range list.Sessions { // checkAnswer ignores "ID", which encoding/json decodes like "id"
		if err := checkRef(host, e.ID); err != nil {
			return nil, err
		}
	}
	return list.Sessions, nil
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
