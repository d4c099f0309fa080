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

// A Reply is the result of a call: the output since the last reply to the same reader, and why the
// call returned.
type Reply struct {
	SessionID string
	Output    string
	HasOutput bool               // the reply shows Output, which may be empty
	Screen    *emulator.Snapshot // nil unless the reply shows the screen
	Shown     string             // the text of the rows of Screen that the reply shows
	Diff      []text.RowRun      // for ViewDiff: the rows that changed
	Prompt    string             // the prompt up to the cursor, if the program asks for input in a line
	// PromptRepeated says that the last reply to the same reader had this prompt too.
	PromptRepeated bool
	Status         Status
	Reason         detect.Reason
	ExitCode       *int               // nil if the child runs, or its exit code is not known
	Last           *state.LastCommand // the last command, by the shell's marks; nil if none has ended since the input
	Cursor         emulator.Cursor

	FullScreen bool
	Selected   []selected.Choice // text that is highlighted as chosen, the most likely first

	// Title, Cwd and Foreground are nil if they have not changed since the last reply to the same reader.
	Title, Cwd, Foreground *string

	Events        []emulator.Event // the terminal's events since the last reply to the same reader
	Hint          string
	Revision      uint64        // the screen's revision
	HasMore       bool          // the reply leaves out output or rows that can still be read
	LinesReturned int           // number of lines in Output that the program has written
	DroppedBytes  int64         // bytes of text, or of raw output, that were removed before the reader got them
	Elapsed       time.Duration // time since the call began, before it typed
	Explain       *Explanation
	Notes         []string // other facts for the caller, such as dropped input or changed flags

	cut func(limit int) (output string, lines int) // returns Output for a lower limit; nil if it cannot be cut
}

// Alive reports whether the child was running when the reply was made.
func (r *Reply) Alive() bool { return r.Status == StatusRunning }

// Fit cuts the output to about limit characters, if it is longer and can be cut.
func (r *Reply) Fit(limit int) {
	if r.cut == nil || utf8.RuneCountInString(r.Output) <= limit {
		return
	}
	r.Output, r.LinesReturned = r.cut(limit)
	r.HasMore = true
}

// After returns a copy of r in which the output and the facts of first come before those of r. first is the reply to
// an earlier wait of the same call; the caller does not get it. Raw outputs are joined as they are. Between other
// outputs that are not empty, After adds a line feed, because the prompt after the first output was left out.
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

// AddFacts adds the facts of an earlier reply to r: its events, dropped bytes and HasMore and, where r has none,
// its title, directory and foreground program. PromptRepeated stays true only if it is true in both replies.
func (r *Reply) AddFacts(earlier *Reply) {
	r.PromptRepeated = r.PromptRepeated && earlier.PromptRepeated
	r.HasMore = r.HasMore || earlier.HasMore
	r.DroppedBytes += earlier.DroppedBytes
	r.Title, r.Cwd, r.Foreground = cmp.Or(r.Title, earlier.Title), cmp.Or(r.Cwd, earlier.Cwd), cmp.Or(r.Foreground, earlier.Foreground)
	r.Events = slices.Concat(earlier.Events, r.Events)
}

// An Explanation lists the evidence for a reply's Reason.
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

	MaxChars  int    // limit on a reply's output, in characters, if its call does not set one
	CutNote   string // the note for a reply that MaxChars has cut; "" for none
	KeptLines string // the name and value of the limit on kept lines, for notes
}
