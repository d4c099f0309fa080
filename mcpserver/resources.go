package mcpserver

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/session"
)

// uriScheme is the start of the URI of every resource: cli://SESSION/KIND.
const uriScheme = "cli://"

// A resourceKind is one view of a session that clients can read.
type resourceKind struct {
	name string // the last part of the URI
	mime string
	doc  string // the description, for the model
	read func(*session.Session) (string, error)
}

// resourceKinds are the kinds of resource.
var resourceKinds = []resourceKind{
	{"history", "text/plain", "The inputs and outputs of the session as text.", readHistory},
	{"screen", "text/plain", "The session's screen as text, as it is now.", func(s *session.Session) (string, error) { return s.Snapshot(0).Text(), nil }},
	{"recording", "application/x-asciicast", "The session as an asciicast v3 recording.", readRecording},
}

// addResources adds a template for each kind of resource. In a fleet, it adds another one for URIs in
// which the session's id begins with a host.
func (s *Server) addResources() {
	for _, k := range resourceKinds {
		t := mcp.ResourceTemplate{Name: k.name, Description: k.doc, MIMEType: k.mime, URITemplate: uriScheme + "{session_id}/" + k.name}
		s.mcp.AddResourceTemplate(&t, s.readResource)
		if s.opt.Fleet != nil || s.opt.host != "" {
			there := t
			there.Name, there.Description = "host "+k.name, strings.TrimSuffix(k.doc, ".")+", of a session on another host."
			there.URITemplate = uriScheme + "{host}/{session_id}/" + k.name
			s.mcp.AddResourceTemplate(&there, s.readResource)
		}
	}
}

// setPrivate keeps a result out of caches that several users share (MCP 2026-07-28, caching).
func setPrivate(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" }

// resource returns the session and the kind of resource that a URI names. If the session is on
// another host, it returns only that host. sess is nil if there is no such resource on this host.
func (s *Server) resource(uri string) (host string, sess *session.Session, kind resourceKind) {
	ref, name, ok := splitURI(uri)
	i := slices.IndexFunc(resourceKinds, func(k resourceKind) bool { return k.name == name })
	if !ok {
		return "", nil, kind
	}
	if host = s.hostOf(ref); host != "" || i < 0 {
		return host, nil, kind
	}
	sess, _ = s.session(ref) // nil if there is none
	return "", sess, resourceKinds[i]
}

func (s *Server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	host, sess, kind := s.resource(req.Params.URI)
	switch {
	case host != "":
		return s.readRemote(ctx, host, req)
	case sess == nil:
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	text, err := kind.read(sess)
	if err != nil {
		return nil, err
	}
	return s.contents(req, kind.mime, text), nil
}

// contents returns the result of reading a text resource, with secrets hidden. An empty text becomes
// an empty line, because the protocol requires the field text and the SDK omits an empty one.
func (s *Server) contents(req *mcp.ReadResourceRequest, mime, text string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: req.Params.URI, MIMEType: mime, Text: cmp.Or(s.mgr.Hide(text), "\n")},
	}}
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

func readRecording(s *session.Session) (string, error) {
	var b strings.Builder
	r, err := s.Recording()
	if err == nil {
		err = r.Recording().WriteCast(&b, 3)
	}
	return b.String(), err
}

// listSessionResources is the middleware that adds the resources of all sessions to resources/list,
// because only the templates are registered in the SDK's server.
func (s *Server) listSessionResources(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		q, ok := req.(*mcp.ListResourcesRequest)
		if !ok {
			return next(ctx, method, req)
		}
		q.Params = cmp.Or(q.Params, new(mcp.ListResourcesParams))
		if after, more := strings.CutPrefix(q.Params.Cursor, hostCursor); more && s.opt.Fleet != nil {
			list := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}}
			setPrivate(ctx, req, &list.Cacheable)
			return list, s.listRemote(ctx, q, after, list)
		}
		res, err := next(ctx, method, req)
		if err != nil {
			return nil, err
		}
		list := res.(*mcp.ListResourcesResult)
		list.Resources = append(list.Resources, resourcesOf("", s.entries())...)
		if s.opt.Fleet != nil {
			err = s.listRemote(ctx, q, "", list)
		}
		return list, err
	}
}

// resourcesOf returns the resources of a host's sessions.
func resourcesOf(host string, sessions []sessionEntry) []*mcp.Resource {
	var list []*mcp.Resource
	for _, e := range sessions {
		for _, k := range resourceKinds {
			list = append(list, &mcp.Resource{
				URI:         uriScheme + e.ID + "/" + k.name,
				Name:        e.ID + " " + k.name,
				Title:       textIf(host != "", host+hostSeparator) + e.Name + ": " + k.name,
				Description: k.doc,
				MIMEType:    k.mime,
			})
		}
	}
	return list
}

// complete completes the argument session_id of resource URIs and prompts with the ids and names of
// this host's sessions. If the client has chosen a host, there are no completions.
func (s *Server) complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	values := []string{}
	elsewhere := req.Params.Context != nil && req.Params.Context.Arguments["host"] != ""
	for _, i := range s.mgr.List() {
		for _, v := range []string{i.ID, i.Name} {
			if req.Params.Argument.Name == "session_id" && !elsewhere && strings.HasPrefix(v, req.Params.Argument.Value) {
				values = append(values, v)
			}
		}
	}
	shown := values[:min(len(values), maxCompletions)]
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: shown, HasMore: len(shown) < len(values)}}, nil
}

// maxCompletions is the maximum number of values that MCP allows in a completion.
const maxCompletions = 100
