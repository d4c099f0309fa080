package mcpserver

import "context"

const deleteSessionDoc = `Forget an ended session with its output, screen and messages, for good. For tidying up; a running one is an error: use terminate_process first (its delete true does both). Never blocks. Returns deleted.`

type deleteSessionArgs struct {
	SessionID string `json:"session_id" need:"true" doc:"id or name"`
}

type deleteResult struct {
	SessionID string `json:"session_id"`
	Deleted   bool   `json:"deleted"`
}

func deleteSession() tool {
	return newTool[deleteSessionArgs, deleteResult]("delete_session", deleteSessionDoc,
		hints{destructive: true}, handleDeleteSession)
}

func handleDeleteSession(_ context.Context, c *call, in *deleteSessionArgs) (*answer, error) {
	s, err := c.session(in.SessionID)
	if err != nil {
		return nil, err
	}
	if err := c.srv.mgr.Delete(s.ID()); err != nil {
		return nil, err
	}
	return &answer{text: bracket([]string{s.ID() + " deleted"}), data: deleteResult{SessionID: s.ID(), Deleted: true}}, nil
}
