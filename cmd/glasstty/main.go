// Command glasstty gives programs a real terminal, and AI agents a way to use it.
//
// The file manual.txt describes the commands and the exit statuses. The flags of each command are
// the fields of a struct. The fields' tags contain the help of the flags and the environment
// variables that set most of them.
//
// In glasstty mcp, standard output carries only MCP; diagnostics go to standard error. Before a command
// returns, also after SIGINT, SIGTERM or SIGHUP, it ends the programs that it started, unless a
// keeper runs them for the next server (serve --leave and --replace). On SIGHUP, a server with an
// audit log reopens the log instead of ending.
package main

import (
	"cmp"
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

// A statusError is an error with an exit status. If error is nil, report prints nothing.
type statusError struct {
	error
	status int
	help   string // the help of a command, printed too; may be ""
}

// Unwrap returns the wrapped error.
func (e statusError) Unwrap() error { return e.error }

// usageError returns err with the exit status for errors in the command line or the settings.
func usageError(err error) error { return statusError{error: err, status: exitUsage} }

// stdio holds the three standard files, so that tests can replace them.
type stdio struct {
	in  *os.File
	out *os.File
	err io.Writer
}

func main() {
	if sandbox.IsLauncher(os.Args) {
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
	switch cmd.(type) {
	case *serveCmd, *configCmd: // they call takeToken, which unsets the variable
	default:
		err = errors.Join(err, os.Unsetenv(tokenVar)) // child processes must not inherit it
	}
	if err == nil && cmd != nil {
		err = cmd.run(ctx, std)
	}
	return report(ctx, std.err, err)
}

// report prints err and returns the exit status. It prints nothing after a signal, if the reader of
// standard output is gone, or for a statusError without an error.
func report(ctx context.Context, w io.Writer, err error) int {
	if sig, ok := endedBy(ctx); ok && err != nil {
		return 128 + int(sig)
	}
	if err == nil {
		return exitOK
	}
	if pathErr := (&fs.PathError{}); errors.As(err, &pathErr) && errors.Is(err, syscall.EPIPE) && pathErr.Path == "/dev/stdout" {
		return 128 + int(syscall.SIGPIPE) // as if SIGPIPE had ended the program
	}
	status := statusError{}
	if errors.As(err, &status) && status.error == nil {
		return status.status
	}
	if status.help != "" {
		fmt.Fprintf(w, "%s\n", status.help) // before the error, so that the error stays in view
	}
	fmt.Fprintf(w, "glasstty: %s\n", escapeInvisible(err.Error()))
	return cmp.Or(status.status, exitError)
}
