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
	if host := s.hostOf(ref); host != "" {
		return s.promptRemote(ctx, host, req)
	}
	sess, err := s.session(ref)
	if err != nil {
		return nil, err
	}
	info := sess.Info()
	info.ID = s.ref(info.ID)
	say := fmt.Sprintf("This is the screen of terminal session %s (%s, %s) as it is now:", info.ID, commandLine(info), statusText(info.Status, info.ExitCode))
	screen := contents(uriScheme+info.ID+"/screen", "text/plain", sess.Snapshot(0).Text())
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
		{Role: "user", Content: &mcp.TextContent{Text: say}},
		{Role: "user", Content: &mcp.EmbeddedResource{Resource: screen}},
	}}, nil
}
