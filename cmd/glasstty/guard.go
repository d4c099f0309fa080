package main

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/glasstty/glasstty/internal/allowlist"
	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/mask"
)

// guardFlags say what a server may do for its clients.
type guardFlags struct {
	Danger           bool     `default:"true" negatable:"" env:"GLASSTTY_DANGER" help:"Hold dangerous input until confirm_dangerous_command, or the client's user, confirms it (default true)."`
	DangerRules      string   `placeholder:"PATH" env:"GLASSTTY_DANGER_RULES" help:"File with further rules for that check: lines such as \"deny NAME /REGEX/ why\"."`
	AllowCommand     []string `placeholder:"PROGRAM" env:"GLASSTTY_ALLOW_COMMAND" help:"The only programs that may be started: names, paths or patterns, each with a pattern of arguments behind it when wanted; commas between them (\\, is a comma of a pattern)."`
	BlockCommand     []string `placeholder:"PROGRAM" env:"GLASSTTY_BLOCK_COMMAND" help:"Programs that may not be started, written the same way."`
	AllowPath        []string `placeholder:"DIR" env:"GLASSTTY_ALLOW_PATH" help:"The only directories, with all below them, that programs may be started in."`
	Redact           bool     `negatable:"" env:"GLASSTTY_REDACT" help:"Show asterisks in place of secrets, by their form and as typed at password prompts, in everything that clients and people are shown (default false)."`
	RedactRecordings bool     `negatable:"" env:"GLASSTTY_REDACT_RECORDINGS" help:"Do so in the logs and recordings on disk too, for good (default false)."`
	WaitTimeout      *seconds `name:"default-timeout" placeholder:"SECONDS" env:"GLASSTTY_DEFAULT_TIMEOUT" help:"Timeout of calls that give none (default: each tool's own)."`
}

// options returns what the flags say of sessions.
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

// guarding returns the settings that the audit log begins with.
func (f *guardFlags) guarding() map[string]any {
	return map[string]any{
		"danger": f.Danger, "danger_rules": f.DangerRules,
		"allow_command": f.AllowCommand, "block_command": f.BlockCommand, "allow_path": f.AllowPath,
	}
}

// timeout returns the timeout of calls that give none, 0 for each tool's own.
func (f *guardFlags) timeout() time.Duration {
	if f.WaitTimeout == nil {
		return 0
	}
	return time.Duration(*f.WaitTimeout)
}

// hideFlags say whether recordings are shown with their secrets.
type hideFlags struct {
	Redact bool `negatable:"" env:"GLASSTTY_REDACT" help:"Show asterisks in place of secrets, by their form: what was typed at password prompts only the server knows, which hides it in the recordings with --redact-recordings (default false)."`
	hidden *mask.Mask
}

// mask returns what hides the secrets, nil for nothing.
func (f *hideFlags) mask() *mask.Mask {
	if f.Redact && f.hidden == nil {
		f.hidden = mask.New()
	}
	return f.hidden
}
