package reply

import (
	"time"
	"unicode/utf8"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/mask"
	"github.com/glasstty/glasstty/session/ready"
	"github.com/glasstty/glasstty/session/selected"
	"github.com/glasstty/glasstty/session/state"
	"github.com/glasstty/glasstty/session/text"
)

// Status says whether a session runs.
type Status string

// The states.
const (
	StatusRunning Status = "running"
	StatusExited  Status = "exited"
	StatusLost    Status = "lost"
)

// A Reply is the result of a call: the output since the reader's last reply, and why the
// call returned.
type Reply struct {
	SessionID string
	Output    string
	HasOutput bool               // the reply shows the output
	Screen    *emulator.Snapshot // nil unless the reply shows the screen
	Shown     string             // the part of Screen that the reply shows
	Diff      []text.RowRun      // for ViewDiff: the rows that changed
	Prompt    string
	// PromptTold says that this reader's last reply had the same prompt.
	PromptTold bool
	Status     Status
	Reason     detect.Reason
	ExitCode   *int
	Last       *state.LastCommand
	Cursor     emulator.Cursor

	FullScreen bool
	Selected   []selected.Choice // text that is highlighted as chosen, the most likely first
	Title      *string           // set if changed since this reader's last reply
	Cwd        *string
	Foreground *string

	Events        []emulator.Event
	Hint          string
	Revision      uint64
	HasMore       bool
	LinesReturned int
	BytesReturned int
	DroppedBytes  int64
	Elapsed       time.Duration
	Explain       *Explanation
	Notes         []string // other facts for the caller: dropped input, changed flags

	cut func(limit int) (output string, lines int) // returns Output for a lower limit; nil if it cannot be cut
}

// Alive reports whether the child was running when the reply was made.
func (r *Reply) Alive() bool { return r.Status == StatusRunning }

// Fit cuts the output to about limit characters if it is longer.
func (r *Reply) Fit(limit int) {
	if r.cut == nil || utf8.RuneCountInString(r.Output) <= limit {
		return
	}
	r.Output, r.LinesReturned = r.cut(limit)
	r.BytesReturned, r.HasMore = len(r.Output), true
}

// An Explanation is the evidence for a reply's reason.
type Explanation struct {
	Layer    detect.Layer `json:"layer"`
	Evidence []string     `json:"evidence,omitempty"`
}

// A Source makes replies.
type Source struct {
	State *state.State
	Ready *ready.Watch
	Mask  *mask.Mask // nil hides nothing

	Command []string // the program that was started, and its arguments
	Dir     string   // the directory in which it was started

	MaxChars  int    // limit on a reply's output if its call does not set one
	Cut       string // the note for a reply that MaxChars has cut, or ""
	KeptLines string // names the limit on kept lines, for notes
}
