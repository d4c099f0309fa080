package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// methodElicit is the method by which a client asks its user (MCP, "Elicitation").
const methodElicit = "elicitation/create"

// answerLimit is the time for a client's user to answer, if the client asked for progress and so
// waits for the call.
const answerLimit = 10 * time.Minute

// A userQuestion is a call's question to the client's user.
type userQuestion struct {
	limit      time.Duration // the time for the answer
	heldReason string        // describes the held input to the model; "" until the question is sent
}

// userQuestionKey is the context key for a call's *userQuestion.
type userQuestionKey struct{}

// errUnanswered reports that the client's user did not answer in time.
var errUnanswered = errors.New("not answered in time")

// reportUnanswered is the middleware that answers a call if the client could not ask its user or
// got no valid answer. The input stays held, and the model gets the reason.
func (s *Server) reportUnanswered(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		call, ok := req.(*mcp.CallToolRequest)
		if method != methodCallTool || !ok {
			return next(ctx, method, req)
		}
		q := &userQuestion{limit: s.opt.MaxBlock}
		if call.Params.GetProgressToken() != nil {
			q.limit = answerLimit
		}
		res, err := next(context.WithValue(ctx, userQuestionKey{}, q), method, req)
		if err == nil || q.heldReason == "" || ctx.Err() != nil {
			return res, err
		}
		why := "the client could not ask its user: " + unwrapped(err)
		if errors.Is(err, errUnanswered) {
			why = fmt.Sprintf("the client's user has not answered within %g s; ask for an answer before you send it again", q.limit.Seconds())
		}
		return errorTextResult(q.heldReason + "; " + why), nil
	}
}

// unwrapped returns the text of an SDK error about a question without the SDK's prefix.
func unwrapped(err error) string {
	text := err.Error()
	if _, after, ok := strings.Cut(text, fmt.Sprintf("%q: ", askID)); ok {
		return after
	}
	return text
}

// limitQuestions is the middleware that ends a question to the user after its time limit. The SDK
// then cancels the question at the client.
func (s *Server) limitQuestions(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		q, ok := ctx.Value(userQuestionKey{}).(*userQuestion)
		if method != methodElicit || !ok {
			return next(ctx, method, req)
		}
		limited, cancel := context.WithTimeout(ctx, q.limit)
		defer cancel()
		res, err := next(limited, method, req)
		if err != nil && limited.Err() != nil && ctx.Err() == nil {
			return nil, errUnanswered
		}
		return res, err
	}
}
