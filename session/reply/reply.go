package reply

import (
	"cmp"
	"slices"
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

// The values of Status.
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
	Shown     string             // the text of the rows of Screen that the reply shows
	Diff      []text.RowRun      // for ViewDiff: the rows that changed
	Prompt    string             // the prompt up to the cursor, if the program asks for input in a line
	// PromptRepeated says that this reader's last reply had the same prompt.
	PromptRepeated bool
	Status         Status
	Reason         detect.Reason
	ExitCode       *int               // nil if the child runs, or its exit code is not known
	Last           *state.LastCommand // the last command by the shell's marks; nil if no command has ended since the input
	Cursor         emulator.Cursor

	FullScreen bool
	Selected   []selected.Choice // text that is highlighted as chosen, the most likely first

	// Title, Cwd and Foreground are nil if they have not changed since this reader's last reply.
	Title, Cwd, Foreground *string

	Events        []emulator.Event // the terminal's events since this reader's last reply
	Hint          string
	Revision      uint64        // of the screen
	HasMore       bool          // the reply leaves out output or rows that can still be read
	LinesReturned int           // number of lines of the program in Output
	DroppedBytes  int64         // bytes of text, or of raw output, that were removed before the reader got them
	Elapsed       time.Duration // since the call began, before it typed
	Explain       *Explanation
	Notes         []string // other facts for the caller: dropped input, changed flags

	cut func(limit int) (output string, lines int) // returns Output for a lower limit; nil if it cannot be cut
}

// Alive reports whether the child was running when the reply was made.
func (r *Reply) Alive() bool { return r.Status == StatusRunning }

// Fit cuts the output to about limit characters if it is longer and can be cut.
func (r *Reply) Fit(limit int) {
	if r.cut == nil || utf8.RuneCountInString(r.Output) <= limit {
		return
	}
	r.Output, r.LinesReturned = r.cut(limit)
	r.HasMore = true
}

// After returns a copy of r in which the output and the facts of first precede those of r. first
// is the reply to the call's previous wait, which the caller does not get. A line feed separates the
// two outputs unless they are raw, because the prompt after the first output was left out.
func (r *Reply) After(first *Reply, raw bool) *Reply {
	join := func(a, b string) string {
		if raw || a == "" || b == "" {
			return a + b
		}
		return a + "\n" + b
	}
	out := *r
	out.Output = join(first.Output, r.Output)
	out.LinesReturned += first.LinesReturned
	out.Elapsed += first.Elapsed
	out.Notes = slices.Concat(first.Notes, r.Notes)
	out.AddFacts(first)
	out.HasMore = r.HasMore || first.HasMore && first.Output != "" // first's screen is not shown
	out.cut = func(limit int) (string, int) {
		a, b := *first, *r
		b.Fit(max(limit/2, limit-utf8.RuneCountInString(a.Output))) // the last output matters most
		a.Fit(max(limit-utf8.RuneCountInString(b.Output), 1))
		return join(a.Output, b.Output), a.LinesReturned + b.LinesReturned
	}
	return &out
}

// AddFacts adds the facts of an earlier reply to r: its events, dropped bytes and HasMore, and the
// title, directory and foreground program if r has none. PromptRepeated stays set only if both set it.
func (r *Reply) AddFacts(earlier *Reply) {
	r.PromptRepeated = r.PromptRepeated && earlier.PromptRepeated
	r.HasMore = r.HasMore || earlier.HasMore
	r.DroppedBytes += earlier.DroppedBytes
	r.Title, r.Cwd, r.Foreground = cmp.Or(r.Title, earlier.Title), cmp.Or(r.Cwd, earlier.Cwd), cmp.Or(r.Foreground, earlier.Foreground)
	r.Events = slices.Concat(earlier.Events, r.Events)
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
	CutNote   string // the note for a reply that MaxChars has cut, or ""
	KeptLines string // names the limit on kept lines, for notes
}
