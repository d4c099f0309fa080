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
	"sort"
	"strings"

	"github.com/glasstty/glasstty/internal/cmdline"
	"github.com/glasstty/glasstty/internal/nearest"
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

// A setting is the effective value of a flag.
type setting struct{ name, value, from string }

// fromDefault is the prefix of setting.from for a default.
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
		return usageError(err)
	}
	mgr := session.NewManager(opt)
	if _, err = mcpserver.New(mgr, c.options(std.err)); err != nil {
		err = usageError(err)
	}
	return errors.Join(err, mgr.Close())
}

// configured are the commands that read the settings file: the servers, and config.
var configured = []string{"mcp", "serve", "config"}

// A configuration holds the settings from sources other than flags and our variables.
type configuration struct {
	path  string                // of the settings file, or "" if there is none
	file  map[string]any        // values by flag
	other map[string]foreignVar // by flag, from another server's variables
}

// A foreignVar is a variable of another server, and the value that it gives our flag.
type foreignVar struct {
	name  string
	value any
}

// readConfiguration reads the settings file and the variables of mcp-interactive-terminal.
func readConfiguration() (*configuration, error) {
	path, named := settingsFile()
	c := &configuration{path: path}
	var err error
	if c.path != "" {
		c.file, err = readSettings(c.path)
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

// value is a cmdline.Source for flags that neither the command line nor our variables set.
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

// check returns an error if a key of the file, or a variable of the other server, is not a
// flag of a configured command.
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
			return fmt.Errorf("%s: no setting %q; allowed: %s", c.path, key, strings.Join(names, ", "))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.other)) {
		if !known[name] {
			return fmt.Errorf("%s is set, which this version does not support", c.other[name].name)
		}
	}
	return nil
}

// effective sets f.settings to the settings of the command in line, with their sources.
func (f *serverFlags) effective(line *cmdline.Line) {
	for i := range line.Command.Flags {
		flag := &line.Command.Flags[i]
		f.settings = append(f.settings, setting{flag.Name, flag.TOML(), cmp.Or(line.From[flag.Name], fromDefault+inWords(flag.Name))})
	}
	sort.Slice(f.settings, func(i, j int) bool { return f.settings[i].name < f.settings[j].name })
}

// inWords describes the default of a flag that has no fixed default value.
func inWords(name string) string {
	switch name {
	case "data-dir":
		return ": " + (&dirFlags{}).root()
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

// testPrefix is the prefix of the variables by which tests recognise the processes they
// started.
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
