package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The methods that are forwarded to another host. The glasstty methods are our own.
const (
	methodListResources = "resources/list"
	methodGetPrompt     = "prompts/get"
	methodComplete      = "completion/complete"
	methodState         = "glasstty/state"
	methodWatch         = "glasstty/watch"
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
	value, inside := req.Params.Argument.Value, ""
	if c := req.Params.Context; c != nil {
		inside = c.Arguments["host"]
	}
	host, _, named := strings.Cut(value, hostSeparator)
	switch {
	case req.Params.Argument.Name == "host":
		return s.hostsWith(ctx, value, "")
	case inside != "" && s.unlessHere(inside) != "":
		list, err := s.completeOn(ctx, req, inside, value)
		for i, v := range list {
			list[i] = strings.TrimPrefix(v, inside+hostSeparator)
		}
		return list, err
	case named && s.isHost(ctx, host) && s.unlessHere(host) != "":
		return s.completeOn(ctx, req, host, strings.TrimPrefix(value, host+hostSeparator))
	case named:
		return nil, nil
	}
	return s.hostsWith(ctx, value, hostSeparator)
}

// completeOn completes a session on a host.
func (s *Server) completeOn(ctx context.Context, req *mcp.CompleteRequest, host, value string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	var out []string
	err := s.forwardMethod(ctx, host, methodComplete, req, value, &out, nil)
	return slices.DeleteFunc(out, func(v string) bool { return !strings.HasPrefix(v, host+hostSeparator) }), err
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

// watchPause is the time between two attempts to watch a host that does not answer.
const watchPause = 2 * time.Second

// A hostWatch follows all watched resources of one host with one call.
type hostWatch struct {
	cancel context.CancelFunc

	// Guarded by subscriptions' mu.
	seen  map[string]uint64 // last reported state of each watched URI
	renew func()            // ends the call under way, so that the next one includes all of seen
}

// watchNews is a host's report on the watched resources.
type watchNews struct {
	Number  int               `json:"n"` // of the report, from 1; a gap means that one was lost
	Changed map[string]uint64 `json:"changed,omitempty"`
	Gone    []string          `json:"gone,omitempty"`
}

// watchRemoteLocked starts to follow a resource on another host from the state seen.
func (s *Server) watchRemoteLocked(host, uri string, seen uint64) {
	w := s.subs.hosts[host]
	if w == nil {
		ctx, cancel := context.WithCancel(s.stopping)
		w = &hostWatch{seen: map[string]uint64{}, renew: func() {}, cancel: cancel}
		s.subs.hosts[host] = w
		go s.followHost(ctx, host, w)
	}
	w.seen[uri] = seen
	w.renew()
}

// unwatchRemoteLocked stops following a resource. It undoes watchRemoteLocked.
func (s *Server) unwatchRemoteLocked(host, uri string) {
	w := s.subs.hosts[host]
	if w == nil {
		return
	}
	delete(w.seen, uri)
	w.renew()
	if len(w.seen) == 0 {
		w.cancel()
		delete(s.subs.hosts, host)
	}
}

// followHost watches a host and passes its reports on, until ctx ends.
func (s *Server) followHost(ctx context.Context, host string, w *hostWatch) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		next := notifyEvery
		if err := s.watchOnce(ctx, host, w); err != nil {
			s.opt.Logger.Debug("fleet: watch", "host", host, "err", err)
			next = watchPause
		}
		pause.Reset(next)
	}
}

// watchOnce watches a host with one call. It returns nil when the call ended as planned.
func (s *Server) watchOnce(ctx context.Context, host string, w *hostWatch) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.subs.mu.Lock()
	seen := maps.Clone(w.seen)
	w.renew = cancel
	s.subs.mu.Unlock()
	last := 0
	err := s.forwardMethod(ctx, host, methodWatch, nil, seen, new(bool), func(data []byte) {
		var news watchNews
		if err := json.Unmarshal(data, &news); err != nil || news.Number != last+1 {
			cancel() // the next call reports the lost changes again
			return
		}
		last++
		s.pass(ctx, w, news)
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// pass notifies clients of the changes in a host's report. It ignores resources that are not
// watched.
func (s *Server) pass(ctx context.Context, w *hostWatch, news watchNews) {
	s.subs.mu.Lock()
	others := func(uri string) bool { _, ok := w.seen[uri]; return !ok }
	maps.DeleteFunc(news.Changed, func(uri string, _ uint64) bool { return others(uri) })
	news.Gone = slices.DeleteFunc(news.Gone, others)
	maps.Copy(w.seen, news.Changed)
	s.subs.mu.Unlock()
	for _, uri := range append(slices.Sorted(maps.Keys(news.Changed)), news.Gone...) {
		s.updated(ctx, uri)
	}
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	for _, uri := range news.Gone {
		s.subs.goneLocked(uri)
	}
}
