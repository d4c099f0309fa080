package session

import (
	"regexp"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/sandbox"
)

// StartOptions say what to start. Only Command is required.
type StartOptions struct {
	Command string
	Args    []string
	Name    string            // generated when empty
	Dir     string            // working directory; the server's own when empty
	Env     map[string]string // added to the server's environment
	Size    emulator.Size     // default 24×80
	Pipe    bool              // pipes instead of a PTY
	// Confirmed says that it goes past the danger check: ConfirmStart sets it.
	Confirmed bool
	NoMarks   bool // do not give shells OSC 133 marks
	// Sandbox puts the program into a sandbox, as the Manager's options say or
	// tighter; nil: only when the options put every program into one.
	Sandbox *sandbox.Request
}

// Input is what a call types, in this order: Text (pasted when Paste), Keys,
// Enter.
type Input struct {
	Text  string
	Paste bool
	Keys  []KeyPress
	Enter bool
	Mouse []emulator.Mouse

	by *Person // who types; nil for a tool call
	// confirmed says that it goes past the danger check.
	confirmed bool
	secret    bool // an answer to a question for a password, whatever the modes say
}

// A KeyPress is a key pressed Repeat times, or literal text.
type KeyPress struct {
	Key    emulator.Key
	Repeat int
	Text   string // typed literally when not empty
}

// Until is what ends a wait; see the tool contract.
type Until string

// The conditions.
const (
	UntilReady    Until = "ready"
	UntilExit     Until = "exit"
	UntilQuiet    Until = "quiet"
	UntilChange   Until = "change"
	UntilReleased Until = "released"
	UntilNone     Until = "none"
)

// View is what a reply shows.
type View string

// The views.
const (
	ViewAuto   View = "auto"
	ViewOutput View = "output"
	ViewScreen View = "screen"
	ViewBoth   View = "both"
	ViewDiff   View = "diff"
)

// Wait is how a call waits and what its reply holds. The zero value waits until
// ready, for DefaultTimeout, as reader 0.
type Wait struct {
	Until          Until          // "" means ready, or only Pattern when that is set
	Pattern        *regexp.Regexp // ends the wait as Matched
	Timeout        time.Duration  // DefaultTimeout when zero
	Since          uint64         // for UntilChange: the revision that the caller knows
	HasSince       bool           // whether Since was given; otherwise the revision at the call
	Reader         int
	View           View // "" means auto
	Raw            bool // strip_ansi: false
	MaxLines       int  // 0: no paging
	MaxOutputChars int  // the Manager's Limits.Output when zero
	Compact        bool
	Explain        bool

	byLimit bool // MaxOutputChars is the Manager's
}

// Status is a session's state of life.
type Status string

// The states.
const (
	StatusRunning Status = "running"
	StatusExited  Status = "exited"
	StatusLost    Status = "lost"
)

// LastCommand is the last command line a shell reported by marks.
type LastCommand struct {
	Text     string
	ExitCode int
	Duration time.Duration
	Cwd      string
}

// A RowDiff is one row that changed, with its number on the screen.
type RowDiff struct {
	Row  int
	Text string
}

// A Reply is what a waiting call returns: what came since the reader's last
// read, and why the call returned.
type Reply struct {
	SessionID string
	Output    string
	HasOutput bool               // the view shows the output
	Screen    *emulator.Snapshot // nil unless the view shows the screen
	Diff      []RowDiff          // for ViewDiff
	Prompt    string
	// PromptTold says that this reader's last reply had the same prompt.
	PromptTold bool
	Status     Status
	Reason     detect.Reason
	ExitCode   *int
	Last       *LastCommand
	Cursor     emulator.Cursor

	FullScreen bool
	Title      *string // given when changed since this reader's last reply
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
}

// Alive reports whether the child was running when the reply was made.
func (r *Reply) Alive() bool { return r.Status == StatusRunning }

// An Explanation is the evidence behind a reply's reason.
type Explanation struct {
	Layer    detect.Layer
	Evidence []string
}

// Info is what list_sessions and get_session_info show.
type Info struct {
	ID, Name     string
	Command      string
	Args         []string
	Pipe         bool
	Status       Status
	ExitCode     *int
	PID          int
	CreatedAt    time.Time
	LastActivity time.Time
	Size         emulator.Size
	Title        string
	Cwd          string
	Foreground   string
	LastReason   detect.Reason
	LastCommand  *LastCommand
	Readers      []int
	BytesIn      int64
	BytesOut     int64
	Modes        emulator.Modes
	Keyboard     Keyboard
	Ended        string         // why the server has ended it; "" when it has not
	Sandbox      *sandbox.State // nil: it has none
	TypedAt      time.Time      // the last input; zero when there was none
	TypedBy      string         // the name of the person who typed it; "" for a tool call
}

// ReadOptions are what read_output adds to Wait.
type ReadOptions struct {
	Tail     int    // the last Tail lines; the reader's cursor moves to the end
	FromLine *int64 // absolute; moves no cursor
	Search   *regexp.Regexp
	Context  int // lines around each hit
}

// A SearchHit is a run of lines around a match.
type SearchHit struct {
	Line int64 // number of the first line in Lines
	Hits []int64
	Text []string
}
