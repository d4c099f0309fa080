package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// hideSecrets is the middleware that hides secrets in the results of tools, in the titles of listed
// resources, in completions and in errors. In outputs and screens, where secrets may be wrapped or
// coloured, package session has hidden them already; hideSecrets hides the secrets in the rest of a
// result. In the texts of resources, the method contents hides them.
func (s *Server) hideSecrets(next mcp.MethodHandler) mcp.MethodHandler {
	if !s.mgr.HidesSecrets() {
		return next
	}
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if err != nil {
			return res, s.hideError(err)
		}
		switch r := res.(type) {
		case *mcp.CallToolResult:
			for _, c := range r.Content {
				if t, ok := c.(*mcp.TextContent); ok {
					t.Text = s.mgr.Hide(t.Text)
				}
			}
			r.StructuredContent = s.hideData(r.StructuredContent)
			for _, q := range r.InputRequests {
				if e, ok := q.(*mcp.ElicitParams); ok {
					e.Message = s.mgr.Hide(e.Message)
				}
			}
		case *mcp.ListResourcesResult:
			for _, resource := range r.Resources {
				resource.Title = s.mgr.Hide(resource.Title)
			}
		case *mcp.CompleteResult:
			for i, v := range r.Completion.Values {
				r.Completion.Values[i] = s.mgr.Hide(v)
			}
		}
		return res, nil
	}
}

// hideError hides secrets in the text of an error and keeps its code.
func (s *Server) hideError(err error) error {
	text := s.mgr.Hide(err.Error())
	if text == err.Error() {
		return err
	}
	var rpc *jsonrpc.Error
	if errors.As(err, &rpc) {
		return &jsonrpc.Error{Code: rpc.Code, Message: s.mgr.Hide(rpc.Message)}
	}
	return errors.New(text)
}

// hideData hides secrets in structured content. It decodes the strings first, because quotes and
// backslashes in them are escaped in JSON.
func (s *Server) hideData(data any) any {
	if data == nil {
		return nil
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(mustJSON(data)))
	d.UseNumber()
	if d.Decode(&tree) != nil {
		return data // cannot happen: the JSON is from mustJSON
	}
	return s.hideTree(tree)
}

// hideTree hides secrets in the strings of a JSON value.
func (s *Server) hideTree(v any) any {
	switch v := v.(type) {
	case string:
		return s.mgr.Hide(v)
	case []any:
		for i := range v {
			v[i] = s.hideTree(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = s.hideTree(v[k])
		}
	}
	return v
}
