// Command many measures how much many sessions cost a server. It compares another server if its
// checkout is given:
//
//	go run ./internal/bench/many [-idle 1000] [-busy 200] [-old 100] [-interactive-process-mcp DIR]
//
// One run measures:
//
//   - idle: unused sessions that run cat. It measures the memory per session of the server, of the
//     keeper that owns the programs, and of the programs themselves; and the processor time of server
//     and keeper, and how often their threads wake up. The processor time hardly depends on the
//     number of sessions: twice a minute, the keeper reads two small files of /proc to see whether
//     the programs may have reached a limit (package child), and every two minutes Go's garbage
//     collector runs, for 25 ms in each process with 1,000 sessions. With -rest 4m, which includes
//     two collections, each process uses 0.02 %.
//   - busy: sessions with a shell loop that echoes lines. Each has a client that types the next line
//     when it has the answer to the previous one. It measures the calls per second, the times of a
//     call, and how many answers were not the whole line.
//   - log: the time for writing a stream to a session's log as the keeper does, in pieces as a
//     terminal delivers them, as a share of the time for emulating it.
//   - recovery: sessions with -mb megabytes of output each, more than the 8 MB of a segment of the
//     log, since a session saves its state where a segment begins. The server is killed (SIGKILL) and started
//     again, once with the states that it has saved and once without. It measures the time until the server
//     answers list_sessions, and counts the sessions that it then has with the right screen.
//
// Memory is the proportional set size (PSS), so that memory shared by processes is not counted twice.
// The command reads /proc, so it runs only on Linux.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/glasstty/glasstty/internal/bench/peer"
	"github.com/glasstty/glasstty/session/eventlog"
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
	glasstty        string // binary; built if empty
	process         string // checkout of interactive-process-mcp; skipped if empty
}

// parseFlags reads the command line. Package flag prints its errors.
func parseFlags(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("many", flag.ContinueOnError)
	f.IntVar(&o.idle, "idle", 1000, "idle sessions, 0 for none")
	f.IntVar(&o.busy, "busy", 200, "busy sessions, 0 for none")
	f.IntVar(&o.old, "old", 100, "sessions that are recovered, 0 for none")
	f.IntVar(&o.lines, "lines", 50, "lines typed into each busy session")
	f.IntVar(&o.mb, "mb", 10, "size of the output of each recovered session, and of the streams for the log, in MB")
	f.DurationVar(&o.rest, "rest", 10*time.Second, "how long the idle sessions are measured")
	peer.FlagVar(f, &o.glasstty, peer.Glasstty)
	peer.FlagVar(f, &o.process, peer.Process)
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if min(o.idle, o.busy, o.old) < 0 || max(o.idle, o.busy, o.old) > maxSessions || o.lines < 1 || o.mb < minMB || o.rest <= 0 || f.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "many: the numbers of sessions must be 0 to %d, -lines and -rest more than 0, and -mb at least %d; there are no arguments except flags\n", maxSessions, minMB)
		return o, flag.ErrHelp
	}
	return o, nil
}

// maxSessions is the maximum number of sessions of a kind. A keeper holds at most 4,096.
const maxSessions = 4000

// minMB is the minimum size in MB of the output of a recovered session: one more than a segment of
// its log, so that the session saves a state.
const minMB = eventlog.DefaultSegmentBytes>>20 + 1
