package mcpserver

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// promptScreen is the name of the prompt that shows the model a session's screen. Clients offer
// prompts to their users as commands.
const promptScreen = "screen"

// addPrompts adds the prompts.
func (s *Server) addPrompts() {
	s.mcp.AddPrompt(&mcp.Prompt{
		Name:        promptScreen,
		Description: "Show the model what is on a terminal session's screen now.",
		Arguments:   []*mcp.PromptArgument{{Name: "session_id", Description: "id or name", Required: true}},
	}, s.screenPrompt)
}

// screenPrompt returns the messages of promptScreen.
func (s *Server) screenPrompt(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	ref := req.Params.Arguments["session_id"]
	res, err := s.readResource(ctx, &mcp.ReadResourceRequest{
		Session: req.Session, Extra: req.Extra, Params: &mcp.ReadResourceParams{Meta: req.Params.Meta, URI: uriScheme + ref + "/screen"},
	})
	if err != nil {
		return nil, err
	}
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
		{Role: "user", Content: &mcp.TextContent{Text: fmt.Sprintf("This is the screen of terminal session %s as it is now:", sanitize(ref))}},
		{Role: "user", Content: &mcp.EmbeddedResource{Resource: res.Contents[0]}},
	}}, nil
}
