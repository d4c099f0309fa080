// Command answers measures how fast and how correctly terminal servers answer:
// whether a reply comes before the program has finished, how long after, and
// whether it contains exactly what the program printed.
//
//	kinds × scenarios ─▶ trial ─▶ server under test ─▶ program on its PTY
//	                       │                             │ writes
//	                       ▼                             ▼
//	                     judge ◀── inotify on the program's terminal
//
// It drives every server as an MCP client would, over stdio (or SSE if a server
// supports nothing else), with the same seeded trials. The runner observes from
// outside what the program wrote last, and when: the kernel reports each write to
// the terminal's device file. README.md in this directory describes the measures.
//
//	go run ./internal/bench/answers -trials 1000
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

func main() {
	if code, ok := runAs(filepath.Base(os.Args[0]), os.Args[1:]); ok {
		os.Exit(code)
	}
	peer.Main("answers", parseFlags, bench)
}

// The names of the links under which this program does something else.
const (
	emitName = "utter"   // prints by a script: see emitMain
	spinName = "cpuload" // burns one core until its parent ends
	echoName = "mcpecho" // an MCP server whose one tool answers at once
)

// runAs runs the part of this program that is named by name.
func runAs(name string, args []string) (code int, ok bool) {
	switch name {
	case emitName:
		return emitMain(args), true
	case spinName:
		spinForever()
		return 0, true
	case echoName:
		return echoMain(), true
	}
	return 0, false
}

// options are the command line.
type options struct {
	trials  int
	seed    uint64
	lanes   int
	servers string
	kinds   string
	load    bool
	quick   bool
	verbose bool
	misses  int

	glasstty string
	desktop  string
	amol     string
	process  string
}

// parseFlags parses the command line. The flag package prints what is wrong with
// it.
func parseFlags(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("answers", flag.ContinueOnError)
	f.IntVar(&o.trials, "trials", 1000, "trials for each server")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the trials; the same seed gives every server the same ones")
	f.IntVar(&o.lanes, "lanes", 2, "sessions driven at once (the programs sleep most of the time)")
	f.StringVar(&o.servers, "servers", "glasstty,settle,desktop-commander,mcp-interactive-terminal,interactive-process-mcp", "servers to try, by name")
	f.StringVar(&o.kinds, "kinds", "", "only kinds whose name contains one of these words, comma separated")
	f.BoolVar(&o.load, "load", false, "keep every core busy during the trials")
	f.BoolVar(&o.quick, "quick", false, "glasstty alone, 120 trials; fail on any early or mixed answer")
	f.BoolVar(&o.verbose, "v", false, "print a table by kind and one by scenario, too")
	f.IntVar(&o.misses, "misses", 200, "misses to list for each server")
	peer.FlagVar(f, &o.glasstty, peer.Glasstty)
	peer.FlagVar(f, &o.desktop, peer.Desktop)
	peer.FlagVar(f, &o.amol, peer.Amol)
	peer.FlagVar(f, &o.process, peer.Process)
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.quick {
		o.servers, o.trials, o.lanes = peer.Glasstty, min(o.trials, quickTrials), 4
		if o.kinds == "" {
			o.kinds = quickKinds
		}
	}
	if o.trials < 1 || o.lanes < 1 || o.lanes > maxLanes {
		fmt.Fprintf(os.Stderr, "answers: -trials must be 1 or more and -lanes 1 to %d\n", maxLanes)
		return o, flag.ErrHelp
	}
	return o, nil
}

const (
	quickTrials = 120
	// quickKinds leave out what is slow to start.
	quickKinds = "zsh,fish,dash,clock,python without,node,sqlite3,threads,cat,less,select,ssh"
	maxLanes   = 16
)
