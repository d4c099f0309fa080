package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// methodCallTool is the method that calls a tool.
const methodCallTool = "tools/call"

// recoverPanics is the middleware that answers a panic with an error, so that a bug in one tool
// does not end all sessions. It adds a protocol code to errors that lack one.
func (s *Server) recoverPanics(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			p := recover()
			if p == nil {
				if code := (*jsonrpc.Error)(nil); err != nil && !errors.As(err, &code) {
					err = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
				}
				return
			}
			s.opt.Logger.Error("panic", "method", method, "panic", p, "stack", string(debug.Stack()))
			res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error in " + method}
			if method == methodCallTool {
				res, err = errorTextResult("internal error; the sessions keep running: check with list_sessions, and please report the error"), nil
			}
		}()
		return next(ctx, method, req)
	}
}

// shapeResults is the middleware that removes structured content and output schemas for clients that
// should not get them.
func (s *Server) shapeResults(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if err != nil || s.structuredFor(req) {
			return res, err
		}
		switch r := res.(type) {
		case *mcp.ListToolsResult:
			r.Tools = withoutOutput(r.Tools)
		case *mcp.CallToolResult:
			r.StructuredContent = nil
		}
		return res, nil
	}
}

// withoutOutput returns copies of tools without output schemas. The SDK keeps the originals
// for other clients.
func withoutOutput(tools []*mcp.Tool) []*mcp.Tool {
	out := make([]*mcp.Tool, len(tools))
	for i, t := range tools {
		c := *t
		c.OutputSchema = nil
		out[i] = &c
	}
	return out
}

// textDroppingClients are the names of clients that pass only the JSON to their model if a result has
// both forms, as Claude Code 2.1.280 does.
var textDroppingClients = []string{"claude-code"}

// structuredFor reports whether the client of req gets structured content.
func (s *Server) structuredFor(req mcp.Request) bool {
	switch s.opt.Structured {
	case StructuredOn:
		return true
	case StructuredOff:
		return false
	}
	return !slices.Contains(textDroppingClients, strings.ToLower(clientInfo(req).Name))
}

// clientInfo returns the name and version that a request states for its client, or the zero value.
func clientInfo(req mcp.Request) mcp.Implementation {
	if r, ok := req.(interface{ ClientInfo() *mcp.Implementation }); ok {
		return *cmp.Or(r.ClientInfo(), new(mcp.Implementation))
	}
	return mcp.Implementation{}
}

// rejectUnknownTools is the middleware that answers calls of unknown tools with a protocol error.
// For a tool of another terminal server it returns a tool error instead, which the model sees.
func (s *Server) rejectUnknownTools(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		call, ok := req.(*mcp.CallToolRequest)
		if method != methodCallTool || !ok || slices.Contains(s.names, call.Params.Name) {
			return next(ctx, method, req)
		}
		name := clip(call.Params.Name)
		if ours, ok := ForeignTools[call.Params.Name]; ok {
			return errorTextResult(fmt.Sprintf("no tool %q here; use %s", name, ours)), nil
		}
		why := fmt.Sprintf("unknown tool %q", name)
		if slices.Contains(ToolNames(), call.Params.Name) {
			why = fmt.Sprintf("tool %q is not served: the server was started with a subset", name)
		}
		return nil, &jsonrpc.Error{
			Code:    jsonrpc.CodeInvalidParams,
			Message: why + "; the tools are " + strings.Join(s.names, ", "),
		}
	}
}
