package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session"
)

const terminateProcessDoc = `End the program of a session with all its descendants, by SIGTERM or signal and, after grace_period, SIGKILL. To interrupt only the foreground command use send_keys ["ctrl+c"].
Unsaved work is lost. It returns exit_code. The output stays readable until the session is deleted.`

// defaultGrace is the default grace period of package session. Here it is only the total that
// progress notifications report.
const defaultGrace = 5 * time.Second

type terminateProcessArgs struct {
	sessionRefs
	Force       bool     `json:"force" doc:"SIGKILL at once"`
	GracePeriod *float64 `json:"grace_period" min:"0" max:"60" doc:"seconds" default:"5"`
	Signal      string   `json:"signal" schema:"bare" doc:"sent first" default:"SIGTERM"`
	Delete      bool     `json:"delete" doc:"forget the session too"`
}

// terminateResult is the result for one session, or the list of results for several.
type terminateResult struct {
	*terminated
	Sessions []terminated `json:"sessions,omitempty" doc:"of session_ids: each"`
}

type terminated struct {
	SessionID  string `json:"session_id"`
	Status     string `json:"status" enum:"exited,lost"`
	IsAlive    bool   `json:"is_alive"`
	Reason     string `json:"reason" enum:"exited"`
	IsComplete bool   `json:"is_complete"`
	ExitCode   *int   `json:"exit_code,omitempty" doc:"not given if status is lost"`
	Deleted    bool   `json:"deleted,omitempty"`
}

func handleTerminateProcess(ctx context.Context, c *call, in *terminateProcessArgs) (*answer, error) {
	all, err := c.sessions(in.sessionRefs)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if err := s.CheckTools(); err != nil {
			return nil, err
		}
	}
	p := c.startProgress(ctx, c.limit(in.GracePeriod, defaultGrace))
	defer p.end()
	text := make([]string, len(all))
	results, err := mapConcurrently(all, func(i int, s *session.Session) (out terminated, err error) {
		out, text[i], err = c.terminate(ctx, s, in)
		return out, err
	})
	if err != nil {
		return nil, withOthers(text, err)
	}
	out := terminateResult{Sessions: results}
	if !in.several() {
		out = terminateResult{terminated: &results[0]}
	}
	return &answer{text: strings.Join(text, "\n"), data: out}, nil
}

// withOthers adds the results of the other sessions to an error about one session.
func withOthers(text []string, err error) error {
	text = slices.DeleteFunc(text, func(line string) bool { return line == "" })
	if len(text) == 0 {
		return err
	}
	return fmt.Errorf("%w; the others: %s", err, strings.Join(text, " "))
}

// terminate ends one session, and deletes it if asked to.
func (c *call) terminate(ctx context.Context, s *session.Session, in *terminateProcessArgs) (out terminated, text string, err error) {
	o := session.TerminateOptions{Force: in.Force, Signal: in.Signal}
	if in.GracePeriod != nil {
		// A zero Grace would mean the default.
		o.Grace = max(duration(*in.GracePeriod), time.Nanosecond)
	}
	if _, err := s.Terminate(ctx, o); err != nil {
		return out, "", err
	}
	info := s.Info()
	out = terminated{
		SessionID:  c.srv.ref(s.ID()),
		Status:     string(info.Status),
		Reason:     string(detect.Exited),
		IsComplete: true,
		ExitCode:   info.ExitCode,
	}
	ended := statusText(info.Status, info.ExitCode)
	parts := []string{
		out.SessionID + " " + ended, s.Facts().Ended,
		textIf(info.ExitCode == nil, "its remaining processes were ended; its exit code is unknown"),
	}
	if in.Delete {
		if err := c.srv.mgr.Delete(s.ID()); err != nil {
			return out, "", fmt.Errorf("%s has ended (%s), but could not be deleted: %w", out.SessionID, ended, err)
		}
		out.Deleted = true
		parts = append(parts, "deleted")
	}
	return out, bracket(parts), nil
}
