package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/glasstty/glasstty/internal/runes"
	"github.com/glasstty/glasstty/session"
)

const listSessionsDoc = `List all sessions, running and ended, with id, name, command, status, pid, title and times. Use it to find a session_id. It never waits and changes nothing.`

type listSessionsArgs struct{}

type sessionList struct {
	Sessions []sessionEntry `json:"sessions"`
}

type sessionEntry struct {
	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Command      string   `json:"command"`
	Args         []string `json:"args,omitempty"`
	Status       string   `json:"status" enum:"running,exited,lost,unreachable"`
	ExitCode     *int     `json:"exit_code,omitempty"`
	PID          int      `json:"pid,omitempty"`
	Foreground   string   `json:"foreground,omitempty" doc:"foreground process"`
	CreatedAt    float64  `json:"created_at" doc:"Unix seconds"`
	LastActivity float64  `json:"last_activity" doc:"Unix seconds"`
	Title        string   `json:"title,omitempty"`
	Reason       string   `json:"reason,omitempty" doc:"of the last wait"`
	Ended        string   `json:"ended,omitempty" doc:"why the server ended it"`
	Log          string   `json:"log,omitempty" doc:"the fault of its log"`
	// RecordedUntil is set when the host does not answer and its recording is read instead.
	RecordedUntil float64 `json:"recorded_until,omitempty" doc:"its host is away, and its recording goes so far, Unix seconds"`
}

func handleListSessions(_ context.Context, c *call, _ *listSessionsArgs) (*answer, error) {
	out := sessionList{Sessions: []sessionEntry{}}
	var lines []string
	all := c.srv.mgr.List()
	now := time.Now()
	for _, i := range all {
		i.ID = c.srv.ref(i.ID)
		out.Sessions = append(out.Sessions, newEntry(i))
		lines = append(lines, entryLine(i, now))
	}
	status := bracket([]string{plural(len(lines), "session")})
	if len(lines) == 0 {
		status = "[no sessions; start_process starts one]"
	}
	return &answer{text: withStatus(status, strings.Join(lines, "\n")), data: out}, nil
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

// entryLine describes a session in one line.
func entryLine(i session.Info, now time.Time) string {
	return joinParts([]string{
		i.ID + " " + statusText(i.Status, i.ExitCode), "name " + quoted(i.Name), commandLine(i),
		when(i.PID != 0, fmt.Sprintf("pid %d", i.PID)), named("foreground", i.Foreground), named("title", i.Title),
		string(i.LastReason), i.Ended, i.Log, "active " + brief(now.Sub(i.LastActivity)) + " ago",
	})
}

// maxCommandLine is the most bytes of a command line that are shown.
const maxCommandLine = 500

// commandLine joins the command and its arguments for people. It quotes words with blanks,
// quotes or unprintable characters. It cuts a long line; get_session_info shows all of it.
func commandLine(i session.Info) string {
	words := append([]string{i.Command}, i.Args...)
	for n, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\r\n\"'\\") || strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsPrint(r) }) {
			words[n] = quoted(w)
			if w == "" {
				words[n] = `""`
			}
		}
	}
	return runes.Clip(strings.Join(words, " "), maxCommandLine)
}

// unixSeconds returns t as Unix time in seconds, with millisecond resolution.
func unixSeconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
