package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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
			if _, sess, _ := r.srv.resource(uri); sess == nil {
				return nil, errMissing
			}
			return r.serve(ctx, c.Method, &mcp.ReadResourceRequest{Session: r.session, Params: &mcp.ReadResourceParams{Meta: c.meta(), URI: uri}})
		})
	case methodGetPrompt:
		return decoded(c, func(args map[string]string) (any, error) {
			return r.serve(ctx, c.Method, &mcp.GetPromptRequest{Session: r.session, Params: &mcp.GetPromptParams{Meta: c.meta(), Name: promptScreen, Arguments: args}})
		})
	case methodComplete:
		return decoded(c, func(begin string) (any, error) { return r.srv.completions(begin), nil })
	case methodState:
		return decoded(c, func(uri string) (any, error) {
			_, sess, _ := r.srv.resource(uri)
			return stateOf(sess), nil
		})
	case methodWatch:
		return decoded(c, func(seen map[string]uint64) (any, error) {
			ctx, cancel := context.WithTimeout(ctx, watchTime)
			defer cancel()
			return true, r.srv.watch(ctx, seen, func(states map[string]uint64) { progress(mustJSON(states)) })
		})
	}
	return nil, fmt.Errorf("host %s does not know the request %q; is the gateway's glasstty of another version?", r.srv.opt.host, clip(c.Method))
}

// decoded calls do with the decoded arguments of a request.
func decoded[T any](c remoteCall, do func(T) (any, error)) (any, error) {
	var args T
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, fmt.Errorf("the request %s cannot be read: %w", c.Method, err)
	}
	return do(args)
}

// watchTime limits the duration of a watch, so that it ends if its gateway has died.
const watchTime = 5 * time.Minute
