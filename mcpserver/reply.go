package mcpserver

import (
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/runes"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/state"
)

// A reply is the common reply of the tools that wait.
type reply struct {
	SessionID string `json:"session_id"`
	Output    string `json:"output,omitempty" doc:"new text since this reader's last read, echo and prompt left out"`
	replyDetails
}

// replyDetails is a reply without its output, which has another name in start_process.
type replyDetails struct {
	Screen        string               `json:"screen,omitempty" doc:"the visible grid as text"`
	Rows          []rowText            `json:"rows,omitempty" doc:"view diff: the rows that changed since this reader's last screen; screen instead if that is shorter"`
	Prompt        string               `json:"prompt,omitempty" doc:"the prompt now waiting, up to the cursor"`
	Status        string               `json:"status" enum:"running,exited,lost,unreachable"`
	IsAlive       bool                 `json:"is_alive"`
	Reason        string               `json:"reason" enum:"exited,prompt,awaiting_input,password,matched,changed,settled,timeout,returned,released" doc:"why the call returned"`
	IsComplete    bool                 `json:"is_complete" doc:"false when the program may have more to say"`
	ExitCode      *int                 `json:"exit_code,omitempty" doc:"of the session's process, once exited; 128+signal"`
	LastCommand   *lastCommand         `json:"last_command,omitempty" doc:"the last shell command, where the shell reports it"`
	Cursor        emulator.Cursor      `json:"cursor"`
	FullScreen    bool                 `json:"fullscreen,omitempty" doc:"the program owns the screen"`
	Selected      choices              `json:"selected,omitempty" doc:"the text that stands out as chosen, or a list of candidates, the most likely first"`
	Title         string               `json:"title,omitempty" doc:"given when changed"`
	Cwd           string               `json:"cwd,omitempty" doc:"given when changed"`
	Foreground    string               `json:"foreground,omitempty" doc:"foreground process, given when changed"`
	Events        []event              `json:"events,omitempty"`
	Hint          string               `json:"hint,omitempty" doc:"the next step, when it is not obvious"`
	Notes         []string             `json:"notes,omitempty" doc:"what else to know about this call"`
	Revision      uint64               `json:"revision" doc:"feed it back as since"`
	HasMore       bool                 `json:"has_more,omitempty" doc:"lines were left out"`
	LinesReturned int                  `json:"lines_returned,omitempty"`
	BytesReturned int                  `json:"bytes_returned,omitempty"`
	DroppedBytes  int64                `json:"dropped_bytes,omitempty" doc:"lost because this reader fell behind"`
	Elapsed       float64              `json:"elapsed,omitempty" doc:"seconds"`
	Explanation   *session.Explanation `json:"explanation,omitempty"`
}

type rowText struct {
	Row  int    `json:"row"`
	To   *int   `json:"to,omitempty" doc:"the last of several rows that show the same"`
	Text string `json:"text"`
}

type lastCommand struct {
	Text     string  `json:"text,omitempty"`
	ExitCode int     `json:"exit_code"`
	Duration float64 `json:"duration,omitempty" doc:"seconds"`
	Cwd      string  `json:"cwd,omitempty"`
}

type event struct {
	Type string `json:"type" enum:"bell,notification,clipboard,progress"`
	Text string `json:"text,omitempty"`
}

// newReply renders r as structured content.
func newReply(r *session.Reply) reply {
	return reply{SessionID: r.SessionID, Output: r.Output, replyDetails: newReplyDetails(r)}
}

func newReplyDetails(r *session.Reply) replyDetails {
	out := replyDetails{
		Prompt:        r.Prompt,
		Status:        string(r.Status),
		IsAlive:       r.Alive(),
		Reason:        string(r.Reason),
		IsComplete:    r.Reason.Complete(),
		ExitCode:      r.ExitCode,
		LastCommand:   newLastCommand(r.Last),
		Cursor:        r.Cursor,
		FullScreen:    r.FullScreen,
		Title:         deref(r.Title),
		Cwd:           deref(r.Cwd),
		Foreground:    deref(r.Foreground),
		Events:        newEvents(r.Events),
		Hint:          r.Hint,
		Notes:         r.Notes,
		Revision:      r.Revision,
		HasMore:       r.HasMore,
		LinesReturned: r.LinesReturned,
		BytesReturned: len(r.Output),
		DroppedBytes:  r.DroppedBytes,
		Elapsed:       seconds(r.Elapsed),
		Explanation:   r.Explain,
	}
	if r.Screen != nil {
		out.Screen = r.Shown
	}
	for _, d := range r.Diff {
		row := rowText{Row: d.From, Text: d.Text}
		if d.To > d.From {
			row.To = &d.To
		}
		out.Rows = append(out.Rows, row)
	}
	for _, c := range r.Selected {
		out.Selected = append(out.Selected, c.Text)
	}
	return out
}

func newLastCommand(l *state.LastCommand) *lastCommand {
	if l == nil {
		return nil
	}
	return &lastCommand{Text: l.Text, ExitCode: l.ExitCode, Duration: seconds(l.Duration), Cwd: l.Cwd}
}

// eventTypes are the kinds of event that a reply lists. Title and cwd have fields of their own.
var eventTypes = map[emulator.EventKind]string{
	emulator.EventBell:         "bell",
	emulator.EventNotification: "notification",
	emulator.EventClipboard:    "clipboard",
	emulator.EventProgress:     "progress",
}

// maxEventText is the maximum number of bytes of one event's text in a reply.
const maxEventText = session.DefaultMaxOutputChars

func newEvents(es []emulator.Event) []event {
	var out []event
	for _, e := range es {
		if name, ok := eventTypes[e.Kind]; ok {
			out = append(out, event{Type: name, Text: runes.Clip(e.Text, maxEventText)})
		}
	}
	return out
}
