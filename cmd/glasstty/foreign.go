package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// foreignPrefix is the prefix of the variables of mcp-interactive-terminal, from which users migrate.
const foreignPrefix = "MCP_TERMINAL_"

// foreignSettings maps the names of the supported variables, without foreignPrefix, to our flags.
var foreignSettings = map[string]string{
	"MAX_SESSIONS":        "max-sessions",
	"MAX_OUTPUT":          "max-output",
	"DEFAULT_TIMEOUT":     "default-timeout",
	"BLOCKED_COMMANDS":    "block-command",
	"ALLOWED_COMMANDS":    "allow-command",
	"ALLOWED_PATHS":       "allow-path",
	"REDACT_SECRETS":      "redact",
	"LOG_INPUTS":          "log-inputs",
	"IDLE_TIMEOUT":        "idle-timeout",
	"DANGER_DETECTION":    "danger",
	"AUDIT_LOG":           "audit-log",
	"SANDBOX":             "sandbox",
	"SANDBOX_ALLOW_WRITE": "sandbox-write",
}

// offByDefault are the variables that are ignored if their value means off, which is our default.
var offByDefault = []string{"REDACT_SECRETS", "LOG_INPUTS", "SANDBOX", "IDLE_TIMEOUT"}

// foreignVars returns the variables of mcp-interactive-terminal in environ, by the names of our flags. It
// leaves out empty ones, and those that ask for a default of ours. An unsupported variable is an error.
func foreignVars(environ []string) (map[string]foreignVar, error) {
	out := map[string]foreignVar{}
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		short, ok := strings.CutPrefix(name, foreignPrefix)
		if !ok || value == "" {
			continue
		}
		flag := foreignSettings[short]
		switch {
		case short == "SANDBOX_ALLOW_NETWORK" && value == "*":
			continue
		case short == "SANDBOX_ALLOW_NETWORK":
			return nil, fmt.Errorf("%s=%q: a list of network domains cannot be enforced here, as the kernel knows addresses and ports, not names; unset it, or set it to *", name, value)
		case flag == "":
			names := slices.Sorted(maps.Keys(foreignSettings))
			return nil, fmt.Errorf("%s: no such setting; known are %s", name, foreignPrefix+strings.Join(names, ", "+foreignPrefix))
		case slices.Contains(offByDefault, short) && slices.Contains([]string{"false", "0", "no", off}, strings.ToLower(value)):
			continue
		case strings.HasSuffix(short, "_TIMEOUT"): // in milliseconds; ours are in seconds
			n, err := strconv.ParseFloat(value, 64)
			if err != nil || !(n >= 0) {
				return nil, fmt.Errorf("%s=%q: it must be a number of milliseconds", name, value)
			}
			value = strconv.FormatFloat(n/1000, 'f', -1, 64)
		}
		out[flag] = foreignVar{name, strings.TrimRight(value, ", ")}
	}
	return out, nil
}
