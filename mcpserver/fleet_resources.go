package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The methods that are forwarded to another host. The glasstty methods are our own.
const (
	methodListResources = "resources/list"
	methodGetPrompt     = "prompts/get"
	methodComplete      = "completion/complete"
	methodState         = "glasstty/state"
	methodWatch         = "glasstty/watch-states"
)

// forwardMethod sends a request that is not a tool call to another host, and decodes the result
// into out.
func (s *Server) forwardMethod(ctx context.Context, host, method string, req mcp.Request, params, out any, progress func([]byte)) error {
	r := s.remoteCall(ctx, req)
	r.Method, r.Args = method, mustJSON(params)
	var res remoteResult
	err := s.callHost(ctx, host, r, progress, &res)
	switch {
	case err != nil:
		return err
	case res.Missing:
		return errMissing
	case res.Error != "":
		return errors.New(res.Error)
	}
	return decodeAnswer(host, res.Result, out)
}

// errMissing reports that a host does not have the resource that a URI names.
var errMissing = errors.New("no such resource")

// splitURI splits the URI of a resource into the session and the kind of resource. The slash
// between a host and its session may be written as %2F, as URI templates expand it.
func splitURI(uri string) (ref, kind string, ok bool) {
	rest, ours := strings.CutPrefix(uri, uriScheme)
	i := strings.LastIndex(rest, "/")
	if !ours || i < 0 {
		return "", "", false
	}
	ref, err := url.PathUnescape(rest[:i])
	return ref, rest[i+1:], err == nil
}

// readRemote reads a resource on another host.
func (s *Server) readRemote(ctx context.Context, host string, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	res := new(mcp.ReadResourceResult)
	err := s.forwardMethod(ctx, host, methodReadResource, req, req.Params.URI, res, nil)
	switch {
	case errors.Is(err, errMissing):
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	case err != nil:
		return nil, err
	}
	for _, c := range res.Contents {
		c.URI = req.Params.URI
	}
	return &mcp.ReadResourceResult{Contents: res.Contents}, nil
}

// hostsPage is the number of hosts that one page of resources/list covers.
const hostsPage = maxListing

// hostCursor is the prefix of the cursors of resources/list. The name of the last host of the
// page before follows it.
const hostCursor = "after-host:"

// afterHost returns the host after which the requested page of resources/list begins.
func afterHost(req mcp.Request) (host string, ok bool) {
	q, ok := req.(*mcp.ListResourcesRequest)
	if !ok || q.Params == nil {
		return "", false
	}
	return strings.CutPrefix(q.Params.Cursor, hostCursor)
}

// metaUnreachable is the key in the _meta of a resources/list result for the hosts that did
// not answer.
const metaUnreachable = "glasstty/unreachable"

// listRemote adds to list the resources of the other hosts whose names sort after the given
// one.
func (s *Server) listRemote(ctx context.Context, req mcp.Request, after string, list *mcp.ListResourcesResult) error {
	hosts, err := s.otherHosts(ctx)
	if err != nil {
		return err
	}
	hosts = slices.DeleteFunc(hosts, func(name string) bool { return name <= after })
	if len(hosts) > hostsPage {
		hosts = hosts[:hostsPage]
		list.NextCursor = hostCursor + hosts[hostsPage-1]
	}
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	pages, errs := make([]mcp.ListResourcesResult, len(hosts)), make([]error, len(hosts))
	var asking sync.WaitGroup
	for i, name := range hosts {
		asking.Go(func() { errs[i] = s.forwardMethod(ctx, name, methodListResources, req, nil, &pages[i], nil) })
	}
	asking.Wait()
	var silent []string
	for i, name := range hosts {
		for _, r := range pages[i].Resources {
			errs[i] = errors.Join(errs[i], checkURI(name, r.URI))
		}
		if errs[i] != nil {
			s.opt.Logger.Debug("fleet: resources", "host", name, "err", errs[i])
			silent = append(silent, name)
			continue
		}
		list.Resources = append(list.Resources, pages[i].Resources...)
	}
	if silent != nil {
		list.Meta = mcp.Meta{metaUnreachable: silent}
	}
	return nil
}

// completeRemote completes the name of another host or, once the host is given, a session
// there.
func (s *Server) completeRemote(ctx context.Context, req *mcp.CompleteRequest) ([]string, error) {
	value, given := req.Params.Argument.Value, ""
	if c := req.Params.Context; c != nil && c.Arguments["host"] != "" {
		given = c.Arguments["host"] + hostSeparator
	}
	host, begin, named := strings.Cut(given+value, hostSeparator)
	switch {
	case req.Params.Argument.Name == "host":
		return s.hostsWith(ctx, value, "")
	case !named:
		return s.hostsWith(ctx, value, hostSeparator)
	case s.unlessHere(host) == "" || !s.isHost(ctx, host):
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	var list, out []string
	err := s.forwardMethod(ctx, host, methodComplete, req, begin, &list, nil)
	for _, v := range list {
		if strings.HasPrefix(v, host+hostSeparator) {
			out = append(out, strings.TrimPrefix(v, given))
		}
	}
	return out, err
}

// hostsWith returns the other hosts whose names start with begin, and appends end to each.
func (s *Server) hostsWith(ctx context.Context, begin, end string) ([]string, error) {
	hosts, err := s.otherHosts(ctx)
	var out []string
	for _, name := range hosts {
		if strings.HasPrefix(name, begin) {
			out = append(out, name+end)
		}
	}
	return out, err
}

// otherHosts returns the sorted names of the other hosts that the client of ctx may use.
func (s *Server) otherHosts(ctx context.Context) ([]string, error) {
	hosts, err := s.opt.Fleet.Hosts(ctx, "")
	hosts = slices.DeleteFunc(hosts, func(name string) bool { return s.unlessHere(name) == "" })
	slices.Sort(hosts)
	return hosts, err
}

// promptRemote gets a prompt from another host.
func (s *Server) promptRemote(ctx context.Context, host string, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	res := new(mcp.GetPromptResult)
	if err := s.forwardMethod(ctx, host, methodGetPrompt, req, req.Params.Arguments, res, nil); err != nil {
		return nil, err
	}
	if err := checkPrompt(host, res); err != nil {
		return nil, err
	}
	return &mcp.GetPromptResult{Messages: res.Messages}, nil
}

// watchRemote returns Server.watch of another host.
func (s *Server) watchRemote(host string) func(context.Context, map[string]uint64, func(map[string]uint64)) error {
	return func(ctx context.Context, seen map[string]uint64, report func(map[string]uint64)) error {
		return s.forwardMethod(ctx, host, methodWatch, nil, seen, new(bool), func(data []byte) {
			var states map[string]uint64
			if err := json.Unmarshal(data, &states); err == nil {
				report(states)
			}
		})
	}
}
