package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// foreignPrefix is the prefix of the variables of mcp-interactive-terminal, the server that
// many of our users come from.
const foreignPrefix = "MCP_TERMINAL_"

// A foreignSetting maps one of these variables to a flag; to converts the value.
type foreignSetting struct {
	flag string
	to   func(string) (any, error)
}

// foreignSettings are the supported variables by name, without the prefix.
var foreignSettings = map[string]foreignSetting{
	"MAX_SESSIONS":        {"max-sessions", asWritten},
	"MAX_OUTPUT":          {"max-output", asWritten},
	"DEFAULT_TIMEOUT":     {"default-timeout", milliseconds},
	"BLOCKED_COMMANDS":    {"block-command", commaList},
	"ALLOWED_COMMANDS":    {"allow-command", commaList},
	"ALLOWED_PATHS":       {"allow-path", commaList},
	"REDACT_SECRETS":      {"redact", yesNo},
	"LOG_INPUTS":          {"log-inputs", yesNo},
	"IDLE_TIMEOUT":        {"idle-timeout", milliseconds},
	"DANGER_DETECTION":    {"danger", yesNo},
	"AUDIT_LOG":           {"audit-log", asWritten},
	"SANDBOX":             {"sandbox", yesNo},
	"SANDBOX_ALLOW_WRITE": {"sandbox-write", commaList},
}

// offByDefault are switches that are ignored when they are off, because our default is off
// too.
var offByDefault = []string{"REDACT_SECRETS", "LOG_INPUTS", "SANDBOX", "IDLE_TIMEOUT"}

// foreignVars returns those of these variables that are set, by flag.
func foreignVars(environ []string) (map[string]foreignVar, error) {
	out := map[string]foreignVar{}
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		short, ok := strings.CutPrefix(name, foreignPrefix)
		if !ok || value == "" {
			continue
		}
		if short == "SANDBOX_ALLOW_NETWORK" {
			if value != "*" {
				return nil, fmt.Errorf("%s=%q: a list of network domains cannot be enforced here, as the kernel knows addresses and ports, not names; unset it, or set it to *", name, value)
			}
			continue
		}
		s, ok := foreignSettings[short]
		if !ok {
			return nil, fmt.Errorf("%s: no such setting; known are %s", name, foreignNames())
		}
		to, err := s.to(value)
		if err != nil {
			return nil, fmt.Errorf("%s=%q: %w", name, value, err)
		}
		if slices.Contains(offByDefault, short) && (to == "false" || to == "0") {
			continue
		}
		out[s.flag] = foreignVar{name, to}
	}
	return out, nil
}

// foreignNames lists the supported variables.
func foreignNames() string {
	names := slices.Sorted(maps.Keys(foreignSettings))
	return foreignPrefix + strings.Join(names, ", "+foreignPrefix)
}

func asWritten(v string) (any, error) { return v, nil }

// commaList splits a list at commas.
func commaList(v string) (any, error) {
	var out []any
	for word := range strings.SplitSeq(v, ",") {
		if word = strings.TrimSpace(word); word != "" {
			out = append(out, word)
		}
	}
	return out, nil
}

// yesNo reads a switch.
func yesNo(v string) (any, error) {
	switch strings.ToLower(v) {
	case "true", "1", "yes", "on":
		return "true", nil
	case "false", "0", "no", "off":
		return "false", nil
	}
	return nil, fmt.Errorf("it must be true or false")
}

// milliseconds converts milliseconds to seconds.
func milliseconds(v string) (any, error) {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || !(n >= 0) {
		return nil, fmt.Errorf("it must be a number of milliseconds")
	}
	return strconv.FormatFloat(n/1000, 'f', -1, 64), nil
}
