package wait

import (
	"errors"
	"fmt"
	"regexp"
	"time"
)

// The default and the limits of Wait.Timeout.
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
	Reader         int
	View           View // "" means auto
	Raw            bool // strip_ansi: false
	MaxLines       int  // 0 means no paging
	MaxOutputChars int  // the Manager's Limits.Output when zero
	// Newest gives the newest MaxLines lines, as UntilExit always does, instead of a page of
	// the oldest.
	Newest  bool
	Compact bool
	Explain bool
}

// Check returns w with its defaults applied, or an error that says what is wrong.
func (w Wait) Check() (Wait, error) {
	if w.Timeout == 0 {
		w.Timeout = DefaultTimeout
	}
	if w.Timeout < MinTimeout || w.Timeout > MaxTimeout {
		return w, fmt.Errorf("timeout %s is out of range (want %s to %s)", w.Timeout, MinTimeout, MaxTimeout)
	}
	switch w.Until {
	case "", UntilReady, UntilExit, UntilQuiet, UntilChange, UntilReleased, UntilNone:
	default:
		return w, fmt.Errorf("invalid until %q (want ready, exit, quiet, change, released or none)", w.Until)
	}
	switch w.View {
	case "", ViewAuto, ViewOutput, ViewScreen, ViewBoth, ViewDiff:
	default:
		return w, fmt.Errorf("invalid view %q (want auto, output, screen, both or diff)", w.View)
	}
	if w.MaxLines < 0 || w.MaxOutputChars < 0 {
		return w, errors.New("max_lines and max_output_chars cannot be negative")
	}
	if w.Until == "" && w.Pattern == nil {
		w.Until = UntilReady
	}
	return w, nil
}
