package mcpserver

import (
	"context"
	"fmt"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session"
)

const terminateProcessDoc = `End a session's program and all its descendants: SIGTERM, or signal, then SIGKILL after grace_period. To interrupt only the command in front use send_keys ["ctrl+c"].
Blocks until all are gone; unsaved work is lost. Returns exit_code. Output stays readable until delete_session.`

// defaultGrace is package session's own; here it is the progress total.
const defaultGrace = 5 * time.Second

type terminateProcessArgs struct {
	SessionID   string   `json:"session_id" need:"true" doc:"id or name"`
	Force       bool     `json:"force" doc:"SIGKILL at once"`
	GracePeriod *float64 `json:"grace_period" min:"0" max:"60" doc:"seconds" default:"5"`
	Signal      string   `json:"signal" doc:"the first one" default:"SIGTERM"`
	Delete      bool     `json:"delete" doc:"then forget it"`
}

type terminateResult struct {
	SessionID  string `json:"session_id"`
	Status     string `json:"status" enum:"exited,lost"`
	IsAlive    bool   `json:"is_alive"`
	Reason     string `json:"reason" enum:"exited"`
	IsComplete bool   `json:"is_complete"`
	ExitCode   *int   `json:"exit_code,omitempty" doc:"left out of a lost one"`
	Deleted    bool   `json:"deleted,omitempty"`
}

func terminateProcess() tool {
	return newTool[terminateProcessArgs, terminateResult]("terminate_process", terminateProcessDoc,
		hints{destructive: true}, handleTerminateProcess)
}

func handleTerminateProcess(ctx context.Context, c *call, in *terminateProcessArgs) (*answer, error) {
	s, err := c.session(in.SessionID)
	if err != nil {
		return nil, err
	}
	if err := s.KeptFromTools(); err != nil {
		return nil, err
	}
	o := session.TerminateOptions{Force: in.Force, Signal: in.Signal}
	l := c.limit(in.GracePeriod, defaultGrace)
	if in.GracePeriod != nil {
		// Package session takes a zero Grace as not given.
		o.Grace = max(duration(*in.GracePeriod), time.Nanosecond)
	}
	b := c.beat(ctx, l)
	defer b.end()
	if _, err := s.Terminate(ctx, o); err != nil {
		return nil, err
	}
	info := s.Info()
	out := terminateResult{
		SessionID:  s.ID(),
		Status:     string(info.Status),
		Reason:     string(detect.Exited),
		IsComplete: true,
		ExitCode:   info.ExitCode,
	}
	ended := life(info.Status, info.ExitCode)
	parts := withEnd([]string{s.ID() + " " + ended}, s)
	if info.ExitCode == nil {
		parts = append(parts, "what it had left was ended; its exit code is not known")
	}
	if in.Delete {
		if err := c.srv.mgr.Delete(s.ID()); err != nil {
			return nil, fmt.Errorf("it has ended (%s), but could not be deleted: %w", ended, err)
		}
		out.Deleted = true
		parts = append(parts, "deleted")
	}
	return &answer{text: bracket(parts), data: out}, nil
}
