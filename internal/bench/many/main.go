// Command many measures what many sessions cost one server, beside another one
// where its checkout is given:
//
//	go run ./internal/bench/many [-idle 1000] [-busy 200] [-old 100] [-interactive-process-mcp DIR]
//
// In one run:
//
//   - idle: sessions of cat that nobody uses: memory of the server, of the keeper
//     that owns the programs, and of the programs themselves, each session's share;
//     and the processor time of server and keeper while nothing happens, with how
//     often their threads were woken. What there is does not depend on the number of
//     sessions: twice a minute the keeper reads two small files of /proc, to see
//     whether the programs can have come to a limit (package child), and Go's
//     runtime looks whether its collector is due. That runs every two minutes,
//     25 ms in each process with 1,000 sessions: -rest 4m has two runs in it and
//     shows 0.02 % each.
//   - busy: sessions of a shell loop that echoes lines, each with a client that
//     types the next line when it has the answer to the one before: calls a second,
//     the times of a call, and the answers that were not the whole line.
//   - log: writing a stream to a session's log as the keeper does, in the pieces
//     that a terminal gives, as a share of taking it through the emulator.
//   - recovery: sessions with -mb of output each; the server is killed (SIGKILL) and
//     started again, once with the checkpoints that it has made and once without,
//     until it answers list_sessions; and the sessions that are there then, with the
//     right screen.
//
// Memory is the proportional set size (PSS), so that what processes share is not
// counted twice. It runs on Linux: it reads /proc.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

func main() {
	peer.Main("many", parseFlags, func(ctx context.Context, o options) error { return bench(ctx, o, os.Stdout) })
}

// options are the command line.
type options struct {
	idle, busy, old int
	lines           int
	mb              int
	rest            time.Duration
	glasstty        string // binary; built when empty
	process         string // checkout of interactive-process-mcp; left out when empty
}

// parseFlags reads the command line; flag has printed what is wrong with it.
func parseFlags(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("many", flag.ContinueOnError)
	f.IntVar(&o.idle, "idle", 1000, "idle sessions, 0 for none")
	f.IntVar(&o.busy, "busy", 200, "busy sessions, 0 for none")
	f.IntVar(&o.old, "old", 100, "sessions that are recovered, 0 for none")
	f.IntVar(&o.lines, "lines", 50, "lines typed into each busy session")
	f.IntVar(&o.mb, "mb", 10, "output of each session that is recovered, and of the streams for the log, in MB")
	f.DurationVar(&o.rest, "rest", 10*time.Second, "how long the idle sessions are watched")
	peer.FlagVar(f, &o.glasstty, peer.Glasstty)
	peer.FlagVar(f, &o.process, peer.Process)
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if min(o.idle, o.busy, o.old) < 0 || max(o.idle, o.busy, o.old) > maxSessions || o.lines < 1 || o.mb < 1 || o.rest <= 0 || f.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "many: sessions are 0 to %d, -lines, -mb and -rest above 0, and there are no arguments but flags\n", maxSessions)
		return o, flag.ErrHelp
	}
	return o, nil
}

// maxSessions is the most of a kind: a keeper holds 4,096.
const maxSessions = 4000
