package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// A result is one job with one server.
type result struct {
	job    string
	bill   bill
	other  bool // done another way: the program needs a terminal
	done   int  // rounds in which it was done
	rounds int
	err    error // of the last round in which it was not
}

// A column is one server.
type column struct {
	server  string
	list    int // tokens of tools/list
	results []result
}

// A report is the whole run.
type report struct {
	cores, rounds int
	columns       []column
	notes         []string
}

// print writes the tables in Markdown.
func (r report) print(w io.Writer) {
	fmt.Fprintf(w, "Medians of %d, %d cores; tokens of %s: written + read · calls · seconds waited\n\n", r.rounds, r.cores, encoding)
	head, rule := "| job |", "|---|"
	for _, c := range r.columns {
		head += " " + c.server + " |"
		rule += "---:|"
	}
	fmt.Fprintf(w, "%s\n%s\n", head, rule)
	for i, first := range r.columns[0].results {
		row := "| " + first.job + " |"
		for _, c := range r.columns {
			row += " " + c.results[i].cell() + " |"
		}
		fmt.Fprintln(w, row)
	}
	total, list := "| all that it did |", "| its tools' list, once |"
	for _, c := range r.columns {
		total += " " + c.total() + " |"
		list += fmt.Sprintf(" %d |", c.list)
	}
	fmt.Fprintf(w, "%s\n%s\n\n", total, list)
	r.printNotes(w)
}

// cell is a result as the table shows it.
func (r result) cell() string {
	if r.done == 0 {
		return "not done"
	}
	mark := ""
	if r.other {
		mark = " †"
	}
	if r.done < r.rounds {
		mark += fmt.Sprintf(" (%d of %d)", r.done, r.rounds)
	}
	return fmt.Sprintf("%d + %d · %d · %.2f%s", r.bill.written, r.bill.read, r.bill.calls, r.bill.waited.Seconds(), mark)
}

// total sums up the jobs done.
func (c column) total() string {
	var sum bill
	done := 0
	for _, r := range c.results {
		if r.done == 0 {
			continue
		}
		done++
		sum.written += r.bill.written
		sum.read += r.bill.read
		sum.calls += r.bill.calls
		sum.waited += r.bill.waited
	}
	return fmt.Sprintf("%d: %d + %d · %d · %.2f", done, sum.written, sum.read, sum.calls, sum.waited.Seconds())
}

// printNotes says what was not done, and where glasstty is not the cheapest.
func (r report) printNotes(w io.Writer) {
	fmt.Fprintln(w, "† The program needs a terminal, which the server does not give: done another way.")
	for _, n := range r.notes {
		fmt.Fprintln(w, n)
	}
	for _, c := range r.columns {
		for _, res := range c.results {
			if res.err != nil {
				fmt.Fprintf(w, "%s, %s: done in %d of %d: %v\n", c.server, res.job, res.done, res.rounds, res.err)
			}
		}
	}
	for i, res := range r.columns[0].results {
		if whole := res.bill.whole; whole > 0 {
			fmt.Fprintf(w, "%s: the text itself has %d tokens; %s reads %.1f %% more\n", res.job, whole, r.columns[0].server, 100*float64(res.bill.read-whole)/float64(whole))
		}
		for _, line := range r.behind(i) {
			fmt.Fprintln(w, line)
		}
	}
}

// behind returns where glasstty misses the goal in job i: the fewest tokens and
// calls of all servers that use the program, and at most a tenth of the waiting of
// the best other server.
func (r report) behind(i int) []string {
	if r.columns[0].server != peer.Glasstty || r.columns[0].results[i].done == 0 {
		return nil
	}
	ours := r.columns[0].results[i]
	var out []string
	for _, c := range r.columns[1:] {
		theirs := c.results[i]
		if theirs.done == 0 || theirs.other {
			continue
		}
		for _, f := range []struct {
			what       string
			our, their float64
		}{
			{"tokens", float64(ours.bill.tokens()), float64(theirs.bill.tokens())},
			{"calls", float64(ours.bill.calls), float64(theirs.bill.calls)},
			{"seconds, more than a tenth", ours.bill.waited.Seconds(), theirs.bill.waited.Seconds() / 10},
		} {
			if c.server == peer.Process && strings.HasPrefix(f.what, "seconds") {
				continue // It returns the first bytes and waits for nothing.
			}
			if f.our > f.their {
				out = append(out, fmt.Sprintf("behind %s in %q: %s (%.4g, goal %.4g)", c.server, ours.job, f.what, f.our, f.their))
			}
		}
	}
	return out
}

// verdict returns an error unless glasstty has done every job in every round.
func (r report) verdict() error {
	var undone []string
	for _, c := range r.columns {
		for _, res := range c.results {
			if c.server == peer.Glasstty && res.err != nil {
				undone = append(undone, res.job)
			}
		}
	}
	if undone != nil {
		return errors.New("not done with glasstty: " + strings.Join(undone, ", "))
	}
	return nil
}
