package session

import (
	"regexp"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/sandbox"
	"github.com/glasstty/glasstty/session/control"
	"github.com/glasstty/glasstty/session/guard"
	"github.com/glasstty/glasstty/session/input"
	"github.com/glasstty/glasstty/session/queue"
	"github.com/glasstty/glasstty/session/reply"
	"github.com/glasstty/glasstty/session/state"
	"github.com/glasstty/glasstty/session/text"
	"github.com/glasstty/glasstty/session/wait"
)

// StartOptions say what to start. Only Command is required.
type StartOptions struct {
	Command string
	Args    []string
	Name    string            // if empty, made from Command
	Dir     string            // working directory; if empty, that of the server
	Env     map[string]string `json:"-"` // added to the server's environment
	Size    emulator.Size     // default 24×80
	Pipe    bool              // pipes instead of a PTY
	NoMarks bool              // do not give shells OSC 133 marks
	Client  string            // the name and version of the MCP client that starts the program, to show to people
	// Confirmed skips the danger check; ConfirmStart sets Confirmed.
	Confirmed bool `json:"-"`
	// Sandbox asks for the Manager's sandbox, even if not every program gets one.
	Sandbox bool `json:"-"`
}

// Types of package input, which encodes input as a terminal does.
type (
	// Input is what a call types, in this order: Text, Keys, Mouse, Enter.
	Input = input.Input
	// A KeyPress is a key pressed Repeat times, or literal text.
	KeyPress = input.KeyPress
)

// An entry is an input and its author.
type entry struct {
	Input
	by     control.Author
	held   *guard.Held // the held input that was confirmed and is typed now, without the danger check; else nil
	secret bool        // the input answers a password prompt, whatever the terminal's modes are
	before *queue.Line // the line as it was before this input, to restore it if the input is not typed; or nil
}

// Types of package wait, which decides when a call is done.
type (
	// Wait says how a call waits and what its reply contains.
	Wait = wait.Wait
	// Until is the condition that ends a wait.
	Until = wait.Until
	// View selects what a reply shows.
	View = wait.View
)

// The conditions, views and time limits of a wait.
const (
	UntilReady    = wait.UntilReady
	UntilExit     = wait.UntilExit
	UntilQuiet    = wait.UntilQuiet
	UntilChange   = wait.UntilChange
	UntilReleased = wait.UntilReleased
	UntilNone     = wait.UntilNone

	ViewAuto   = wait.ViewAuto
	ViewOutput = wait.ViewOutput
	ViewScreen = wait.ViewScreen
	ViewBoth   = wait.ViewBoth
	ViewDiff   = wait.ViewDiff

	MinTimeout = wait.MinTimeout
	MaxTimeout = wait.MaxTimeout
)

// Types of package reply.
type (
	// A Reply is what a waiting call returns: the output since the reader's last read, and
	// why the call returned.
	Reply = reply.Reply
	// An Explanation is the evidence behind a reply's reason.
	Explanation = reply.Explanation
	// Status says whether a session runs.
	Status = reply.Status
)

// The states of a session, and the default length of a reply's output.
const (
	StatusRunning = reply.StatusRunning
	StatusExited  = reply.StatusExited
	StatusLost    = reply.StatusLost

	DefaultMaxOutputChars = reply.DefaultMaxOutputChars
)

// A Message is the input of one call, or the output between two inputs. See package state.
type Message = state.Message

// The type of an input message, and the maximum number of messages of a session.
const (
	MessageInput = state.MessageInput
	MaxMessages  = state.MaxMessages
)

// Info contains the facts that list_sessions and get_session_info show.
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
	LastReason   detect.Reason // Exited or "" if the session has ended
	LastCommand  *state.LastCommand
	Readers      []int
	BytesIn      int64
	BytesOut     int64
	Modes        emulator.Modes
	Keyboard     Holding
	Ended        string         // why the server ended the session, or which person did; otherwise ""
	Log          string         // a problem with the session's log, or ""
	Sandbox      *sandbox.State // nil if the program has no sandbox
	TypedAt      time.Time      // time of the last input; zero if there was none
	TypedBy      string         // the name of the person who typed that input, or "" for a tool call
	Client       string         // the MCP client that started the session
	Dir          string         // the directory in which the program was started
	AtPrompt     bool           // the shell's marks say that the shell is at a prompt
	BusySince    time.Time      // start of the running command, by the shell's marks; zero if none runs
	OutputAt     time.Time      // time of the last output; zero if there was none
	Asks         bool           // the last verdict was that the program waits for input, and nothing was typed or printed since
	Answers      []guard.Answer // people's decisions about held inputs, oldest first
}

// ReadOptions are the options that read_output has in addition to Wait.
type ReadOptions struct {
	Tail     int    // read the last Tail lines and move the reader to the end; with Search, show the last Tail hits
	FromLine *int64 // read from this line on, without moving the reader; or nil
	Search   *regexp.Regexp
	Context  int // lines around each hit
}

// A SearchHit is a run of lines around a match.
type SearchHit = text.SearchHit
