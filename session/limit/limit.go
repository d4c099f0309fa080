// Package limit names what a session may use, and says how each limit is raised.
package limit

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/glasstty/glasstty/session/child"
)

// The limits that a server's settings change, by the names of these settings. What
// is refused or ended because of one says its name and value.
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
	DefaultInputRate  = 1 << 20 // bytes a second
)

// Limits are what a Manager's sessions may use. The zero value gives the defaults.
type Limits struct {
	Output     int // characters of one reply whose call does not say; default the usual one
	Scrollback int // lines; default DefaultScrollback
	// InputRate is how many bytes a second a session takes, and as many at once;
	// default DefaultInputRate, none when negative.
	InputRate int64
	// Idle is after how long a session is ended that nobody uses and whose program
	// waits for input; zero is never.
	Idle time.Duration
	// Lifetime is how long after its start a session is ended; zero is never.
	Lifetime time.Duration
	// Tree is what the processes of one session may use together; zero is no limit.
	Tree child.Limits
}

// WithDefaults returns l with its defaults applied; a reply has usually so many characters.
func (l Limits) WithDefaults(usual int) Limits {
	l.Output = cmp.Or(l.Output, usual)
	l.Scrollback = cmp.Or(l.Scrollback, DefaultScrollback)
	l.InputRate = cmp.Or(l.InputRate, DefaultInputRate)
	return l
}

// Raise names a limit with its value, as it is set, and says how it is raised.
func Raise(limit, value string) string {
	return fmt.Sprintf("%s=%s; whoever runs the server changes that with --%s or %s", limit, value, limit, Variable(limit))
}

// Variable returns the environment variable of a limit.
func Variable(limit string) string {
	return "GLASSTTY_" + strings.ToUpper(strings.ReplaceAll(limit, "-", "_"))
}

// Seconds writes a time as the settings do.
func Seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
}

// Over says why the owner of a child has killed it.
func Over(o child.Over) string {
	switch o.What {
	case child.LimitedProcesses:
		return fmt.Sprintf("it had %d processes (%s)", o.Used, Raise(Processes, strconv.FormatInt(o.Max, 10)))
	case child.LimitedMemory:
		return fmt.Sprintf("its processes used %d MB of memory (%s)", o.Used>>20, Raise(Memory, strconv.FormatInt(o.Max>>20, 10)))
	case child.LimitedCPU:
		return fmt.Sprintf("its processes had used the processors for %s s (%s)",
			Seconds(time.Duration(o.Used).Round(time.Millisecond)), Raise(CPU, Seconds(time.Duration(o.Max))))
	}
	return ""
}
