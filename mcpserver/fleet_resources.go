package mcpserver

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// methodChanged is the method by which a gateway waits until a resource of another host changes. MCP
// has no such method.
const methodChanged = "glasstty/changed"

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
	err := s.ask(ctx, host, s.remoteCall(ctx, req, methodReadResource, req.Params.URI), nil, res)
	switch {
	case errors.Is(err, errMissing):
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	case err != nil:
		return nil, err
	}
	if len(res.Contents) != 1 || res.Contents[0] == nil {
		return nil, rejected(host, "it has %d contents", len(res.Contents))
	}
	return s.contents(req, res.Contents[0].MIMEType, res.Contents[0].Text), nil
}

// hostsPage is the number of hosts that one page of resources/list covers.
const hostsPage = 64

// hostCursor is the prefix of the cursors of resources/list. The name of the last host on the
// previous page follows it.
const hostCursor = "after-host:"

// metaUnreachable is the key in the _meta of a resources/list result for the hosts that did
// not answer.
const metaUnreachable = "glasstty/unreachable"

// listRemote adds to list the resources of one page of other hosts. It begins with the first host
// whose name sorts after the name after.
func (s *Server) listRemote(ctx context.Context, req *mcp.ListResourcesRequest, after string, list *mcp.ListResourcesResult) error {
	hosts, err := s.otherHosts(ctx)
	if err != nil {
		return err
	}
	hosts = slices.DeleteFunc(hosts, func(name string) bool { return name <= after })
	if len(hosts) > hostsPage {
		hosts = hosts[:hostsPage]
		list.NextCursor = hostCursor + hosts[hostsPage-1]
	}
	lists, faults := s.listHosts(ctx, hosts, &mcp.CallToolRequest{
		Session: req.Session, Extra: req.Extra, Params: &mcp.CallToolParamsRaw{Meta: req.Params.Meta, Name: toolList},
	})
	var unanswered []string
	for i, name := range hosts {
		if faults[i] != nil {
			s.opt.Logger.Debug("fleet: resources", "host", name, "err", faults[i])
			unanswered = append(unanswered, name)
		}
		list.Resources = append(list.Resources, resourcesOf(name, lists[i])...)
	}
	if unanswered != nil {
		list.Meta = mcp.Meta{metaUnreachable: unanswered}
	}
	return nil
}

// otherHosts returns the sorted names of the other hosts that the client of ctx may use.
func (s *Server) otherHosts(ctx context.Context) ([]string, error) {
	hosts, err := s.opt.Fleet.Hosts(ctx, "")
	hosts = slices.DeleteFunc(hosts, func(name string) bool { return s.otherHost(name) == "" })
	slices.Sort(hosts)
	return hosts, err
}
