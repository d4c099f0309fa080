package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// A report collects the results to print at the end.
type report struct {
	cores, kinds   int
	load, verbose  bool
	misses         int
	echo50, echo99 time.Duration
	rows           []row
	absent         []string
}

// A row holds one server's outcomes and their sum.
type row struct {
	name, about string
	all         []outcome
	took        time.Duration
	sum
}

// A sum counts outcomes.
type sum struct {
	trials, skipped, failed         int
	early, earlyComplete, unclaimed int
	wrong, mixed                    int
	latencies                       []time.Duration // sorted
}

// tally sums up a server's outcomes.
func tally(s server, all []outcome, took time.Duration) row {
	return row{name: s.name(), about: s.about(), all: all, took: took, sum: count(all)}
}

// count sums up outcomes. Trials that are not possible on the server are not
// counted.
func count(all []outcome) sum {
	var n sum
	for _, o := range all {
		switch {
		case o.skipped != "":
			n.skipped++
			continue
		case o.failed != "":
			n.failed++
		case o.early:
			n.early++
		case o.wrong != "":
			n.wrong++
		}
		n.trials++
		if o.earlyComplete() {
			n.earlyComplete++
		}
		if o.failed == "" && o.claim != complete {
			n.unclaimed++
		}
		if o.mixed != "" {
			n.mixed++
		}
		if o.timed {
			n.latencies = append(n.latencies, o.latency)
		}
	}
	slices.Sort(n.latencies)
	return n
}

// cells are the columns of a table line.
func (n sum) cells() string {
	return fmt.Sprintf("%d | %d | %d | %d | %s | %s | %d | %d | %d", n.trials, n.earlyComplete, n.early, n.unclaimed,
		millisText(percentile(n.latencies, 50)), millisText(percentile(n.latencies, 99)), n.wrong, n.mixed, n.failed)
}

// heading is the head of every table.
func heading(first string) string {
	return "| " + first + " | trials | early, called complete | early at all | not called complete | p50 | p99 | wrong output | mixed up | failed |\n" +
		"|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
}

func millisText(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}

// print writes the tables and the misses.
func (r *report) print(w io.Writer) {
	load := ""
	if r.load {
		load = ", all cores kept busy by other processes"
	}
	fmt.Fprintf(w, "%d kinds of program, %d cores%s; a call to an MCP server that does nothing takes %s (p50), %s (p99), included below\n\n",
		r.kinds, r.cores, load, millisText(r.echo50), millisText(r.echo99))
	fmt.Fprint(w, heading("server"))
	for _, row := range r.rows {
		fmt.Fprintf(w, "| %s | %s |\n", row.name, row.cells())
	}
	for _, a := range r.absent {
		fmt.Fprintf(w, "| %s: left out | | | | | | | | | |\n", a)
	}
	fmt.Fprintln(w)
	for _, row := range r.rows {
		fmt.Fprintf(w, "%s: %s; %.0f s", row.name, row.about, row.took.Seconds())
		if row.skipped > 0 {
			fmt.Fprintf(w, "; %d trials it cannot make", row.skipped)
		}
		fmt.Fprintln(w)
	}
	for _, row := range r.rows {
		r.details(w, row)
	}
}

// details writes one server's tables by layer, kind and scenario, and misses.
func (r *report) details(w io.Writer, row row) {
	by := func(title string, key func(outcome) string) {
		groups := map[string][]outcome{}
		for _, o := range row.all {
			if k := key(o); k != "" {
				groups[k] = append(groups[k], o)
			}
		}
		if len(groups) == 0 {
			return
		}
		fmt.Fprintf(w, "\n%s", heading(row.name+", by "+title))
		for _, k := range slices.Sorted(maps.Keys(groups)) {
			fmt.Fprintf(w, "| %s | %s |\n", k, count(groups[k]).cells())
		}
	}
	by("layer", func(o outcome) string { return o.layer })
	if r.verbose {
		by("kind", func(o outcome) string { return o.kind })
		by("scenario", func(o outcome) string { return o.scenario })
	}
	r.listMisses(w, row)
}

// listMisses writes every miss with its cause, up to the limit.
func (r *report) listMisses(w io.Writer, row row) {
	n := 0
	for _, o := range row.all {
		if !o.miss() {
			continue
		}
		if n++; n > r.misses {
			continue
		}
		if n == 1 {
			fmt.Fprintf(w, "\nMisses of %s:\n", row.name)
		}
		fmt.Fprintf(w, "- %s\n", o.cause())
	}
	if n > r.misses {
		fmt.Fprintf(w, "- and %d more\n", n-r.misses)
	}
}

// cause says in one line what went wrong and what the server knew.
func (o outcome) cause() string {
	var what []string
	switch {
	case o.failed != "":
		what = append(what, "failed: "+o.failed)
	case o.earlyComplete():
		what = append(what, "EARLY")
	case o.early:
		what = append(what, "early, and said so")
	case o.claim == incomplete:
		what = append(what, "not called complete")
	}
	if o.wrong != "" {
		what = append(what, "output "+o.wrong)
	}
	if o.mixed != "" {
		what = append(what, "MIXED with "+o.mixed)
	}
	out := fmt.Sprintf("%s %s, %s: %s", o.id, o.kind, o.scenario, strings.Join(what, "; "))
	if o.reason != "" || o.layer != "" {
		out += fmt.Sprintf(" [%s by %s]", o.reason, o.layer)
	}
	out += fmt.Sprintf(" typed %.120q", o.line)
	if o.early || o.wrong != "" || o.mixed != "" {
		out += fmt.Sprintf(" got %.200q", strings.Join(o.gotText, "\n"))
	}
	if o.writes != "" {
		out += " wrote at " + o.writes
	}
	if o.explain != "" {
		out += " explain " + o.explain
	}
	return out
}

// verdict returns an error if glasstty answered early or mixed calls up.
func (r *report) verdict() error {
	for _, row := range r.rows {
		if row.earlyComplete > 0 || row.mixed > 0 || row.failed > 0 {
			return fmt.Errorf("%s: %d early answers called complete, %d mixed up, %d failed", row.name, row.earlyComplete, row.mixed, row.failed)
		}
		if row.trials == 0 {
			return fmt.Errorf("%s: no trial was made", row.name)
		}
	}
	return nil
}
