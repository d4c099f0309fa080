package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/sandbox"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/confine"
)

// sandboxFlags are the settings of the sandbox.
type sandboxFlags struct {
	Sandbox          sandboxMode     `default:"off" bare:"on" words:"on,off,strict" env:"GLASSTTY_SANDBOX" help:"Put every program into a sandbox: it can read what you can, and write only in its working directory and a temporary one. With =strict, it is an error if this machine cannot enforce all of it (default ${default})."`
	SandboxBackend   sandbox.Backend `default:"landlock" enum:"landlock,bwrap" placeholder:"NAME" env:"GLASSTTY_SANDBOX_BACKEND" help:"What enforces the sandbox: landlock (the kernel), or bwrap (bubblewrap, when installed) (default ${default})."`
	SandboxWrite     []string        `placeholder:"PATH" env:"GLASSTTY_SANDBOX_WRITE" help:"Further directories and files that sandboxed programs may write."`
	SandboxRead      []string        `placeholder:"PATH" env:"GLASSTTY_SANDBOX_READ" help:"The only paths that sandboxed programs may read, in addition to what they may write and the system's own directories (default: everything)."`
	SandboxHide      []string        `placeholder:"PATH" env:"GLASSTTY_SANDBOX_HIDE" help:"Paths that sandboxed programs may not read, such as ~/.ssh. The server's own data is always hidden."`
	SandboxNetwork   []string        `default:"all" placeholder:"TARGET" env:"GLASSTTY_SANDBOX_NETWORK" help:"What sandboxed programs may connect to: all, none, private (a localhost of their own), or TCP ports such as 80,443 (default ${default})."`
	SandboxSockets   bool            `env:"GLASSTTY_SANDBOX_SOCKETS" help:"Let sandboxed programs connect to local sockets: ssh-agent, docker, D-Bus, X11. The services behind these sockets can do things for a program that the sandbox forbids."`
	SandboxProcesses int             `default:"${processes}" min:"0" max:"1073741824" placeholder:"N" env:"GLASSTTY_SANDBOX_PROCESSES" help:"Processes and threads that sandboxed programs may have in addition to yours, 0 for no limit (default 1024; 0 for root, for whom the kernel has no such limit)."`
	SandboxMemory    int             `default:"4096" min:"0" max:"1073741824" placeholder:"MB" env:"GLASSTTY_SANDBOX_MEMORY" help:"Data that one sandboxed process may hold in memory, in megabytes, 0 for no limit (default ${default})."`
	SandboxFiles     int             `default:"0" min:"0" max:"1073741824" placeholder:"N" env:"GLASSTTY_SANDBOX_FILES" help:"Files that one sandboxed process may have open, 0 for the system's limit (default ${default})."`
	SandboxCPU       int             `name:"sandbox-cpu" default:"0" min:"0" max:"1073741824" placeholder:"SECONDS" env:"GLASSTTY_SANDBOX_CPU" help:"Processor time of one sandboxed process, in seconds, 0 for no limit (default ${default})."`
	ScrubEnv         bool            `env:"GLASSTTY_SCRUB_ENV" help:"Withhold variables that seem to hold secrets from all programs. Sandboxed ones never get them."`
	KeepEnv          []string        `placeholder:"NAME" env:"GLASSTTY_KEEP_ENV" help:"Variables to pass on even if they look like secrets, such as GITHUB_TOKEN or AWS_*."`
}

// A sandboxMode is off, on or strict.
type sandboxMode string

// UnmarshalText reads off, on or strict. It also accepts the usual words for on and off.
func (m *sandboxMode) UnmarshalText(text []byte) error {
	switch strings.ToLower(string(text)) {
	case "", "on", "true", "1", "yes":
		*m = "on"
	case "off", "false", "0", "no":
		*m = "off"
	case "strict":
		*m = "strict"
	default:
		return fmt.Errorf("%q is not one of on, off, strict", text)
	}
	return nil
}

// defaultProcesses is the default of --sandbox-processes.
func defaultProcesses() string {
	if os.Geteuid() == 0 {
		return "0"
	}
	return "1024"
}

// An ownPath is a path of the server that sandboxed programs may not write.
type ownPath struct {
	path   string // "" for none
	hidden bool   // sandboxed programs may not read the path either
}

// options returns o with the flags. If the sandbox is on, a setting that this machine cannot enforce causes
// a warning, here and in every session. In strict mode it is an error.
func (f *sandboxFlags) options(o session.Options, own []ownPath, settings []setting, log *slog.Logger) (session.Options, error) {
	p, err := f.policy(own)
	if err != nil {
		return o, usageError(err)
	}
	if err := sandbox.CheckNames(f.KeepEnv); err != nil {
		return o, usageError(fmt.Errorf("--keep-env: %w", err))
	}
	o.Confine = confine.Rules{Policy: p, Sandboxed: f.Sandbox != "off", Scrub: f.ScrubEnv, KeepEnv: f.KeepEnv}
	if !o.Confine.Sandboxed {
		var idle []string
		for _, s := range settings {
			if strings.HasPrefix(s.name, "sandbox-") && !s.isDefault() {
				idle = append(idle, "--"+s.name)
			}
		}
		if len(idle) > 0 {
			log.Warn("without --sandbox these settings apply only to sessions that ask for a sandbox", "set", strings.Join(idle, ", "))
		}
		return o, nil
	}
	missing, err := sandbox.Probe().Check(p)
	if err != nil {
		return o, usageError(fmt.Errorf("--sandbox: %w", err))
	}
	for _, m := range missing {
		log.Warn("the sandbox enforces only a part of its settings", "missing", m)
	}
	return o, nil
}

// policy returns the policy that the flags describe. It hides or protects the paths in own.
func (f *sandboxFlags) policy(own []ownPath) (sandbox.Policy, error) {
	network, ports, err := sandbox.ParseNetwork(f.SandboxNetwork)
	if err != nil {
		return sandbox.Policy{}, fmt.Errorf("--sandbox-network: %w", err)
	}
	p := sandbox.Policy{
		Strict: f.Sandbox == "strict", Backend: f.SandboxBackend,
		Write: fullPaths(f.SandboxWrite), Read: fullPaths(f.SandboxRead), Hide: fullPaths(f.SandboxHide),
		Network: network, Ports: ports, Sockets: f.SandboxSockets,
		Limits: sandbox.Limits{
			Processes: f.SandboxProcesses, Memory: int64(f.SandboxMemory) << 20, Files: f.SandboxFiles, CPU: f.SandboxCPU,
		},
	}
	for _, o := range own {
		switch {
		case o.path == "":
		case o.hidden:
			p.Hide = append(p.Hide, fullPath(o.path))
		default:
			p.Protect = append(p.Protect, fullPath(o.path))
		}
	}
	return p.Check()
}

// ownPaths returns more, and the paths that every server protects from sandboxed programs.
func (f *serverFlags) ownPaths(more ...ownPath) []ownPath {
	config, _ := settingsFile()
	// The default directories are included because other servers of this user may use them.
	more = append(more, ownPath{f.root(), true}, ownPath{(&dirFlags{}).root(), true}, ownPath{filepath.Dir(defaultSocket()), false}, ownPath{config, false})
	if f.AuditLog != "" {
		more = append(more, ownPath{f.AuditLog, true}, ownPath{audit.HeadName(f.AuditLog), true})
	}
	return append(more, ownPath{f.AuditKey, true}, ownPath{f.DangerRules, false})
}

// fullPaths applies fullPath to each path.
func fullPaths(paths []string) []string {
	var out []string
	for _, p := range paths {
		out = append(out, fullPath(p))
	}
	return out
}

// fullPath makes a path absolute. It expands a leading ~, because no shell does so in the settings file.
func fullPath(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		if home, err := os.UserHomeDir(); err == nil {
			path = home + rest
		}
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
