// Package limit defines the limits on sessions, and says how to raise each of them.
package limit

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/glasstty/glasstty/session/child"
)

// The names of the limits. Each is also the name of the server's setting for the limit. An error or
// a note about a limit contains its name and value.
const (
	Sessions   = "max-sessions"
	Output     = "max-output"
	Scrollback = "scrollback"
	LogSize    = "log-size"
	InputRate  = "input-rate"
	Idle       = "idle-timeout"
	Lifetime   = "lifetime"
	Processes  = "max-processes"
	Memory     = "max-memory"
	CPU        = "max-cpu"
)

// The defaults of limits that are on by default.
const (
	DefaultScrollback = 10_000  // lines
	DefaultInputRate  = 1 << 20 // bytes per second
)

// Limits bound what a Manager's sessions may use. For the zero value, WithDefaults sets the defaults.
type Limits struct {
	Output     int // characters of output in a reply whose call does not set a limit; see WithDefaults
	Scrollback int // lines of scrollback; default DefaultScrollback
	// InputRate is the number of bytes per second that may be typed into a session; default
	// DefaultInputRate, no limit if negative. See queue.New.
	InputRate int64
	// Idle is the time after which an unused session whose program waits for input is ended;
	// zero means no limit.
	Idle time.Duration
	// Lifetime is the age at which a session is ended; zero means no limit.
	Lifetime time.Duration
	// Tree bounds what the processes of one session use together; zero means no limit.
	Tree child.Limits
}

// WithDefaults returns l with its defaults applied. defaultOutput is the default of Output.
func (l Limits) WithDefaults(defaultOutput int) Limits {
	l.Output = cmp.Or(l.Output, defaultOutput)
	l.Scrollback = cmp.Or(l.Scrollback, DefaultScrollback)
	l.InputRate = cmp.Or(l.InputRate, DefaultInputRate)
	return l
}

// HowToRaise returns the name and value of a limit and how to change the value, for an error or a note.
func HowToRaise(limit, value string) string {
	return fmt.Sprintf("%s=%s; whoever runs the server changes that with --%s or %s", limit, value, limit, Variable(limit))
}

// Variable returns the name of the environment variable that sets a limit.
func Variable(limit string) string {
	return "GLASSTTY_" + strings.ToUpper(strings.ReplaceAll(limit, "-", "_"))
}

// Seconds formats a time as a number of seconds, as in the settings.
func Seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
}

// Exceeded returns which limit a child exceeded, so that its owner killed it. If it exceeded none, it returns "".
func Exceeded(o child.Exceeded) string {
	switch o.What {
	case child.LimitProcesses:
		return fmt.Sprintf("it had %d processes (%s)", o.Used, HowToRaise(Processes, strconv.FormatInt(o.Max, 10)))
	case child.LimitMemory:
		return fmt.Sprintf("its processes used %d MB of memory (%s)", o.Used>>20, HowToRaise(Memory, strconv.FormatInt(o.Max>>20, 10)))
	case child.LimitCPU:
		return fmt.Sprintf("its processes had used the processors for %s s (%s)",
			Seconds(time.Duration(o.Used).Round(time.Millisecond)), HowToRaise(CPU, Seconds(time.Duration(o.Max))))
	}
	return ""
}
