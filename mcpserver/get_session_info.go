package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/sandbox"
	"github.com/glasstty/glasstty/session"
)

const getSessionInfoDoc = `Describe one session: command, args, mode, status, exit code, pid, size, cwd, foreground, last command, readers, bytes in and out, terminal modes. Use it for more than list_sessions shows, read_output for output, and snapshot for the screen. It never waits and changes nothing.`

type getSessionInfoArgs struct {
	oneSession
}

type sessionInfo struct {
	sessionEntry
	Mode          string         `json:"mode" enum:"pty,pipe"`
	Rows          int            `json:"rows"`
	Cols          int            `json:"cols"`
	Cwd           string         `json:"cwd,omitempty"`
	LastCommand   *lastCommand   `json:"last_command,omitempty"`
	Readers       []int          `json:"readers"`
	BytesIn       int64          `json:"bytes_in,omitempty" doc:"typed into the program"`
	BytesOut      int64          `json:"bytes_out,omitempty" doc:"written by the program"`
	Modes         emulator.Modes `json:"modes,omitzero" doc:"terminal modes the program has set"`
	RecordingPath string         `json:"recording_path,omitempty"`
	Sandbox       *sandbox.State `json:"sandbox,omitempty" doc:"the program's permissions, when it has a sandbox"`
}

func handleGetSessionInfo(_ context.Context, c *call, s *session.Session, in *getSessionInfoArgs) (*answer, error) {
	i := s.Info()
	info := sessionInfo{
		sessionEntry: newEntry(i),
		Mode:         mode(i.Pipe),
		Rows:         i.Size.Rows,
		Cols:         i.Size.Cols,
		Cwd:          i.Cwd,
		LastCommand:  newLastCommand(i.LastCommand),
		Readers:      append([]int{}, i.Readers...),
		BytesIn:      i.BytesIn,
		BytesOut:     i.BytesOut,
		Modes:        i.Modes,
		Sandbox:      i.Sandbox,
	}
	info.ID = c.srv.ref(info.ID)
	if c.recording.note == "" {
		info.RecordingPath = s.RecordingPath()
	} else {
		info.RecordedUntil = info.LastActivity // without the path, which is that of a temporary copy
	}
	if c.recording.unreachable(session.Status(info.Status)) {
		info.Status, info.Reason = string(StatusUnreachable), "" // the reason would be that the program has ended
	}
	return &answer{text: infoText(info), data: info}, nil
}

func mode(pipe bool) string {
	if pipe {
		return "pipe"
	}
	return "pty"
}

// infoText renders i with one "name: value" per line.
func infoText(i sessionInfo) string {
	var b strings.Builder
	line := func(name string, value any) { fmt.Fprintf(&b, "%s: %v\n", name, value) }
	line("name", quoted(i.Name))
	line("command", i.Command)
	if len(i.Args) > 0 {
		line("args", string(mustJSON(i.Args)))
	}
	line("mode", i.Mode)
	if i.PID != 0 {
		line("pid", i.PID)
	}
	line("size", fmt.Sprintf("%d rows, %d cols", i.Rows, i.Cols))
	for _, f := range []struct{ name, value string }{
		{"title", quotedShort(i.Title)}, {"cwd", quotedShort(i.Cwd)}, {"foreground", quoted(i.Foreground)},
		{"last reason", i.Reason}, {"ended", i.Ended}, {"log", i.Log}, {"recording", i.RecordingPath},
	} {
		if f.value != "" {
			line(f.name, f.value)
		}
	}
	if l := i.LastCommand; l != nil {
		line("last command", fmt.Sprintf("%s exit %d, %v s, cwd %s", quoted(l.Text), l.ExitCode, l.Duration, l.Cwd))
	}
	if i.Sandbox != nil {
		line("sandbox", sandboxText(i.Sandbox))
	}
	line("readers", i.Readers)
	line("bytes", fmt.Sprintf("%d in, %d out", i.BytesIn, i.BytesOut))
	if i.Modes != (emulator.Modes{}) {
		line("modes", string(mustJSON(i.Modes)))
	}
	return withStatus(bracket([]string{i.ID + " " + statusText(session.Status(i.Status), i.ExitCode)}), b.String())
}

// sandboxText describes a sandbox in one line for the model.
func sandboxText(s *sandbox.State) string {
	text := string(s.Backend)
	if s.Strict {
		text += ", strict"
	}
	text += ", writes " + strings.Join(append(append([]string{}, s.Write...), "$TMPDIR"), " ") + ", network " + string(s.Network)
	if len(s.Ports) > 0 {
		text += " " + strings.Trim(fmt.Sprint(s.Ports), "[]")
	}
	if len(s.Missing) > 0 {
		text += "; not enforced: " + strings.Join(s.Missing, "; ")
	}
	if len(s.Withheld) > 0 {
		text += "; variables withheld: " + strings.Join(s.Withheld, " ")
	}
	return text
}
