package peer

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Main runs a benchmark as a command, until it is done or a signal ends it. parse reads the
// command line, and prints its errors.
func Main[O any](name string, parse func(args []string) (O, error), bench func(context.Context, O) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, err := parse(os.Args[1:])
	if err != nil {
		os.Exit(2)
	}
	if err := bench(ctx, o); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		stop()
		os.Exit(1)
	}
}

// FlagVar adds a flag with the name of a server, which sets the server's location.
func FlagVar(f *flag.FlagSet, location *string, server string) {
	usage := map[string]string{
		Glasstty: "binary under test (default: build ./cmd/glasstty)",
		Desktop:  "directory with node_modules/@wonderwhy-er/desktop-commander",
		Amol:     "built checkout of amol21p/mcp-interactive-terminal",
		Process:  "checkout of UserB1ank/interactive-process-mcp",
	}
	f.StringVar(location, server, "", usage[server])
}
