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
	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
)

// configCmd prints the settings of a server and their sources. It returns an error if serve would reject them.
type configCmd struct {
	serveFlags
	Daemon     bool `env:"GLASSTTY_DAEMON" help:"See glasstty mcp."`
	Watch      bool `env:"GLASSTTY_WATCH" help:"See glasstty mcp."`
	Background bool `help:"See glasstty serve."`
	Replace    bool `help:"See glasstty serve."`
}

// A setting is the effective value of a flag, and the source of the value.
type setting struct{ name, value, from string }

// fromDefault is the prefix of setting.from for a default value.
const fromDefault = "default"

// isDefault reports whether no source sets the flag.
func (s setting) isDefault() bool { return strings.HasPrefix(s.from, fromDefault) }

func (c *configCmd) run(ctx context.Context, std stdio) error {
	for _, s := range c.settings {
		if _, err := fmt.Fprintf(std.out, "%s = %s  # %s\n", s.name, s.value, s.from); err != nil {
			return err
		}
	}
	serve := &serveCmd{serveFlags: c.serveFlags}
	if err := errors.Join(serve.checkFleet(), c.auditFlags.check()); err != nil {
		return usageError(err)
	}
	opt, err := c.sessions(session.Options{}, std.err)
	if err != nil {
		return err
	}
	mgr := session.NewManager(opt)
	srv, err := mcpserver.New(mgr, c.options(std.err))
	if err == nil && c.HTTP {
		err = serve.checkHTTP(ctx, &backend{mgr: mgr, srv: srv}, c.logger(std.err))
	}
	if err != nil {
		err = usageError(err)
	}
	return errors.Join(err, mgr.Close())
}

// settingsCommands are the commands to which all settings of the file apply: the servers, and config.
var settingsCommands = []string{"mcp", "serve", "config"}

// appliesTo reports whether a configuration's setting for a flag applies to a command. Of the settings,
// data-dir and redact also apply to export and replay, which find and redact recordings.
func appliesTo(of *cmdline.Command, flag string) bool {
	return slices.Contains(settingsCommands, of.Name) ||
		readsRecordings(of) && (flag == "data-dir" || flag == "redact")
}

// readsRecordings reports whether the command is export or replay.
func readsRecordings(of *cmdline.Command) bool { return of.Name == "export" || of.Name == "replay" }

// A configuration holds the settings from sources other than the command line and the GLASSTTY_ variables.
type configuration struct {
	path    string                // of the settings file, or "" if there is none
	file    map[string]any        // values by flag
	foreign map[string]foreignVar // by flag, from another server's variables
}

// A foreignVar is the name of a variable of another server, and the value that it gives to our flag.
type foreignVar struct{ name, value string }

// readConfiguration reads the settings file and the variables of mcp-interactive-terminal. It is an error
// if the file that configVar names does not exist. The result is not nil, even with an error.
func readConfiguration() (*configuration, error) {
	path, named := settingsFile()
	c := &configuration{}
	var err error
	if path != "" {
		c.file, err = readSettings(path)
	}
	switch {
	case err == nil:
		c.path = path
	case named:
		return c, fmt.Errorf("%s=%q: %w", configVar, path, err)
	case !errors.Is(err, fs.ErrNotExist):
		return c, fmt.Errorf("settings: %w", err)
	}
	c.foreign, err = foreignVars(os.Environ())
	return c, err
}

// value is a cmdline.Source for flags that neither the command line nor the GLASSTTY_ variables set. The
// variables of another server override the file. value ignores empty lists.
func (c *configuration) value(of *cmdline.Command, flag *cmdline.Param) (text, from string, err error) {
	if !appliesTo(of, flag.Name) {
		return "", "", nil
	}
	if v, ok := c.foreign[flag.Name]; ok {
		return v.value, v.name, nil
	}
	switch v := c.file[flag.Name].(type) {
	case nil:
		return "", "", nil
	case []any:
		var words []string
		for _, element := range v {
			words = append(words, strings.ReplaceAll(fmt.Sprint(element), ",", `\,`))
		}
		if len(words) == 0 {
			return "", "", nil
		}
		if !flag.IsList() {
			err = errors.New("one value is needed, not a list")
		}
		return strings.Join(words, ","), c.path, err
	case map[string]any:
		return "", c.path, errors.New("a setting is a string, a number, true, false or a list of these, not a table")
	default:
		return fmt.Sprint(v), c.path, nil
	}
}

// check returns an error if a key of the file is not a flag of one of settingsCommands.
func (c *configuration) check(root *cmdline.Command) error {
	var known []string
	for _, name := range settingsCommands {
		for _, f := range root.Find(name).Flags {
			known = append(known, f.Name)
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, key := range slices.Sorted(maps.Keys(c.file)) {
		if !slices.Contains(known, key) {
			return fmt.Errorf("%s: no setting %q%s", c.path, key, nearest.Suggest(key, known, "; allowed: "+strings.Join(known, ", ")))
		}
	}
	return nil
}

// recordSettings adds the settings of the command in line to f.settings, sorted by name.
func (f *serverFlags) recordSettings(line *cmdline.Line) {
	for i := range line.Command.Flags {
		flag := &line.Command.Flags[i]
		f.settings = append(f.settings, setting{flag.Name, flag.TOML(), cmp.Or(line.From[flag.Name], fromDefault+describeDefault(flag.Name))})
	}
	slices.SortFunc(f.settings, func(a, b setting) int { return strings.Compare(a.name, b.name) })
}

// describeDefault describes the default of a flag without a fixed default, and is "" for others.
func describeDefault(name string) string {
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

// ownVars are the GLASSTTY_ variables that set no flag.
var ownVars = []string{configVar, tokenVar, "GLASSTTY_SESSION", "GLASSTTY_REQUIRE", "GLASSTTY_LONG"}

// testPrefix is the prefix of the variables with which tests mark the processes that they start.
const testPrefix = "GLASSTTY_TEST_"

// warnUnknown warns about unknown GLASSTTY_ variables, which could be misspelt safety settings.
func warnUnknown(w io.Writer, root *cmdline.Command) {
	known := slices.Clone(ownVars)
	for _, c := range root.Commands {
		for _, f := range c.Flags {
			known = append(known, f.Env)
		}
	}
	for _, v := range slices.Sorted(slices.Values(os.Environ())) {
		name, value, _ := strings.Cut(v, "=")
		if value != "" && strings.HasPrefix(name, "GLASSTTY_") && !slices.Contains(known, name) && !strings.HasPrefix(name, testPrefix) {
			fmt.Fprintf(w, "glasstty: the variable %s is set and means nothing here; the manual (glasstty man) lists the known ones\n", name)
		}
	}
}
