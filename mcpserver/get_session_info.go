package mcpserver

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/runes"
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

// maxInfoValue is the maximum length of a value in the text of an answer, in bytes. The data has
// the whole value.
const maxInfoValue = 600

// infoText renders the fields of i that are set, one "name: value" per line.
func infoText(i sessionInfo) string {
	var b strings.Builder
	v := reflect.ValueOf(i)
	for _, f := range fieldsOf(v.Type()) {
		if value := v.FieldByIndex(f.Index); !value.IsZero() {
			fmt.Fprintf(&b, "%s: %s\n", f.name, sanitize(runes.Clip(string(mustJSON(value.Interface())), maxInfoValue)))
		}
	}
	return withStatus(bracket([]string{i.ID + " " + statusText(session.Status(i.Status), i.ExitCode)}), b.String())
}
