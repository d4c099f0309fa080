package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/session"
)

// A remoteResult is the answer to a remoteCall with a Method.
type remoteResult struct {
	Result  json.RawMessage `json:"result,omitempty"`
	Error   string          `json:"error,omitempty"`
	Missing bool            `json:"missing,omitempty"` // there is no such resource
}

// answer answers a request that is no tool call.
func (r *Remote) answer(ctx context.Context, c remoteCall, progress func([]byte)) remoteResult {
	res, err := r.request(ctx, c, progress)
	switch {
	case errors.Is(err, errMissing):
		return remoteResult{Missing: true}
	case err != nil:
		return remoteResult{Error: r.named(sentence(ctx, err))}
	}
	return remoteResult{Result: mustJSON(res)}
}

// request makes a request.
func (r *Remote) request(ctx context.Context, c remoteCall, progress func([]byte)) (any, error) {
	key, done := r.begin(remoteTask{c, progress})
	defer done()
	meta := mcp.Meta{metaRemote: key}
	if c.Info != nil {
		meta[mcp.MetaKeyClientInfo] = c.Info
	}
	switch c.Method {
	case methodListResources:
		return r.list(ctx)
	case methodReadResource:
		return decoded(c, func(uri string) (any, error) {
			if _, err := r.resource(uri); err != nil {
				return nil, err
			}
			local, err := r.localURI(uri)
			if err != nil {
				return nil, err
			}
			return r.client.ReadResource(ctx, &mcp.ReadResourceParams{Meta: meta, URI: local})
		})
	case methodGetPrompt:
		return decoded(c, func(args map[string]string) (any, error) { return r.prompt(ctx, meta, args) })
	case methodComplete:
		return decoded(c, func(begin string) (any, error) {
			out := r.srv.completions(begin)
			for i, v := range out {
				out[i] = r.host + hostSeparator + v
			}
			return out, nil
		})
	case methodState:
		return decoded(c, func(uri string) (any, error) {
			found, err := r.resource(uri)
			if err != nil {
				return nil, err
			}
			return found.State(), nil
		})
	case methodWatch:
		return decoded(c, func(seen map[string]uint64) (any, error) { return true, r.watch(ctx, seen, progress) })
	}
	return nil, fmt.Errorf("host %s does not know the request %q; is the gateway's glasstty of another version?", r.host, clip(c.Method))
}

// decoded does something with the arguments of a request.
func decoded[T any](c remoteCall, do func(T) (any, error)) (any, error) {
	var args T
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, fmt.Errorf("the request %s cannot be read: %w", c.Method, err)
	}
	return do(args)
}

// noSession begins the error for a session that is not there, before its name.
const noSession = `no session "`

// named writes this host's name before the ids of sessions in an error, and before the name
// of a session that is not there.
func (r *Remote) named(text string) string {
	if after, ok := strings.CutPrefix(text, noSession); ok {
		return noSession + r.host + hostSeparator + after
	}
	return ownIDs().ReplaceAllString(text, "${1}"+r.host+hostSeparator+"${2}")
}

// localURI returns a resource's URI as it is on this host.
func (r *Remote) localURI(uri string) (string, error) {
	ref, kind, ok := splitURI(uri)
	id, ours := strings.CutPrefix(ref, r.host+hostSeparator)
	if !ok || !ours {
		return "", errMissing
	}
	return uriScheme + id + "/" + kind, nil
}

// resource returns the session of a resource.
func (r *Remote) resource(uri string) (*session.Session, error) {
	local, err := r.localURI(uri)
	if err != nil {
		return nil, err
	}
	found, _, ok := r.srv.resource(local)
	if !ok {
		return nil, errMissing
	}
	return found, nil
}

// list returns the resources of this host.
func (r *Remote) list(ctx context.Context) (any, error) {
	res, err := r.client.ListResources(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, one := range res.Resources {
		one.URI = uriScheme + r.host + hostSeparator + strings.TrimPrefix(one.URI, uriScheme)
		one.Name = r.host + hostSeparator + one.Name
		one.Title = r.host + hostSeparator + one.Title
	}
	return res, nil
}

// prompt returns the prompt that shows a session's screen.
func (r *Remote) prompt(ctx context.Context, meta mcp.Meta, args map[string]string) (any, error) {
	id, err := r.localID(args["session_id"])
	if err != nil {
		return nil, err
	}
	res, err := r.client.GetPrompt(ctx, &mcp.GetPromptParams{Meta: meta, Name: promptScreen, Arguments: map[string]string{"session_id": id}})
	if err != nil {
		return nil, err
	}
	for _, m := range res.Messages {
		switch c := m.Content.(type) {
		case *mcp.TextContent:
			c.Text = strings.Replace(c.Text, " session ", " session "+r.host+hostSeparator, 1)
		case *mcp.EmbeddedResource:
			c.Resource.URI = uriScheme + r.host + hostSeparator + strings.TrimPrefix(c.Resource.URI, uriScheme)
		}
	}
	return res, nil
}

const (
	// watchTime is how long a call may watch: one whose gateway has died ends then.
	watchTime = 5 * time.Minute
	// reportEvery is how often a call that watches reports at least, so that the
	// gateway finds out what was lost.
	reportEvery = 2 * time.Second
)

// A change is one of a resource that is watched.
type change struct {
	uri   string
	state uint64
	gone  bool
}

// watch reports changes of resources, which are given with the states that the gateway
// has seen: at most one message each notifyEvery, for all that has changed meanwhile.
func (r *Remote) watch(ctx context.Context, seen map[string]uint64, progress func([]byte)) error {
	if len(seen) > maxSubscriptions {
		return fmt.Errorf("%d resources are to be watched at once; at most %d can be", len(seen), maxSubscriptions)
	}
	ctx, cancel := context.WithTimeout(ctx, watchTime)
	defer cancel()
	changes := make(chan change)
	for uri, state := range seen {
		report := func(state uint64, gone bool) {
			select {
			case <-ctx.Done():
			case changes <- change{uri, state, gone}:
			}
		}
		if found, err := r.resource(uri); err == nil {
			go follow(ctx, found, state, report)
		} else {
			go report(state, true)
		}
	}
	news := watchNews{Changed: map[string]uint64{}}
	report := time.NewTimer(reportEvery)
	defer report.Stop()
	due := false // report stands for what has changed
	for last := time.Now(); ; {
		select {
		case <-ctx.Done():
			return nil
		case c := <-changes:
			if c.gone {
				news.Gone = append(news.Gone, c.uri)
			} else {
				news.Changed[c.uri] = c.state
			}
			if !due {
				due = true
				report.Reset(max(notifyEvery-time.Since(last), 0))
			}
		case <-report.C:
			news.Number++
			progress(mustJSON(news))
			news.Gone = nil
			clear(news.Changed)
			due, last = false, time.Now()
			report.Reset(reportEvery)
		}
	}
}
