package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/limit"
)

// limitFlags are the limits of sessions. Errors about a limit, and the reasons why a session
// was ended, name the flag. SECURITY.md lists the limits.
type limitFlags struct {
	MaxSessions  int      `default:"100" min:"1" placeholder:"N" env:"GLASSTTY_MAX_SESSIONS" help:"Sessions that may exist at once (default ${default})."`
	MaxOutput    int      `default:"6000" min:"1" placeholder:"CHARS" env:"GLASSTTY_MAX_OUTPUT" help:"Longest output in one reply, in characters, for calls without max_output_chars (default ${default})."`
	Scrollback   int      `default:"10000" min:"1" placeholder:"LINES" env:"GLASSTTY_SCROLLBACK" help:"Lines that a session keeps above its screen (default ${default}, and at most 8 MB)."`
	InputRate    int      `default:"1024" min:"1" max:"1048576" off:"-1" unit:"kilobytes a second" placeholder:"KB" env:"GLASSTTY_INPUT_RATE" help:"Input that a session accepts per second, and in one burst, in kilobytes (default ${default}); off for no limit."`
	IdleTimeout  float64  `default:"off" min:"0" max:"3162240000" off:"0" unit:"seconds" placeholder:"SECONDS" env:"GLASSTTY_IDLE_TIMEOUT" help:"End a session that nobody has used or watched for this long and whose program is waiting (default ${default})."`
	Lifetime     float64  `default:"off" min:"0" max:"3162240000" off:"0" unit:"seconds" placeholder:"SECONDS" env:"GLASSTTY_LIFETIME" help:"End a session this long after its start; its readers get a warning first (default ${default})."`
	MaxProcesses int      `default:"1000" min:"0" off:"0" placeholder:"N" env:"GLASSTTY_MAX_PROCESSES" help:"Processes that one session may have at a time; it is ended when it has more (default ${default}); off for no limit."`
	MaxMemory    capacity `default:"75%" placeholder:"MB" env:"GLASSTTY_MAX_MEMORY" help:"Memory that the processes of one session may use together, in megabytes or percent of the machine's; it is ended when they use more (default ${default}); off for no limit."`
	MaxCPU       float64  `name:"max-cpu" default:"off" min:"0" max:"3162240000" off:"0" unit:"seconds" placeholder:"SECONDS" env:"GLASSTTY_MAX_CPU" help:"Processor time that the processes of one session may use together; it is ended when they have used more (default ${default})."`
}

// options returns o with the limits. A --max-cpu, or --max-memory in megabytes, that cannot be measured is an error.
func (f *limitFlags) options(o session.Options) (session.Options, error) {
	if f.MaxCPU > 0 && !slices.Contains(child.MeasurableLimits(), child.LimitCPU) {
		return o, usageError(fmt.Errorf("--%s: processor time cannot be measured on this system; set it to off", limit.CPU))
	}
	if !f.MaxMemory.percent && f.MaxMemory.bytes > 0 && !slices.Contains(child.MeasurableLimits(), child.LimitMemory) {
		return o, usageError(fmt.Errorf("--%s: memory cannot be measured on this system; set it to off", limit.Memory))
	}
	rate := int64(f.InputRate)
	if rate > 0 {
		rate <<= 10 // -1 is no limit
	}
	o.MaxSessions = f.MaxSessions
	o.Limits = session.Limits{
		Output:     f.MaxOutput,
		Scrollback: f.Scrollback,
		InputRate:  rate,
		Idle:       seconds(f.IdleTimeout),
		Lifetime:   seconds(f.Lifetime),
		Tree: child.Limits{
			Processes: f.MaxProcesses,
			Memory:    f.MaxMemory.bytes,
			CPU:       seconds(f.MaxCPU),
		},
	}
	return o, nil
}

// off is the value of a flag that means no limit.
const off = "off"

// A capacity is an amount of memory. If bytes is 0, there is no limit.
type capacity struct {
	bytes   int64
	percent bool   // text is a percentage of the machine's memory
	text    string // as given, but off for 0
}

// UnmarshalText reads a whole number of megabytes, a percentage of the machine's memory, or off or 0.
func (c *capacity) UnmarshalText(text []byte) error {
	*c = capacity{text: string(text)}
	if c.text == off || c.text == "0" {
		c.text = off
		return nil
	}
	number, share := strings.CutSuffix(c.text, "%")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || share && n > 100 || n > 1<<24 {
		return fmt.Errorf("%q is not a whole number of megabytes above 0, nor a percentage such as 75%%, nor off", text)
	}
	c.percent, c.bytes = share, int64(n)<<20
	if share {
		c.bytes = machineMemory() / 100 * int64(n)
	}
	return nil
}

// String returns c in the form that UnmarshalText reads.
func (c capacity) String() string { return c.text }
