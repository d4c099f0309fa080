package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// methodElicit is the client's method that asks its user (MCP, "Elicitation").
const methodElicit = "elicitation/create"

// maxAsking is how long a client's user may take to answer when the client has asked for
// progress, and so waits for the call.
const maxAsking = 10 * time.Minute

// An asking is a question of a call to the client's user: its time limit, and the text that
// describes the held input to the model.
type asking struct {
	limit time.Duration
	held  string
}

// askingKey is the key of a call's asking in its context.
type askingKey struct{}

// errUnanswered is returned when the client's user has not answered in time.
var errUnanswered = errors.New("not answered in time")

// asked is the middleware that answers a call when the client could not ask its user, or got
// no valid answer: the input stays held, and the model gets the reason.
func (s *Server) asked(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		call, ok := req.(*mcp.CallToolRequest)
		if method != methodCallTool || !ok {
			return next(ctx, method, req)
		}
		a := &asking{limit: s.opt.MaxBlock}
		if call.Params.GetProgressToken() != nil {
			a.limit = maxAsking
		}
		res, err := next(context.WithValue(ctx, askingKey{}, a), method, req)
		if err == nil || a.held == "" || ctx.Err() != nil {
			return res, err
		}
		why := "the client could not ask its user: " + unwrapped(err)
		if errors.Is(err, errUnanswered) {
			why = fmt.Sprintf("the client's user has not answered within %g s; ask for an answer before you send it again", a.limit.Seconds())
		}
		return failure(valid(a.held + "; " + why)), nil
	}
}

// unwrapped returns the text of an SDK error about a question without the SDK's own context.
func unwrapped(err error) string {
	text := err.Error()
	if _, after, ok := strings.Cut(text, fmt.Sprintf("%q: ", askID)); ok {
		return after
	}
	return text
}

// bounded is the middleware that ends an unanswered question; the SDK then cancels it.
func (s *Server) bounded(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		a, ok := ctx.Value(askingKey{}).(*asking)
		if method != methodElicit || !ok {
			return next(ctx, method, req)
		}
		limited, cancel := context.WithTimeout(ctx, a.limit)
		defer cancel()
		res, err := next(limited, method, req)
		if err != nil && limited.Err() != nil && ctx.Err() == nil {
			return nil, errUnanswered
		}
		return res, err
	}
}
