package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/glasstty/glasstty/internal/settings"
	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
)

// configCmd prints the settings of a server, and where each comes from.
type configCmd struct {
	serverFlags
	httpFlags
	Socket string `placeholder:"PATH" env:"GLASSTTY_SOCKET" help:"A local socket for glasstty call."`
	Daemon bool   `env:"GLASSTTY_DAEMON" help:"See glasstty mcp."`
	Watch  bool   `env:"GLASSTTY_WATCH" help:"See glasstty mcp."`
	Leave  bool   `env:"GLASSTTY_LEAVE" help:"See glasstty serve."`

	sources []setting
}

// Help returns the command's longer description.
func (*configCmd) Help() string {
	return "A setting is taken from the first of these that has it: the flag, its GLASSTTY_ variable, the " +
		"MCP_TERMINAL_ variable of mcp-interactive-terminal that means the same, the file of settings, the " +
		"default. The file is glasstty/config.toml in $XDG_CONFIG_HOME (~/.config), or what GLASSTTY_CONFIG " +
		"names; it holds the flags of mcp and serve by their names, as in: max-sessions = 20."
}

// A setting is one effective value.
type setting struct{ name, value, from string }

// How a setting's from begins that comes from a flag, or from nowhere.
const (
	fromFlag    = "flag "
	fromDefault = "default"
)

// isDefault reports whether nobody has given the setting.
func (s setting) isDefault() bool { return strings.HasPrefix(s.from, fromDefault) }

func (c *configCmd) run(_ context.Context, std stdio) error {
	for _, s := range c.sources {
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

// A configuration is where settings come from beside flags and variables.
type configuration struct {
	path  string                // of the file, "" when there is none
	file  settings.File         // by flag
	other map[string]foreignVar // by flag, of another server's variables
}

// A foreignVar is a variable of another server that is set, in our terms.
type foreignVar struct {
	name  string
	value any
}

// readConfiguration reads the file of settings and the variables of the server
// that our users come from.
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

// Resolve returns a flag's value from what is below flags and our variables.
func (c *configuration) Resolve(_ *kong.Context, parent *kong.Path, flag *kong.Flag) (any, error) {
	if n := parent.Node(); n == nil || !slices.Contains(configured, n.Name) {
		return nil, nil
	}
	if envOf(flag) != "" {
		return nil, nil
	}
	if v, ok := c.other[flag.Name]; ok {
		return v.value, nil
	}
	if v, ok := c.file[flag.Name]; ok {
		return v, nil
	}
	return nil, nil
}

// envOf returns the variable that gives a flag its value, "" for none.
func envOf(flag *kong.Flag) string {
	for _, name := range flag.Envs {
		if _, ok := os.LookupEnv(name); ok {
			return name
		}
	}
	return ""
}

// Validate is part of kong.Resolver; check does its work, for servers alone.
func (c *configuration) Validate(*kong.Application) error { return nil }

// check refuses keys of the file, and variables of the other server, that no flag
// stands for.
func (c *configuration) check(app *kong.Application) error {
	known := map[string]bool{}
	for _, n := range app.Children {
		if slices.Contains(configured, n.Name) {
			for _, f := range n.Flags {
				known[f.Name] = f.Name != "help"
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.file)) {
		if !known[key] {
			return fmt.Errorf("%s: no setting %q; allowed are %s", c.path, key, strings.Join(knownNames(known), ", "))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.other)) {
		if !known[name] {
			return fmt.Errorf("%s is set, which this version cannot do", c.other[name].name)
		}
	}
	return nil
}

// knownNames lists the settings there are.
func knownNames(known map[string]bool) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if known[name] {
			names = append(names, name)
		}
	}
	return names
}

// blame adds to an error about a flag where its value came from, when that is not
// the command line.
func (c *configuration) blame(err error, args []string) error {
	flag, _, ok := strings.Cut(strings.TrimPrefix(err.Error(), "--"), ":")
	if !ok {
		return err
	}
	flag, _, _ = strings.Cut(flag, "=")
	if slices.ContainsFunc(args, func(a string) bool { return a == "--"+flag || strings.HasPrefix(a, "--"+flag+"=") }) {
		return err
	}
	if v, ok := c.other[flag]; ok {
		return fmt.Errorf("%w (from %s)", err, v.name)
	}
	if _, ok := c.file[flag]; ok {
		return fmt.Errorf("%w (from %s)", err, c.path)
	}
	return err
}

// shownValue writes a flag's value as the file of settings would have it.
func shownValue(f *kong.Flag) string {
	v := f.Target
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return `""`
		}
		v = v.Elem()
	}
	switch x := v.Interface().(type) {
	case seconds:
		return strconv.FormatFloat(time.Duration(x).Seconds(), 'f', -1, 64)
	case days:
		return strconv.FormatFloat(time.Duration(x).Hours()/24, 'f', -1, 64)
	case megas:
		return strconv.FormatInt(int64(x)>>20, 10)
	case portFlag:
		if !x.given {
			return strconv.Itoa(defaultPort)
		}
		return strconv.Itoa(x.port)
	case fmt.Stringer:
		return plainValue(x.String())
	case []string:
		words := make([]string, len(x))
		for i, w := range x {
			words[i] = strconv.Quote(w)
		}
		return "[" + strings.Join(words, ", ") + "]"
	}
	if v.Kind() == reflect.String {
		return strconv.Quote(v.String())
	}
	return fmt.Sprint(v.Interface())
}

// plainValue writes a number as it is, and words as the file of settings has them.
func plainValue(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return strconv.Quote(text)
}

// givenFlags are the flags of the command line, by name.
func givenFlags(ctx *kong.Context) map[string]bool {
	given := map[string]bool{}
	for _, p := range ctx.Path {
		if p.Flag != nil && !p.Resolved {
			given[p.Flag.Name] = true
		}
	}
	return given
}

// effective lists the settings of the selected command with their sources.
func (c *configuration) effective(ctx *kong.Context) []setting {
	given := givenFlags(ctx)
	var out []setting
	for _, f := range ctx.Selected().Flags {
		if f.Name == "help" || f.Hidden {
			continue
		}
		s := setting{name: f.Name, value: shownValue(f), from: fromDefault}
		_, fromOther := c.other[f.Name]
		_, fromFile := c.file[f.Name]
		switch env := envOf(f); {
		case given[f.Name]:
			s.from = fromFlag + "--" + f.Name
		case env != "":
			s.from = env
		case fromOther:
			s.from = c.other[f.Name].name
		case fromFile:
			s.from = c.path
		}
		if s.isDefault() {
			s.from += inWords(f.Name)
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b setting) int { return strings.Compare(a.name, b.name) })
	return out
}

// inWords says what a default comes to that is no value.
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

// ownVars are variables of ours that are no flags.
var ownVars = []string{configVar, tokenVar, "GLASSTTY_SESSION", "GLASSTTY_REQUIRE"}

// testPrefix begins the variables by which tests know what they started.
const testPrefix = "GLASSTTY_TEST_"

// warnUnknown names variables that look like ours and mean nothing: a typing error
// in one that protects must not pass in silence.
func warnUnknown(w io.Writer, app *kong.Application) {
	known := map[string]bool{}
	for _, name := range ownVars {
		known[name] = true
	}
	for _, n := range app.Children {
		for _, f := range n.Flags {
			for _, env := range f.Envs {
				known[env] = true
			}
		}
	}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "GLASSTTY_") && !known[name] && !strings.HasPrefix(name, testPrefix) {
			fmt.Fprintf(w, "glasstty: the variable %s is set and means nothing here; glasstty mcp --help lists those that do\n", name)
		}
	}
}
