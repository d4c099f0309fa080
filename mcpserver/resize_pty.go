package mcpserver

import (
	"context"
	"fmt"

	"github.com/glasstty/glasstty/session"
)

const resizePTYDoc = `Change the size of a session's terminal. The program gets SIGWINCH, and most redraw. Use it for wide tables and crowded screens; for more history use read_output. It fails in pipe mode.
It returns rows and cols. Look at the redrawn screen with snapshot.`

type resizePTYArgs struct {
	oneSession
	Rows int `json:"rows" min:"1" max:"1000" doc:"stays as it is when left out"`
	Cols int `json:"cols" min:"1" max:"1000" doc:"stays as it is when left out"`
}

type resizeResult struct {
	SessionID string `json:"session_id"`
	Rows      int    `json:"rows"`
	Cols      int    `json:"cols"`
}

func handleResizePTY(_ context.Context, c *call, s *session.Session, in *resizePTYArgs) (*answer, error) {
	if in.Rows == 0 && in.Cols == 0 {
		return nil, refuse(`give "rows", "cols" or both`)
	}
	if err := s.CheckTools(); err != nil {
		return nil, err
	}
	size, err := s.Resize(in.Rows, in.Cols)
	if err != nil {
		return nil, err
	}
	return &answer{
		text: bracket([]string{c.srv.ref(s.ID()), fmt.Sprintf("%d rows, %d cols", size.Rows, size.Cols)}),
		data: resizeResult{SessionID: c.srv.ref(s.ID()), Rows: size.Rows, Cols: size.Cols},
	}, nil
}
