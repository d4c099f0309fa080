package mcpserver

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/session"
)

// uriScheme begins the URI of every resource: cli://SESSION/KIND.
const uriScheme = "cli://"

// A resourceKind is one view of a session that clients can attach.
type resourceKind struct {
	name string
	mime string
	doc  string
	read func(*session.Session) (string, error)
}

// resourceKinds are the kinds of resource, by the last part of their URI.
var resourceKinds = []resourceKind{
	{"history", "text/plain", "The inputs and outputs of the session as text.", readHistory},
	{"screen", "text/plain", "The session's screen as text, as it is now.", readScreen},
	{"recording", "application/x-asciicast", "The session as an asciicast v3 recording.", readRecording},
}

// addResources adds a template for each kind of resource.
func (s *Server) addResources() {
	for _, k := range resourceKinds {
		s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
			Name:        k.name,
			Description: k.doc,
			MIMEType:    k.mime,
			URITemplate: uriScheme + "{session_id}/" + k.name,
		}, s.readResource)
	}
	s.addHostTemplates()
}

// private keeps results out of caches that several users share (MCP 2026-07-28, caching).
func private(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" }

// resource returns the session and the kind of resource that a URI names.
func (s *Server) resource(uri string) (*session.Session, resourceKind, bool) {
	ref, kind, ok := splitURI(uri)
	if !ok {
		return nil, resourceKind{}, false
	}
	if s.opt.Fleet != nil {
		_, ref = s.hostOf(ref)
	}
	i := slices.IndexFunc(resourceKinds, func(k resourceKind) bool { return k.name == kind })
	if i < 0 {
		return nil, resourceKind{}, false
	}
	found, err := s.mgr.Session(ref)
	return found, resourceKinds[i], err == nil
}

func (s *Server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	if host := s.hostOfURI(req.Params.URI); host != "" {
		return s.readRemote(ctx, host, req)
	}
	found, kind, ok := s.resource(req.Params.URI)
	if !ok {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	text, err := kind.read(found)
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		contents(req.Params.URI, kind.mime, text),
	}}, nil
}

// contents returns a text as a resource. An empty text becomes an empty line, because the
// protocol requires a text and the SDK leaves out an empty one.
func contents(uri, mime, text string) *mcp.ResourceContents {
	return &mcp.ResourceContents{URI: uri, MIMEType: mime, Text: cmp.Or(text, "\n")}
}

func readHistory(s *session.Session) (string, error) {
	list, _, err := s.Messages("", session.MaxMessages+1)
	if err != nil {
		return "", err
	}
	ids := make([]string, len(list))
	for i, m := range list {
		ids[i] = m.ID
	}
	list, err = s.MessageTexts(ids)
	return historyText(list), err
}

func readScreen(s *session.Session) (string, error) {
	return s.Snapshot(0).Text(), nil
}

func readRecording(s *session.Session) (string, error) {
	var b strings.Builder
	r, err := s.Recording()
	if err == nil {
		err = r.Write(&b)
	}
	return b.String(), err
}

// listed is the middleware that adds the resources of all sessions to resources/list; the
// SDK knows only the templates.
func (s *Server) listed(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if after, ok := afterHost(req); ok && s.opt.Fleet != nil {
			list := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}}
			private(ctx, req, &list.Cacheable)
			return list, s.listRemote(ctx, req, after, list)
		}
		res, err := next(ctx, method, req)
		list, ok := res.(*mcp.ListResourcesResult)
		if err != nil || !ok {
			return res, err
		}
		for _, i := range s.mgr.List() {
			for _, k := range resourceKinds {
				list.Resources = append(list.Resources, &mcp.Resource{
					URI:         uriScheme + i.ID + "/" + k.name,
					Name:        i.ID + " " + k.name,
					Title:       i.Name + ": " + k.name,
					Description: k.doc,
					MIMEType:    k.mime,
				})
			}
		}
		if s.opt.Fleet != nil {
			err = s.listRemote(ctx, req, "", list)
		}
		return list, err
	}
}

// complete completes the session in a resource's URI, and in a prompt; in a fleet also the
// session's host.
func (s *Server) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	var values []string
	if req.Params.Argument.Name == "session_id" && (req.Params.Context == nil || req.Params.Context.Arguments["host"] == "") {
		values = s.completions(req.Params.Argument.Value)
	}
	if s.opt.Fleet != nil {
		more, err := s.completeRemote(ctx, req)
		if err != nil {
			return nil, err
		}
		values = append(values, more...)
	}
	out := mcp.CompletionResultDetails{Values: append([]string{}, values[:min(len(values), maxCompletions)]...)}
	out.HasMore = len(values) > maxCompletions
	return &mcp.CompleteResult{Completion: out}, nil
}

// completions returns the ids and names of sessions that begin with a text.
func (s *Server) completions(begin string) []string {
	var out []string
	for _, i := range s.mgr.List() {
		for _, v := range []string{i.ID, i.Name} {
			if strings.HasPrefix(v, begin) && len(out) <= maxCompletions {
				out = append(out, v)
			}
		}
	}
	return out
}

// maxCompletions is the most that MCP lets a completion hold.
const maxCompletions = 100
