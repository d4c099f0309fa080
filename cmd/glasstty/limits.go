package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/limit"
)

// limitFlags say what sessions may use. What is refused or ended because of one
// names the flag; SECURITY.md has the table.
type limitFlags struct {
	MaxSessions  count    `default:"100" placeholder:"N" env:"GLASSTTY_MAX_SESSIONS" help:"Sessions that may exist at once (default ${default})."`
	MaxOutput    count    `default:"6000" placeholder:"CHARS" env:"GLASSTTY_MAX_OUTPUT" help:"Longest output in one reply, in characters, for calls without max_output_chars (default ${default})."`
	Scrollback   count    `default:"10000" placeholder:"LINES" env:"GLASSTTY_SCROLLBACK" help:"Lines that a session keeps above its screen (default ${default}, and at most 8 MB)."`
	InputRate    rate     `default:"1024" placeholder:"KB" env:"GLASSTTY_INPUT_RATE" help:"Input that a session accepts per second, and in one burst, in kilobytes (default ${default}); off for no limit."`
	IdleTimeout  span     `default:"off" placeholder:"SECONDS" env:"GLASSTTY_IDLE_TIMEOUT" help:"End a session that nobody has used or watched for this long and whose program is waiting (default ${default})."`
	Lifetime     span     `default:"off" placeholder:"SECONDS" env:"GLASSTTY_LIFETIME" help:"End a session this long after its start; its readers get a warning first (default ${default})."`
	MaxProcesses most     `default:"1000" placeholder:"N" env:"GLASSTTY_MAX_PROCESSES" help:"Processes that one session may have at a time; it is ended when it has more (default ${default}); off for no limit."`
	MaxMemory    capacity `default:"75%" placeholder:"MB" env:"GLASSTTY_MAX_MEMORY" help:"Memory that the processes of one session may use together, in megabytes or percent of the machine's; it is ended when they use more (default ${default}); off for no limit."`
	MaxCPU       span     `name:"max-cpu" default:"off" placeholder:"SECONDS" env:"GLASSTTY_MAX_CPU" help:"Processor time that the processes of one session may use together; it is ended when they have used more (default ${default})."`
}

// options returns what the flags say of sessions. The error names a limit that is
// asked for and cannot be measured on this system.
func (f *limitFlags) options(o session.Options) (session.Options, error) {
	if f.MaxCPU > 0 && !slices.Contains(child.Measures(), child.LimitedCPU) {
		return o, usageError{fmt.Errorf("--%s: processor time cannot be measured on this system; set it to off", limit.CPU)}
	}
	if !f.MaxMemory.share && f.MaxMemory.bytes > 0 && !slices.Contains(child.Measures(), child.LimitedMemory) {
		return o, usageError{fmt.Errorf("--%s: memory cannot be measured on this system; set it to off", limit.Memory)}
	}
	o.MaxSessions = int(f.MaxSessions)
	o.Limits = session.Limits{
		Output:     int(f.MaxOutput),
		Scrollback: int(f.Scrollback),
		InputRate:  int64(f.InputRate),
		Idle:       time.Duration(f.IdleTimeout),
		Lifetime:   time.Duration(f.Lifetime),
		Tree: child.Limits{
			Processes: int(f.MaxProcesses),
			Memory:    f.MaxMemory.bytes,
			CPU:       time.Duration(f.MaxCPU),
		},
	}
	return o, nil
}

// off is how a limit is written that is none; 0 means the same.
const off = "off"

// isOff reports whether a limit is written as none.
func isOff(text []byte) bool { return string(text) == off || string(text) == "0" }

// most is the most there may be of something, 0 for any number.
type most int

// UnmarshalText reads a whole number, or off.
func (m *most) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if !isOff(text) && (err != nil || n < 0) {
		return fmt.Errorf("%q is not a whole number above 0, nor off", text)
	}
	*m = most(n)
	return nil
}

// String writes it as it is set.
func (m most) String() string {
	if m == 0 {
		return off
	}
	return strconv.Itoa(int(m))
}

// rate is a number of bytes a second, -1 for any.
type rate int64

// UnmarshalText reads a whole number of kilobytes, or off.
func (r *rate) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	switch {
	case isOff(text):
		*r = -1
		return nil
	case err != nil || n < 1 || n > 1<<20:
		return fmt.Errorf("%q is not a whole number of kilobytes a second from 1 to %d, nor off", text, 1<<20)
	}
	*r = rate(n) << 10
	return nil
}

// String writes it as it is set.
func (r rate) String() string {
	if r < 0 {
		return off
	}
	return strconv.FormatInt(int64(r)>>10, 10)
}

// span is a length of time, 0 for ever.
type span time.Duration

// maxSpan is the longest one, in seconds: a hundred years.
const maxSpan = 100 * 366 * 24 * 60 * 60

// UnmarshalText reads a number of seconds, or off.
func (s *span) UnmarshalText(text []byte) error {
	n, err := strconv.ParseFloat(string(text), 64)
	if !isOff(text) && (err != nil || !(n >= 0 && n <= maxSpan)) {
		return fmt.Errorf("%q is not a number of seconds above 0, nor off", text)
	}
	*s = span(n * float64(time.Second))
	return nil
}

// String writes it as it is set.
func (s span) String() string {
	if s == 0 {
		return off
	}
	return strconv.FormatFloat(time.Duration(s).Seconds(), 'f', -1, 64)
}

// capacity is an amount of memory, none for any.
type capacity struct {
	bytes int64
	share bool // given as a share of the machine's
	text  string
}

// UnmarshalText reads a whole number of megabytes, a percentage of the machine's
// memory, or off.
func (c *capacity) UnmarshalText(text []byte) error {
	*c = capacity{text: string(text)}
	if isOff(text) {
		c.text = off
		return nil
	}
	number, share := strings.CutSuffix(c.text, "%")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || share && n > 100 || n > 1<<24 {
		return fmt.Errorf("%q is not a whole number of megabytes above 0, nor a percentage such as 75%%, nor off", text)
	}
	c.share, c.bytes = share, int64(n)<<20
	if share {
		c.bytes = machineMemory() / 100 * int64(n)
	}
	return nil
}

// String writes it as it is set.
func (c capacity) String() string { return c.text }
