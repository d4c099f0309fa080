package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session"
)

const getSessionInfoDoc = `Describe one session: command, args, mode, status, exit code, pid, size, cwd, foreground, last command, readers, bytes in and out, terminal modes. Use it for more than list_sessions shows, read_output for output, and snapshot for the screen. It never waits and changes nothing.`

type getSessionInfoArgs struct {
	SessionID string `json:"session_id" need:"true" doc:"id or name"`
}

type sessionInfo struct {
	ID            string       `json:"id"`
	Name          string       `json:"name"`
	Command       string       `json:"command"`
	Args          []string     `json:"args,omitempty"`
	Mode          string       `json:"mode" enum:"pty,pipe"`
	Status        string       `json:"status" enum:"running,exited,lost"`
	ExitCode      *int         `json:"exit_code,omitempty"`
	PID           int          `json:"pid,omitempty"`
	CreatedAt     float64      `json:"created_at" doc:"Unix seconds"`
	LastActivity  float64      `json:"last_activity" doc:"Unix seconds"`
	Rows          int          `json:"rows"`
	Cols          int          `json:"cols"`
	Title         string       `json:"title,omitempty"`
	Cwd           string       `json:"cwd,omitempty"`
	Foreground    string       `json:"foreground,omitempty" doc:"process in front"`
	Reason        string       `json:"reason,omitempty" doc:"of the last wait"`
	Ended         string       `json:"ended,omitempty" doc:"why the server ended it"`
	Log           string       `json:"log,omitempty" doc:"what is wrong with its log"`
	LastCommand   *lastCommand `json:"last_command,omitempty"`
	Readers       []int        `json:"readers"`
	BytesIn       int64        `json:"bytes_in,omitempty" doc:"typed into the program"`
	BytesOut      int64        `json:"bytes_out,omitempty" doc:"written by the program"`
	Modes         *modes       `json:"modes,omitempty" doc:"terminal modes the program has set"`
	RecordingPath string       `json:"recording_path,omitempty"`
	Sandbox       *sandboxInfo `json:"sandbox,omitempty" doc:"what the program may do, where it has a sandbox"`
}

// modes are the terminal modes that are set, by name.
type modes struct {
	AppCursor       bool `json:"app_cursor,omitempty"`
	AppKeypad       bool `json:"app_keypad,omitempty"`
	BracketedPaste  bool `json:"bracketed_paste,omitempty"`
	FocusEvents     bool `json:"focus_events,omitempty"`
	AltScreen       bool `json:"alt_screen,omitempty"`
	Synchronized    bool `json:"synchronized,omitempty" doc:"an update is half drawn"`
	Graphemes       bool `json:"graphemes,omitempty"`
	Mouse           int  `json:"mouse,omitempty" doc:"DECSET number of the tracking mode"`
	MouseEncoding   int  `json:"mouse_encoding,omitempty"`
	ModifyOtherKeys int  `json:"modify_other_keys,omitempty"`
	KittyKeyboard   int  `json:"kitty_keyboard,omitempty" doc:"flags"`
}

func getSessionInfo() tool {
	return newTool[getSessionInfoArgs, sessionInfo]("get_session_info", getSessionInfoDoc, hints{readOnly: true}, handleGetSessionInfo)
}

func handleGetSessionInfo(_ context.Context, c *call, in *getSessionInfoArgs) (*answer, error) {
	s, err := c.session(in.SessionID)
	if err != nil {
		return nil, err
	}
	info := newInfo(s.Info())
	info.RecordingPath = valid(s.RecordingPath())
	return &answer{text: infoText(info), data: info}, nil
}

func newInfo(i session.Info) sessionInfo {
	return sessionInfo{
		ID:           i.ID,
		Name:         valid(i.Name),
		Command:      valid(i.Command),
		Args:         validAll(i.Args),
		Mode:         mode(i.Pipe),
		Status:       string(i.Status),
		ExitCode:     i.ExitCode,
		PID:          i.PID,
		CreatedAt:    unixSeconds(i.CreatedAt),
		LastActivity: unixSeconds(i.LastActivity),
		Rows:         i.Size.Rows,
		Cols:         i.Size.Cols,
		Title:        valid(i.Title),
		Cwd:          valid(i.Cwd),
		Foreground:   valid(i.Foreground),
		Reason:       string(i.LastReason),
		Ended:        valid(i.Ended),
		Log:          valid(i.Log),
		LastCommand:  newLastCommand(i.LastCommand),
		Readers:      append([]int{}, i.Readers...),
		BytesIn:      i.BytesIn,
		BytesOut:     i.BytesOut,
		Modes:        newModes(i.Modes),
		Sandbox:      newSandboxInfo(i.Sandbox),
	}
}

func mode(pipe bool) string {
	if pipe {
		return "pipe"
	}
	return "pty"
}

// newModes returns nil when no mode is set.
func newModes(m emulator.Modes) *modes {
	out := modes{
		AppCursor:       m.AppCursor,
		AppKeypad:       m.AppKeypad,
		BracketedPaste:  m.BracketedPaste,
		FocusEvents:     m.FocusEvents,
		AltScreen:       m.AltScreen,
		Synchronized:    m.Synchronized,
		Graphemes:       m.Graphemes,
		Mouse:           int(m.Mouse),
		MouseEncoding:   int(m.MouseEncoding),
		ModifyOtherKeys: m.ModifyOtherKeys,
		KittyKeyboard:   int(m.KittyFlags),
	}
	if out == (modes{}) {
		return nil
	}
	return &out
}

// infoText renders i as one "name: value" a line.
func infoText(i sessionInfo) string {
	var b strings.Builder
	line := func(name string, value any) { fmt.Fprintf(&b, "%s: %v\n", name, value) }
	line("name", quoted(i.Name))
	line("command", i.Command)
	if len(i.Args) > 0 {
		line("args", string(mustJSON(i.Args)))
	}
	line("mode", i.Mode)
	line("pid", i.PID)
	line("size", fmt.Sprintf("%d rows, %d cols", i.Rows, i.Cols))
	for _, f := range []struct{ name, value string }{
		{"title", quotedShort(i.Title)}, {"cwd", quotedShort(i.Cwd)}, {"foreground", quoted(i.Foreground)}, {"last reason", i.Reason}, {"ended", i.Ended}, {"log", i.Log}, {"recording", i.RecordingPath},
	} {
		if f.value != "" {
			line(f.name, f.value)
		}
	}
	if l := i.LastCommand; l != nil {
		line("last command", fmt.Sprintf("%s exit %d, %v s, cwd %s", quoted(l.Text), l.ExitCode, l.Duration, l.Cwd))
	}
	if i.Sandbox != nil {
		line("sandbox", i.Sandbox.line())
	}
	line("readers", i.Readers)
	line("bytes", fmt.Sprintf("%d in, %d out", i.BytesIn, i.BytesOut))
	if i.Modes != nil {
		line("modes", string(mustJSON(i.Modes)))
	}
	return withStatus(bracket([]string{i.ID + " " + life(session.Status(i.Status), i.ExitCode)}), b.String())
}
