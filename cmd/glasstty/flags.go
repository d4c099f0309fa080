package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/clientconfig"
	"github.com/glasstty/glasstty/internal/cmdline"
	"github.com/glasstty/glasstty/mcpserver"
)

// flags defines all commands, with their flags and environment variables.
type flags struct {
	MCP    mcpCmd    `cmd:"" name:"mcp" default:"withargs" help:"Serve MCP on standard input and output. This is the default."`
	Snap   snapCmd   `cmd:"" help:"Run a program in a terminal, wait until it has settled, and print its screen."`
	Serve  serveCmd  `cmd:"" help:"Serve MCP on a local socket and over HTTP, until a signal ends it."`
	Stop   stopCmd   `cmd:"" help:"End a server that runs in the background."`
	Token  tokenCmd  `cmd:"" help:"Make a token for HTTP clients."`
	Call   callCmd   `cmd:"" help:"Call a tool of a server, or run a program once without a server."`
	Ls     lsCmd     `cmd:"" help:"List the sessions of all servers of this user."`
	Attach attachCmd `cmd:"" help:"Show a session in this terminal, and type into it."`
	Watch  watchCmd  `cmd:"" help:"Show all sessions of a server in this terminal."`
	Fleet  fleetCmd  `cmd:"" help:"List the nodes of a fleet, drain one, or set a fleet up."`
	Link   linkCmd   `cmd:"" help:"Print a link to the live page of a running server."`
	Setup  setupCmd  `cmd:"" help:"Print or write the settings that connect an MCP client, or the instructions for an agent."`
	Replay replayCmd `cmd:"" help:"Play a recording or a session's log in the terminal."`
	Export exportCmd `cmd:"" help:"Write a recording or a session's log as asciicast, text, HTML, SVG or GIF."`
	Doctor doctorCmd `cmd:"" help:"Test whether this machine has what glasstty needs, and say what to do."`
	Audit  auditCmd  `cmd:"" help:"Check an audit log."`
	Config configCmd `cmd:"" help:"Print the settings that a server would have, and where each comes from."`
	Man    manCmd    `cmd:"" help:"Print the manual page."`

	Keeper keeperCmd `cmd:"" hidden:"" help:"Run the programs of a server, so that they outlive it."`

	Completion completionCmd `cmd:"" help:"Print the script that completes command lines in bash, zsh or fish."`
	Complete   completeCmd   `cmd:"" name:"__complete" hidden:"" help:"Complete a command line, for the completion scripts."`

	Version versionCmd `cmd:"" help:"Print the version."`
}

// A command is one of glasstty's commands, with its parsed flags.
type command interface {
	run(ctx context.Context, std stdio) error
}

// parse parses the command line, the environment and the settings file, and returns the command to
// run. It returns nil after printing help.
func parse(args []string, std stdio) (command, error) {
	conf, confErr := readConfiguration() // the error is reported below, if the command uses the settings
	args = rewriteHelp(args)
	root := program()
	if len(args) > 0 && root.Find(args[0]) == nil {
		root = programWithTools()
	}
	if err := unknownCommand(root, args); err != nil {
		return nil, err
	}
	line, err := root.Parse(args, conf.value)
	switch {
	case err != nil:
		return nil, argumentError(root, args, err)
	case line.Help:
		_, err := fmt.Fprint(std.out, cmdline.Help(root, line.Path...))
		return nil, err
	}
	allSettings := slices.Contains(settingsCommands, line.Command.Name)
	if allSettings || readsRecordings(line.Command) {
		if err := cmp.Or(confErr, conf.check(root)); err != nil {
			return nil, usageError(err)
		}
	}
	if allSettings {
		warnUnknown(std.err, root)
	}
	cmd := line.Command.Target.(command)
	if c, ok := cmd.(interface{ recordSettings(line *cmdline.Line) }); ok {
		c.recordSettings(line)
	}
	return cmd, nil
}

// programWithTools returns the root command, with the tools as further commands. It takes some milliseconds
// longer than program, because it makes the tools' schemas.
func programWithTools() *cmdline.Command {
	root := program()
	root.Commands = append(root.Commands, toolCommands()...)
	addManual(root, "")
	return root
}

// program returns the root command, without the tools.
func program() *cmdline.Command {
	about := "A real terminal for AI agents: an MCP server that runs programs on a terminal " +
		"and shows what a person would see there."
	vars := map[string]string{
		"maxrows": strconv.Itoa(emulator.MaxRows),
		"maxcols": strconv.Itoa(emulator.MaxCols),

		"processes": defaultProcesses(),
		"formats":   strings.Join(formats(), ","),
		"clients":   strings.Join(clientconfig.IDs(), ","),
		"tools":     strings.Join(mcpserver.ToolNames(), ","),
	}
	root := cmdline.New("glasstty", about, &flags{}, vars)
	addManual(root, "")
	return root
}

// seconds converts a number of seconds to a duration.
func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// multiline is put before every pattern that a user gives. It makes ^ and $ match at line breaks.
const multiline = "(?m)"

// A pattern is a regular expression with the syntax of the tools: RE2, with multiline.
type pattern struct{ *regexp.Regexp }

// UnmarshalText compiles the expression.
func (p *pattern) UnmarshalText(text []byte) (err error) {
	p.Regexp, err = regexp.Compile(multiline + string(text))
	if err != nil {
		var syn *syntax.Error
		if errors.As(err, &syn) {
			err = errors.New(syn.Code.String())
		}
		return fmt.Errorf("%q is not a regular expression (RE2): %w", text, err)
	}
	return nil
}
