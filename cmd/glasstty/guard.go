package main

import (
	"fmt"
	"log/slog"

	"github.com/glasstty/glasstty/internal/allowlist"
	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/mask"
)

// guardFlags are the settings that restrict clients.
type guardFlags struct {
	Danger           bool     `default:"true" negatable:"" env:"GLASSTTY_DANGER" help:"Hold dangerous input until confirm_dangerous_command, or the client's user, confirms it (default true)."`
	DangerRules      string   `placeholder:"PATH" env:"GLASSTTY_DANGER_RULES" help:"File with more rules for the danger check: lines such as \"deny NAME /REGEX/ why\"."`
	AllowCommand     []string `placeholder:"PROGRAM" env:"GLASSTTY_ALLOW_COMMAND" help:"The only programs that may be started: names, paths or patterns, each with an optional pattern for the arguments after it; separated by commas (\\, is a literal comma)."`
	BlockCommand     []string `placeholder:"PROGRAM" env:"GLASSTTY_BLOCK_COMMAND" help:"Programs that may not be started, in the form of --allow-command."`
	AllowPath        []string `placeholder:"DIR" env:"GLASSTTY_ALLOW_PATH" help:"The only directories in which, or below which, programs may be started."`
	Redact           bool     `negatable:"" env:"GLASSTTY_REDACT" help:"Show asterisks in place of secrets in everything that clients and people see: texts with the form of a secret, and those typed at password prompts (default false)."`
	RedactRecordings bool     `negatable:"" env:"GLASSTTY_REDACT_RECORDINGS" help:"Replace secrets in the logs and recordings on disk too, for good (default false)."`
	WaitTimeout      float64  `name:"default-timeout" min:"0.1" max:"600" unit:"seconds" placeholder:"SECONDS" env:"GLASSTTY_DEFAULT_TIMEOUT" help:"Timeout of calls without one (default: each tool's own)."`
}

// options adds the settings to o.
func (f *guardFlags) options(o session.Options, log *slog.Logger) (session.Options, error) {
	if f.Danger {
		rules := danger.Rules{}
		if f.DangerRules != "" {
			var err error
			if rules, err = danger.ReadRules(f.DangerRules); err != nil {
				return o, usageError{fmt.Errorf("--danger-rules: %w", err)}
			}
		}
		o.Danger = danger.New(rules)
	}
	programs, err := allowlist.New(f.AllowCommand, f.BlockCommand, f.AllowPath)
	if err != nil {
		return o, usageError{err}
	}
	o.Programs = programs
	for _, rule := range programs.Idle() {
		log.Warn("a rule of programs names none that is here", "rule", rule)
	}
	if f.Redact || f.RedactRecordings {
		o.Mask, o.MaskLog = mask.New(), f.RedactRecordings
	}
	return o, nil
}

// guarding returns the settings for the first record of the audit log.
func (f *guardFlags) guarding() map[string]any {
	return map[string]any{
		"danger": f.Danger, "danger_rules": f.DangerRules,
		"allow_command": f.AllowCommand, "block_command": f.BlockCommand, "allow_path": f.AllowPath,
	}
}

// hideFlags decide whether secrets in recordings are hidden.
type hideFlags struct {
	Redact bool `negatable:"" env:"GLASSTTY_REDACT" help:"Show asterisks in place of texts with the form of a secret. Only the server knows the passwords that were typed; its --redact-recordings keeps them out of recordings (default false)."`
	hidden *mask.Mask
}

// mask returns the mask that hides secrets, nil for none.
func (f *hideFlags) mask() *mask.Mask {
	if f.Redact && f.hidden == nil {
		f.hidden = mask.New()
	}
	return f.hidden
}
