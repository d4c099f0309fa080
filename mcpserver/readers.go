package mcpserver

import (
	"context"
	"fmt"
)

const registerReaderDoc = `Add an independent reader: a cursor of its own that starts at the oldest kept output. For several agents on one session, or to read all again; one agent alone needs only reader 0.
Never blocks. Returns reader_id for the waiting tools; free it with unregister_reader. A slow reader loses the oldest output, never blocks the program.`

const unregisterReaderDoc = `Remove a reader that register_reader added; its cursor is lost, the output stays. For when its agent is done; reader 0 stays. Never blocks. Returns its reader_id.`

type registerReaderArgs struct {
	SessionID string `json:"session_id" need:"true" doc:"id or name"`
}

type unregisterReaderArgs struct {
	SessionID string `json:"session_id" need:"true" doc:"id or name"`
	ReaderID  int    `json:"reader_id" need:"true" min:"1" doc:"from register_reader"`
}

type readerResult struct {
	SessionID string `json:"session_id"`
	ReaderID  int    `json:"reader_id"`
}

func registerReader() tool {
	return newTool[registerReaderArgs, readerResult]("register_reader", registerReaderDoc, hints{}, handleRegisterReader)
}

func unregisterReader() tool {
	return newTool[unregisterReaderArgs, readerResult]("unregister_reader", unregisterReaderDoc,
		hints{idempotent: true}, handleUnregisterReader)
}

func handleRegisterReader(ctx context.Context, c *call, in *registerReaderArgs) (*answer, error) {
	s, err := c.session(in.SessionID)
	if err != nil {
		return nil, err
	}
	id, err := s.AddReader(ctx)
	if err != nil {
		return nil, err
	}
	return &answer{
		text: bracket([]string{s.ID(), fmt.Sprintf("reader_id %d", id)}),
		data: readerResult{SessionID: s.ID(), ReaderID: id},
	}, nil
}

func handleUnregisterReader(ctx context.Context, c *call, in *unregisterReaderArgs) (*answer, error) {
	s, err := c.session(in.SessionID)
	if err != nil {
		return nil, err
	}
	if err := s.RemoveReader(ctx, in.ReaderID); err != nil {
		return nil, err
	}
	return &answer{
		text: bracket([]string{s.ID(), fmt.Sprintf("reader %d removed", in.ReaderID)}),
		data: readerResult{SessionID: s.ID(), ReaderID: in.ReaderID},
	}, nil
}
