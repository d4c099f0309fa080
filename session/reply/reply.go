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

// Status is a session's state of life.
type Status string

// The states.
const (
	StatusRunning Status = "running"
	StatusExited  Status = "exited"
	StatusLost    Status = "lost"
)

// A Reply is what a waiting call returns: what came since the reader's last
// read, and why the call returned.
type Reply struct {
	SessionID string
	Output    string
	HasOutput bool               // the view shows the output
	Screen    *emulator.Snapshot // nil unless the view shows the screen
	Shown     string             // what the reply gives of Screen
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
	Selected   []selected.Choice // what stands out as chosen, the likeliest first
	Title      *string           // given when changed since this reader's last reply
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
	Notes         []string // what else the caller should know: dropped input, changed flags

	cut func(limit int) (output string, lines int) // Output within a lower limit; nil for none
}

// Alive reports whether the child was running when the reply was made.
func (r *Reply) Alive() bool { return r.Status == StatusRunning }

// Fit cuts the output to about limit characters where it is longer.
func (r *Reply) Fit(limit int) {
	if r.cut == nil || utf8.RuneCountInString(r.Output) <= limit {
		return
	}
	r.Output, r.LinesReturned = r.cut(limit)
	r.BytesReturned, r.HasMore = len(r.Output), true
}

// An Explanation is the evidence behind a reply's reason.
type Explanation struct {
	Layer    detect.Layer
	Evidence []string
}

// A Source is what replies are made from.
type Source struct {
	State *state.State
	Ready *ready.Watch
	Mask  *mask.Mask // nil hides nothing

	Command []string // that was started, and its arguments
	Dir     string   // where it was started

	MaxChars  int    // of one reply whose call does not say
	Cut       string // says in the reply's notes which limit that is, "" for the usual one
	KeptLines string // names the limit of the lines that are kept
}
