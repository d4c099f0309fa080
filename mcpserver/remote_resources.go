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

// answer answers a request that is not a tool call.
func (r *Remote) answer(ctx context.Context, c remoteCall, progress func([]byte)) remoteResult {
	res, err := r.request(ctx, c, progress)
	switch {
	case errors.Is(err, errMissing):
		return remoteResult{Missing: true}
	case err != nil:
		return remoteResult{Error: r.srv.naming(sentence(ctx, err))}
	}
	return remoteResult{Result: mustJSON(res)}
}

// request makes a request that is not a tool call on this host.
func (r *Remote) request(ctx context.Context, c remoteCall, progress func([]byte)) (any, error) {
	switch c.Method {
	case methodListResources:
		return r.serve(ctx, c.Method, &mcp.ListResourcesRequest{Session: r.session, Params: &mcp.ListResourcesParams{}})
	case methodReadResource:
		return decoded(c, func(uri string) (any, error) {
			_, local, err := r.resource(uri)
			if err != nil {
				return nil, err
			}
			return r.serve(ctx, c.Method, &mcp.ReadResourceRequest{Session: r.session, Params: &mcp.ReadResourceParams{Meta: c.meta(), URI: local}})
		})
	case methodGetPrompt:
		return decoded(c, func(args map[string]string) (any, error) {
			id, err := r.localID(args["session_id"])
			if err != nil {
				return nil, err
			}
			return r.serve(ctx, c.Method, &mcp.GetPromptRequest{Session: r.session, Params: &mcp.GetPromptParams{
				Meta: c.meta(), Name: promptScreen, Arguments: map[string]string{"session_id": id}}})
		})
	case methodComplete:
		return decoded(c, func(begin string) (any, error) { return r.srv.completions(begin), nil })
	case methodState:
		return decoded(c, func(uri string) (any, error) {
			sess, _, err := r.resource(uri)
			if err != nil {
				return nil, err
			}
			return sess.State(), nil
		})
	case methodWatch:
		return decoded(c, func(seen map[string]uint64) (any, error) { return true, r.watch(ctx, seen, progress) })
	}
	return nil, fmt.Errorf("host %s does not know the request %q; is the gateway's glasstty of another version?", r.host, clip(c.Method))
}

// decoded calls do with the decoded arguments of a request.
func decoded[T any](c remoteCall, do func(T) (any, error)) (any, error) {
	var args T
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, fmt.Errorf("the request %s cannot be read: %w", c.Method, err)
	}
	return do(args)
}

// resource returns the session of a resource, and the resource's local URI, which does not
// name the host.
func (r *Remote) resource(uri string) (sess *session.Session, local string, err error) {
	ref, kind, ok := splitURI(uri)
	id, ours := strings.CutPrefix(ref, r.host+hostSeparator)
	local = uriScheme + id + "/" + kind
	if _, sess, _ = r.srv.resource(local); ok && ours && sess != nil {
		return sess, local, nil
	}
	return nil, "", errMissing
}

const (
	// watchTime limits the duration of a watch, so that it ends if its gateway has died.
	watchTime = 5 * time.Minute
	// reportEvery is the longest time between two reports of a watch. Reports without changes
	// let the gateway detect lost ones.
	reportEvery = 2 * time.Second
)

// A change is a change of one watched resource.
type change struct {
	uri   string
	state uint64
	gone  bool
}

// watch reports changes of resources until ctx ends or watchTime is over. seen maps their URIs
// to the states that the gateway knows. Changes are collected into at most one report per
// notifyEvery.
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
		if sess, _, err := r.resource(uri); err == nil {
			go follow(ctx, sess, state, report)
		} else {
			go report(state, true)
		}
	}
	news := watchNews{Changed: map[string]uint64{}}
	report := time.NewTimer(reportEvery)
	defer report.Stop()
	due := false // the timer is set to report a change
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
