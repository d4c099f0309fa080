package mcpserver

import (
	"context"
	"fmt"
)

const registerReaderDoc = `Add an independent reader, with a cursor of its own that starts at the oldest kept output. Use it when several agents read one session, or to read all again. One agent alone needs only reader 0.
It never waits. It returns reader_id for the waiting tools; free it with unregister_reader. A slow reader loses the oldest output and never blocks the program.`

const unregisterReaderDoc = `Remove a reader of register_reader. Its cursor is lost; the output stays. Use it when its agent is done. Reader 0 cannot be removed. It never waits. It returns the reader_id.`

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
