// Command widths measures which way of counting columns fits today's programs:
//
//	go run ./internal/bench/widths [-programs ink,vim] [-show]
//
// Each program runs on a PTY twice, once with --width characters and once with --width clusters. It
// shows rows with an emoji, a flag or another text whose columns terminals count in different ways,
// followed by a border or another column. A row is off if its border is not in the same column as
// that of a row of ASCII. A line editor's row is off if it does not show the typed text. Programs
// that are not installed are named and skipped. The npm packages of the zoo must be installed (npm ci
// in internal/bench/zoo/node).
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/glasstty/glasstty/emulator"
)

func main() {
	names := flag.String("programs", "", "run only these, with commas between them")
	show := flag.Bool("show", false, "print the screens")
	zoo := flag.String("zoo", "internal/bench/zoo", "the zoo's directory")
	flag.Parse()
	if err := run(os.Stdout, *zoo, *names, *show); err != nil {
		fmt.Fprintln(os.Stderr, "widths:", err)
		os.Exit(1)
	}
}

// units lists the values of --width.
var units = [2]string{"characters", "clusters"}

// clusters is the index of clusters in units.
const clusters = 1

func run(w io.Writer, zoo, names string, show bool) error {
	var stages [2]*stage
	for i := range stages {
		s, err := newStage(zoo)
		if err != nil {
			return err
		}
		defer s.close()
		stages[i] = s
	}
	var total [2]int
	fmt.Fprintf(w, "%-16s %12s %10s   rows that are off (of %d)\n", "program", units[0], units[1], len(samples))
	for _, p := range programs {
		if names != "" && !slices.Contains(strings.Split(names, ","), p.name) {
			continue
		}
		var off [2][]string
		var errs [2]error
		var both sync.WaitGroup
		for i := range stages {
			both.Go(func() { off[i], errs[i] = p.measure(w, stages[i], i == clusters, show) })
		}
		both.Wait()
		if err := errors.Join(errs[:]...); err != nil {
			fmt.Fprintf(w, "%-16s %v\n", p.name, err)
			continue
		}
		for i, tags := range off {
			total[i] += len(tags)
		}
		fmt.Fprintf(w, "%-16s %12d %10d   %s | %s\n", p.name, len(off[0]), len(off[1]), strings.Join(off[0], " "), strings.Join(off[1], " "))
	}
	_, err := fmt.Fprintf(w, "%-16s %12d %10d\n", "all", total[0], total[1])
	return err
}

// measure returns which rows of p are off.
func (p program) measure(w io.Writer, s *stage, clusters, show bool) ([]string, error) {
	rows, err := s.play(p, clusters)
	if err != nil {
		return nil, err
	}
	off, err := p.judge(rows)
	if show {
		fmt.Fprintf(w, "%s, clusters %v:\n%s", p.name, clusters, picture(rows))
	}
	return off, err
}

// picture returns the rows as text.
func picture(rows []emulator.Row) string {
	var b strings.Builder
	for _, r := range rows {
		for _, c := range r.Cells {
			b.WriteString(shown(c))
		}
		b.WriteString("\n")
	}
	return b.String()
}
