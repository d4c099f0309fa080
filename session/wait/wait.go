package wait

import (
	"cmp"
	"regexp"
	"time"
)

// The default of Wait.Timeout, and the limits for clients.
const (
	DefaultTimeout = 5 * time.Second
	MinTimeout     = 100 * time.Millisecond
	MaxTimeout     = 600 * time.Second
)

// Until is the condition that ends a wait; docs/tools.md describes the conditions under wait_for.
type Until string

// The conditions.
const (
	UntilReady    Until = "ready"    // the program is ready for input
	UntilExit     Until = "exit"     // the program has ended
	UntilQuiet    Until = "quiet"    // the output has paused
	UntilChange   Until = "change"   // the screen has changed
	UntilReleased Until = "released" // tool calls may type again
	UntilNone     Until = "none"     // the call does not wait
)

// View selects what a reply shows.
type View string

// The views.
const (
	ViewAuto   View = "auto"   // the screen of a full-screen program unless Raw is set, otherwise the output
	ViewOutput View = "output" // the output that the reader has not read
	ViewScreen View = "screen" // the screen
	ViewBoth   View = "both"   // the output and the screen
	ViewDiff   View = "diff"   // the rows that have changed since the reader last got the screen
)

// A Wait says how a call waits and what its reply contains. The zero value waits until the program
// is ready, for DefaultTimeout. Its reply goes to reader 0.
type Wait struct {
	Until          Until          // the condition; "" means ready, or only Pattern if that is set
	Pattern        *regexp.Regexp // a match ends the wait; nil means no pattern
	IgnoreEcho     bool           // Pattern matches only what the program itself writes, not the echo of input
	Timeout        time.Duration  // 0 means DefaultTimeout
	Since          *uint64        // for UntilChange: the revision that the caller knows; nil means the present one
	Reader         int            // number of the reader that the reply goes to; 0 is the session's own
	View           View           // "" means auto
	Raw            bool           // output with its escape sequences (strip_ansi: false)
	MaxLines       int            // maximum number of lines in the reply; 0 means no limit
	MaxOutputChars int            // 0 means the Manager's Limits.Output
	// If Newest is set, a reply of at most MaxLines lines contains the newest lines instead of the
	// oldest. With UntilExit, this is always so.
	Newest  bool
	Compact bool // equal lines are folded
	Explain bool // the reply contains the evidence for its reason
}

// WithDefaults returns w with the defaults of Timeout and Until applied.
func (w Wait) WithDefaults() Wait {
	w.Timeout = cmp.Or(w.Timeout, DefaultTimeout)
	if w.Until == "" && w.Pattern == nil {
		w.Until = UntilReady
	}
	return w
}
