package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/runes"
	"github.com/glasstty/glasstty/internal/shellquote"
	"github.com/glasstty/glasstty/session"
)

const listSessionsDoc = `List all sessions, running and ended, with id, name, command, status, pid, title and times. Use it to find a session_id. It never waits and changes nothing.`

type listSessionsArgs struct{}

type sessionList struct {
	Sessions []sessionEntry `json:"sessions"`
}

type sessionEntry struct {
	ID            string   `json:"id"`
	Name          string   `json:"name"`
	Command       string   `json:"command"`
	Args          []string `json:"args,omitempty"`
	Status        string   `json:"status" enum:"running,exited,lost,unreachable"`
	ExitCode      *int     `json:"exit_code,omitempty"`
	PID           int      `json:"pid,omitempty"`
	Foreground    string   `json:"foreground,omitempty" doc:"foreground process"`
	CreatedAt     float64  `json:"created_at" doc:"Unix seconds"`
	LastActivity  float64  `json:"last_activity" doc:"Unix seconds"`
	Title         string   `json:"title,omitempty"`
	Reason        string   `json:"reason,omitempty" doc:"why the last wait returned"`
	Ended         string   `json:"ended,omitempty" doc:"why the server ended it"`
	Log           string   `json:"log,omitempty" doc:"what is wrong with the session's log"`
	RecordedUntil float64  `json:"recorded_until,omitempty" doc:"end of the recording, in Unix seconds; set when the host does not answer"`
}

func handleListSessions(_ context.Context, c *call, _ *listSessionsArgs) (*answer, error) {
	out := sessionList{Sessions: c.srv.entries()}
	status := bracket([]string{plural(len(out.Sessions), "session")})
	if len(out.Sessions) == 0 {
		status = "[no sessions; start_process starts one]"
	}
	return &answer{text: withStatus(status, entryLines(out.Sessions)), data: out}, nil
}

// entries returns the entries of this host's sessions.
func (s *Server) entries() []sessionEntry {
	entries := []sessionEntry{}
	for _, i := range s.mgr.List() {
		i.ID = s.ref(i.ID)
		entries = append(entries, newEntry(i))
	}
	return entries
}

func newEntry(i session.Info) sessionEntry {
	return sessionEntry{
		ID:           i.ID,
		Name:         i.Name,
		Command:      i.Command,
		Args:         i.Args,
		Status:       string(i.Status),
		ExitCode:     i.ExitCode,
		PID:          i.PID,
		Foreground:   i.Foreground,
		CreatedAt:    unixSeconds(i.CreatedAt),
		LastActivity: unixSeconds(i.LastActivity),
		Title:        i.Title,
		Reason:       string(i.LastReason),
		Ended:        i.Ended,
		Log:          i.Log,
	}
}

// entryLines describes each session in one line. It applies sanitize to each line, because other hosts
// have sent some of the entries and may have put any text into them.
func entryLines(entries []sessionEntry) string {
	now := time.Now()
	var b strings.Builder
	for _, e := range entries {
		idle := max(now.Sub(time.UnixMilli(int64(e.LastActivity*1000))), 0) // another host's clock may be ahead
		b.WriteString(sanitize(joinParts([]string{
			e.ID + " " + statusText(session.Status(e.Status), e.ExitCode), "name " + quoted(e.Name), runes.Clip(shellquote.Line(append([]string{e.Command}, e.Args...)...), maxCommandLine),
			textIf(e.PID != 0, fmt.Sprintf("pid %d", e.PID)), namedPart("foreground", e.Foreground), namedPart("title", e.Title),
			textIf(e.Reason != e.Status, e.Reason), e.Ended, e.Log, "active " + formatDuration(idle) + " ago", textIf(e.RecordedUntil > 0, "its recording can be read"),
		})) + "\n")
	}
	return b.String()
}

// maxCommandLine is the maximum number of bytes shown of a command line; get_session_info shows all
// of it.
const maxCommandLine = 500

// unixSeconds returns t as Unix time in seconds, with millisecond resolution.
func unixSeconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
