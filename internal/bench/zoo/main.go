// Command zoo drives small programs of many toolkits through a terminal server, and
// counts how often a reply shows what a person at the terminal would see.
//
//	scripts/*.txt ─▶ program ─▶ run at a place ─▶ server (glasstty, a peer, tmux)
//	                               └─▶ judge ◀─ what was on the screen, and when
//
// A script says what is typed at each step and what a person sees afterwards. To be
// independent of glasstty, the expectations are checked with tmux and patient
// typing (-server tmux -patient). See README.md in this directory.
//
//	go run ./internal/bench/zoo
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

func main() {
	peer.Main("zoo", parseFlags, bench)
}

// The servers that the zoo can drive, by their flag.
const serverTmux = "tmux"

// options are the command line.
type options struct {
	glasstty string // binary under test, built when empty
	server   string // peer.Glasstty, peer.Amol or serverTmux
	amol     string // built checkout of mcp-interactive-terminal
	patient  bool   // type as the oracle does
	programs string // words that choose scripts
	places   string // words that choose places
	lanes    int    // programs driven at once
	log      string // file for a report of each step that was not right
	data     string // file for all outcomes as JSON
	compare  string // saved outcomes to put into one table
}

// parseFlags parses the command line. The flag package prints what is wrong with
// it.
func parseFlags(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("zoo", flag.ContinueOnError)
	peer.FlagVar(f, &o.glasstty, peer.Glasstty)
	f.StringVar(&o.server, "server", peer.Glasstty, "glasstty, mcp-interactive-terminal or tmux")
	peer.FlagVar(f, &o.amol, peer.Amol)
	f.BoolVar(&o.patient, "patient", false, "type key by key and look until nothing moves: checks the scripts (with tmux)")
	f.StringVar(&o.programs, "programs", "", "only programs whose name contains one of these words, comma separated")
	f.StringVar(&o.places, "places", "", "only these places of direct, bash, zsh; comma separated")
	f.IntVar(&o.lanes, "lanes", 1, "how many programs are driven at once")
	f.StringVar(&o.log, "log", "", "file for a report of each step that was not right")
	f.StringVar(&o.data, "json", "", "file for all outcomes as JSON")
	f.StringVar(&o.compare, "compare", "", "drive nothing: print a table of runs saved with -json, as title=file, comma separated")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.lanes < 1 || o.lanes > 8 || f.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "zoo: -lanes must be 1 to 8, and there are no arguments but flags")
		return o, flag.ErrHelp
	}
	return o, nil
}
