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

// Until is the condition that ends a wait; see docs/tools.md, wait_for.
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

// View selects what a reply shows.
type View string

// The views.
const (
	ViewAuto   View = "auto"
	ViewOutput View = "output"
	ViewScreen View = "screen"
	ViewBoth   View = "both"
	ViewDiff   View = "diff"
)

// A Wait says how a call waits and what its reply contains. The zero value waits until
// ready, for DefaultTimeout, as reader 0.
type Wait struct {
	Until          Until          // "" means ready, or only Pattern when that is set
	Pattern        *regexp.Regexp // ends the wait as Matched
	IgnoreEcho     bool           // Pattern matches only what the program shows, not the echo of input
	Timeout        time.Duration  // DefaultTimeout when zero
	Since          *uint64        // for UntilChange: the revision that the caller knows; nil means the one at the call
	Reader         int            // the number of the reader; 0 is the session's own
	View           View           // "" means auto
	Raw            bool           // strip_ansi: false
	MaxLines       int            // 0 means no paging
	MaxOutputChars int            // the Manager's Limits.Output when zero
	// Newest gives the newest MaxLines lines, as UntilExit always does, instead of a page of
	// the oldest.
	Newest  bool
	Compact bool // folds equal lines
	Explain bool // the reply contains the evidence for its reason
}

// WithDefaults returns w with its defaults applied.
func (w Wait) WithDefaults() Wait {
	w.Timeout = cmp.Or(w.Timeout, DefaultTimeout)
	if w.Until == "" && w.Pattern == nil {
		w.Until = UntilReady
	}
	return w
}
