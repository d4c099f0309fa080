package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/internal/cmdline"
	"github.com/glasstty/glasstty/internal/nearest"
	"github.com/glasstty/glasstty/internal/settings"
	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
)

// configCmd prints the settings of a server, and where each comes from.
type configCmd struct {
	serverFlags
	httpFlags  `group:"HTTP"`
	fleetFlags `group:"Fleet"`
	Socket     string `placeholder:"PATH" env:"GLASSTTY_SOCKET" help:"A local socket for glasstty call."`
	Daemon     bool   `env:"GLASSTTY_DAEMON" help:"See glasstty mcp."`
	Watch      bool   `env:"GLASSTTY_WATCH" help:"See glasstty mcp."`
	Leave      bool   `env:"GLASSTTY_LEAVE" help:"See glasstty serve."`
}

// Help returns the command's longer description.
func (*configCmd) Help() string {
	return "A setting is taken from the first of these that has it: the flag, its GLASSTTY_ variable, the " +
		"MCP_TERMINAL_ variable of mcp-interactive-terminal with the same meaning, the settings file, the " +
		"default. The file is glasstty/config.toml in $XDG_CONFIG_HOME (~/.config), or the one that GLASSTTY_CONFIG " +
		"names; it sets flags of mcp and serve by their names, as in: max-sessions = 20."
}

// A setting is one effective value.
type setting struct{ name, value, from string }

// fromDefault begins setting.from for a default.
const fromDefault = "default"

// isDefault reports whether the setting has its default value because nothing sets it.
func (s setting) isDefault() bool { return strings.HasPrefix(s.from, fromDefault) }

func (c *configCmd) run(_ context.Context, std stdio) error {
	for _, s := range c.settings {
		if _, err := fmt.Fprintf(std.out, "%s = %s  # %s\n", s.name, s.value, s.from); err != nil {
			return err
		}
	}
	opt, err := c.sessions(session.Options{}, std.err)
	if err != nil {
		return err
	}
	if err := c.auditFlags.check(); err != nil {
		return usageError{err}
	}
	mgr := session.NewManager(opt)
	if _, err = mcpserver.New(mgr, c.options(std.err)); err != nil {
		err = usageError{err}
	}
	return errors.Join(err, mgr.Close())
}

// configVar names the file of settings.
const configVar = "GLASSTTY_CONFIG"

// configured are the commands that have settings: those that are servers.
var configured = []string{"mcp", "serve", "config"}

// A configuration holds the settings from sources other than flags and our variables.
type configuration struct {
	path  string                // of the file, "" when there is none
	file  map[string]any        // by flag
	other map[string]foreignVar // by flag, from another server's variables
}

// A foreignVar is a variable of another server and the value of our flag.
type foreignVar struct {
	name  string
	value any
}

// readConfiguration reads the settings file and the variables of mcp-interactive-terminal.
func readConfiguration() (*configuration, error) {
	c := &configuration{path: os.Getenv(configVar)}
	named := c.path != ""
	if !named {
		c.path = settings.Path("glasstty")
	}
	var err error
	if c.path != "" {
		c.file, err = settings.Read(c.path)
	}
	if errors.Is(err, fs.ErrNotExist) && !named {
		c.path, err = "", nil
	}
	if err != nil && named {
		return nil, fmt.Errorf("%s=%q: %w", configVar, c.path, err)
	}
	if err != nil {
		return nil, err
	}
	c.other, err = foreignVars(os.Environ())
	return c, err
}

// value returns a flag's value from the sources below flags and our variables, and the
// source.
func (c *configuration) value(of *cmdline.Command, flag *cmdline.Flag) (value any, from string) {
	if !slices.Contains(configured, of.Name) {
		return nil, ""
	}
	if v, ok := c.other[flag.Name]; ok {
		return v.value, v.name
	}
	if v, ok := c.file[flag.Name]; ok {
		return v, c.path
	}
	return nil, ""
}

// check returns an error for a key of the file, or a variable of the other server, that is no
// flag of a command with settings.
func (c *configuration) check(root *cmdline.Command) error {
	known := map[string]bool{}
	for _, command := range root.Commands {
		if !slices.Contains(configured, command.Name) {
			continue
		}
		for _, f := range command.Flags {
			known[f.Name] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.file)) {
		if !known[key] {
			names := slices.Sorted(maps.Keys(known))
			if near := nearest.Word(key, names); near != "" {
				return fmt.Errorf("%s: no setting %q, did you mean %q?", c.path, key, near)
			}
			return fmt.Errorf("%s: no setting %q; allowed are %s", c.path, key, strings.Join(names, ", "))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.other)) {
		if !known[name] {
			return fmt.Errorf("%s is set, which this version does not support", c.other[name].name)
		}
	}
	return nil
}

// effective notes the settings of the command that line has selected, with their sources.
func (f *serverFlags) effective(line *cmdline.Line) {
	for i := range line.Command.Flags {
		flag := &line.Command.Flags[i]
		f.settings = append(f.settings, setting{flag.Name, flag.TOML(), cmp.Or(line.From[flag.Name], fromDefault+inWords(flag.Name))})
	}
	slices.SortFunc(f.settings, func(a, b setting) int { return strings.Compare(a.name, b.name) })
}

// inWords describes a default that is not a value.
func inWords(name string) string {
	switch name {
	case "data-dir":
		return ": " + (&dataFlags{}).root()
	case "socket":
		return ": " + defaultSocket() + " of serve, one for each process of mcp"
	case "default-timeout":
		return ": each tool's"
	case "sandbox-processes":
		return ": 1024, no limit for root"
	}
	return ""
}

// ownVars are GLASSTTY_ variables that are not flags.
var ownVars = []string{configVar, tokenVar, "GLASSTTY_SESSION", "GLASSTTY_REQUIRE", "GLASSTTY_LONG"}

// testPrefix begins the variables by which tests recognise the processes they started.
const testPrefix = "GLASSTTY_TEST_"

// warnUnknown warns about unknown GLASSTTY_ variables: a misspelt safety setting must not go
// unnoticed.
func warnUnknown(w io.Writer, root *cmdline.Command) {
	known := slices.Clone(ownVars)
	for _, c := range root.Commands {
		for _, f := range c.Flags {
			known = append(known, f.Env)
		}
	}
	for _, v := range slices.Sorted(slices.Values(os.Environ())) {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "GLASSTTY_") && !slices.Contains(known, name) && !strings.HasPrefix(name, testPrefix) {
			fmt.Fprintf(w, "glasstty: the variable %s is set and means nothing here; the manual (glasstty man) lists those that do\n", name)
		}
	}
}
