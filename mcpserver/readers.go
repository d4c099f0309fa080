package mcpserver

import (
	"context"
	"fmt"

	"github.com/glasstty/glasstty/session"
)

const registerReaderDoc = `Add an independent reader, with a cursor of its own that starts at the oldest kept output. Use it when several agents read one session, or to read all again. One agent alone needs only reader 0.
It never waits. It returns reader_id for the waiting tools; free it with unregister_reader. A slow reader loses the oldest output and never blocks the program.`

const unregisterReaderDoc = `Remove a reader that register_reader added. Its cursor is lost; the output stays. Use it when the reader's agent is done. Reader 0 cannot be removed. It never waits. It returns the reader_id.`

type registerReaderArgs struct {
	oneSession
}

type unregisterReaderArgs struct {
	oneSession
	ReaderID int `json:"reader_id" need:"true" min:"1" doc:"from register_reader"`
}

type readerResult struct {
	SessionID string `json:"session_id"`
	ReaderID  int    `json:"reader_id"`
}

func handleRegisterReader(ctx context.Context, c *call, s *session.Session, in *registerReaderArgs) (*answer, error) {
	id, err := s.AddReader(ctx)
	if err != nil {
		return nil, err
	}
	return &answer{
		text: bracket([]string{c.srv.ref(s.ID()), fmt.Sprintf("reader_id %d", id)}),
		data: readerResult{SessionID: c.srv.ref(s.ID()), ReaderID: id},
	}, nil
}

func handleUnregisterReader(ctx context.Context, c *call, s *session.Session, in *unregisterReaderArgs) (*answer, error) {
	if err := s.RemoveReader(ctx, in.ReaderID); err != nil {
		return nil, err
	}
	return &answer{
		text: bracket([]string{c.srv.ref(s.ID()), fmt.Sprintf("reader %d removed", in.ReaderID)}),
		data: readerResult{SessionID: c.srv.ref(s.ID()), ReaderID: in.ReaderID},
	}, nil
}
