// Command jobs counts what ten jobs in a terminal cost a model: the tokens that it
// writes (tools' names and arguments) and reads (results), the calls, and the
// seconds that it waits for them; with glasstty and with other servers.
//
//	job ─▶ script ─▶ driver of one server ─▶ meter ─▶ MCP over stdio
//	 └──▶ check of the real effects
//
// A job's script is what an agent would do that knows the tools' descriptions: each
// call depends on what the previous one returned, and the script waits for answers
// that have not come. See README.md in this directory.
//
//	go run ./internal/bench/jobs
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

func main() {
	peer.Main("jobs", parseFlags, bench)
}

// options are the command line.
type options struct {
	rounds   int
	jobs     string // names, comma separated; all when empty
	menus    bool   // the jobs in full-screen programs instead
	log      string // directory for transcripts, none when empty
	glasstty string
	peers    map[string]string // directory by server
}

// parseFlags parses the command line. The flag package prints what is wrong with
// it.
func parseFlags(args []string) (options, error) {
	var o options
	at := map[string]*string{}
	f := flag.NewFlagSet("jobs", flag.ContinueOnError)
	f.IntVar(&o.rounds, "rounds", 3, "how often each job is done; medians are reported")
	f.StringVar(&o.jobs, "jobs", "", "only jobs whose name contains one of these words, comma separated")
	f.BoolVar(&o.menus, "menus", false, "six jobs in full-screen programs instead, with glasstty alone")
	f.StringVar(&o.log, "log", "", "directory to write a transcript of each job to")
	peer.FlagVar(f, &o.glasstty, peer.Glasstty)
	for _, name := range []string{peer.Desktop, peer.Amol, peer.Process} {
		at[name] = new(string)
		peer.FlagVar(f, at[name], name)
	}
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.rounds < 1 || o.rounds > maxRounds || f.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "jobs: -rounds must be 1 to %d, and there are no arguments but flags\n", maxRounds)
		return o, flag.ErrHelp
	}
	o.peers = map[string]string{}
	for name, dir := range at {
		if *dir != "" && !o.menus {
			o.peers[name] = *dir
		}
	}
	return o, nil
}

const maxRounds = 100
