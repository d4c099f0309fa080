package main

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/glasstty/glasstty/internal/allowlist"
	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/mask"
)

// guardFlags are the settings that restrict programs and hide secrets.
type guardFlags struct {
	Danger           bool     `default:"true" env:"GLASSTTY_DANGER" help:"Hold dangerous input until confirm_dangerous_command, or the client's user, confirms it (default true)."`
	DangerRules      string   `placeholder:"PATH" env:"GLASSTTY_DANGER_RULES" help:"File with more rules for the danger check: lines such as \"deny NAME /REGEX/ why\"."`
	AllowCommand     []string `placeholder:"PROGRAM" env:"GLASSTTY_ALLOW_COMMAND" help:"The only programs that may be started: names, paths or patterns, each with an optional pattern for the arguments after it; separated by commas (\\, is a literal comma)."`
	BlockCommand     []string `placeholder:"PROGRAM" env:"GLASSTTY_BLOCK_COMMAND" help:"Programs that may not be started, in the form of --allow-command."`
	AllowPath        []string `placeholder:"DIR" env:"GLASSTTY_ALLOW_PATH" help:"The only directories in which, or below which, programs may be started."`
	Redact           bool     `env:"GLASSTTY_REDACT" help:"Show asterisks in place of secrets in everything that clients and people see: texts with the form of a secret, and those typed at password prompts (default false)."`
	RedactRecordings bool     `env:"GLASSTTY_REDACT_RECORDINGS" help:"Replace secrets in the logs and recordings on disk too, for good (default false)."`
	WaitTimeout      float64  `name:"default-timeout" min:"0.1" max:"600" unit:"seconds" placeholder:"SECONDS" env:"GLASSTTY_DEFAULT_TIMEOUT" help:"Timeout of calls without one (default: each tool's own)."`

	hidden *mask.Mask // made by mask; nil before that, and if secrets are not hidden
}

// mask returns the mask that hides secrets, or nil if they are not hidden.
func (f *guardFlags) mask() *mask.Mask {
	if (f.Redact || f.RedactRecordings) && f.hidden == nil {
		f.hidden = mask.New()
	}
	return f.hidden
}

// options returns o with the settings of f. It logs rules that name programs that are not installed.
func (f *guardFlags) options(o session.Options, log *slog.Logger) (session.Options, error) {
	if f.Danger {
		checker, err := dangerCheck(f.DangerRules)
		if err != nil {
			return o, usageError(fmt.Errorf("--danger-rules: rules of the danger check: %w", err))
		}
		o.Danger = checker
	}
	programs, err := allowlist.New(f.AllowCommand, f.BlockCommand, f.AllowPath)
	if err != nil {
		return o, usageError(err)
	}
	o.Programs = programs
	for _, rule := range programs.NotInstalled() {
		log.Warn("a rule names a program that is not installed", "rule", rule)
	}
	o.Mask, o.MaskLog = f.mask(), f.RedactRecordings
	return o, nil
}

// dangerCheck returns the danger check with the built-in rules and, unless path is "", the rules in the
// file at path.
func dangerCheck(path string) (*danger.Checker, error) {
	if path == "" {
		return new(danger.Checker), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := danger.New(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// auditedSettings returns the settings for the first record of the audit log.
func (f *guardFlags) auditedSettings() map[string]any {
	return map[string]any{
		"danger": f.Danger, "danger_rules": f.DangerRules,
		"allow_command": f.AllowCommand, "block_command": f.BlockCommand, "allow_path": f.AllowPath,
	}
}
