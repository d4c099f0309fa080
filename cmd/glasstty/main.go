// Command glasstty gives programs a real terminal and AI agents a way to use
// it.
//
//	glasstty, glasstty mcp     serve MCP on standard input and output
//	glasstty snap -- PROGRAM   run one program, print its screen
//	glasstty serve             serve MCP on a local socket, for glasstty call, and
//	                           over HTTP
//	glasstty stop              end the one that runs in the background
//	glasstty audit verify FILE check an audit log
//	glasstty token             make a token for HTTP clients
//	glasstty call TOOL …       call a tool over that socket, or run a program once
//	glasstty replay RECORDING  play a recording or a session's log
//	glasstty export RECORDING  write it as asciicast, text, HTML, SVG or GIF
//	glasstty setup CLIENT      connect an MCP client
//	glasstty doctor            test the machine
//	glasstty completion SHELL  print a script for completion
//	glasstty man               print the manual page
//	glasstty version           print the version
//
// Every flag can be given as an environment variable too; --help names them.
//
// In mcp, standard output carries only MCP; diagnostics go to standard error. All commands
// end the programs that they started before they return, also on SIGINT, SIGTERM and SIGHUP.
// A server with an audit log reopens it on SIGHUP.
//
// The exit status is 0 on success, 1 when the command failed, 2 when the arguments or
// settings are wrong, and 128 plus the signal's number when a signal ended snap or call.
// Call has two more: 3 when no server can be reached, and 4 when the tool's wait timed
// out, which snap has too. Audit verify has 5 for a log that was changed.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/glasstty/glasstty/internal/sandbox"
)

// Exit statuses.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// A statusError has an exit status. Without an error nothing is printed.
type statusError struct {
	error
	status int
}

// Unwrap returns the reason.
func (e statusError) Unwrap() error { return e.error }

// stdio are the three standard files, so that a test can give its own.
type stdio struct {
	in  *os.File
	out *os.File
	err io.Writer
}

func main() {
	if sandbox.Asked(os.Args) {
		os.Exit(sandbox.Main())
	}
	std := stdio{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	// A stray print, in this program or a dependency, must not appear between MCP messages.
	os.Stdout = os.Stderr
	ctx, stop := catchSignals(context.Background())
	status := run(ctx, os.Args[1:], std)
	stop()
	os.Exit(status)
}

// run parses args, runs the command they name and returns the exit status.
func run(ctx context.Context, args []string, std stdio) int {
	cmd, err := parse(args, std)
	if _, serves := cmd.(*serveCmd); !serves {
		// Programs that this one starts must not inherit the token of another server.
		err = errors.Join(err, os.Unsetenv(tokenVar))
	}
	if err == nil && cmd != nil {
		err = cmd.run(ctx, std)
	}
	return report(ctx, std.err, err)
}

// report prints err and returns the exit status.
func report(ctx context.Context, w io.Writer, err error) int {
	if sig, ok := endedBy(ctx); ok && err != nil {
		return 128 + int(sig)
	}
	if err == nil {
		return exitOK
	}
	if cut := (&fs.PathError{}); errors.As(err, &cut) && errors.Is(err, syscall.EPIPE) && cut.Path == "/dev/stdout" {
		return 128 + int(syscall.SIGPIPE) // as if the signal had ended the program
	}
	status := statusError{}
	if errors.As(err, &status) && status.error == nil {
		return status.status
	}
	if helpful := (helpfulError{}); errors.As(err, &helpful) {
		fmt.Fprintf(w, "%s\n", helpful.help) // before the error, which must not scroll away
	}
	fmt.Fprintf(w, "glasstty: %s\n", visible(err.Error()))
	if status.status != 0 {
		return status.status
	}
	if usage := (usageError{}); errors.As(err, &usage) {
		return exitUsage
	}
	return exitError
}
