package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// compare writes a Markdown table of runs that were saved with -json, one column a
// run: for each program the steps that were right at the first try, of all. files
// are "title=file", comma separated.
func compare(files string) (string, error) {
	var titles []string
	var runs [][]outcome
	for _, f := range strings.Split(files, ",") {
		title, name, ok := strings.Cut(f, "=")
		if !ok {
			return "", fmt.Errorf("-compare: %q is not title=file", f)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		var all []outcome
		if err := json.Unmarshal(data, &all); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		titles, runs = append(titles, title), append(runs, all)
	}
	var b strings.Builder
	row := func(name string, cell func(all []outcome) string) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, all := range runs {
			fmt.Fprintf(&b, " %s |", cell(all))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "| program | %s |\n|---|%s\n", strings.Join(titles, " | "), strings.Repeat("---|", len(titles)))
	every := names(slices.Concat(runs...))
	slices.Sort(every)
	for _, name := range every {
		row(name, func(all []outcome) string {
			return share(slices.DeleteFunc(slices.Clone(all), func(o outcome) bool { return o.Program != name }))
		})
	}
	row("**right at the first try**", func(all []outcome) string { return "**" + share(all) + "**" })
	for _, v := range verdicts[1:] {
		row(string(v.v), func(all []outcome) string { return fmt.Sprint(tally(all, v.v)) })
	}
	row("right, over 100 ms late", func(all []outcome) string {
		n := 0
		for _, o := range all {
			if o.Verdict == right && o.Late {
				n++
			}
		}
		return fmt.Sprint(n)
	})
	row("seconds in calls", func(all []outcome) string {
		var sum time.Duration
		for _, o := range all {
			sum += o.Took
		}
		return fmt.Sprintf("%.0f", sum.Seconds())
	})
	return b.String(), nil
}

// share writes how many steps were right, of how many.
func share(all []outcome) string {
	if len(all) == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", tally(all, right), len(all))
}

func tally(all []outcome, v verdict) int {
	n := 0
	for _, o := range all {
		if o.Verdict == v {
			n++
		}
	}
	return n
}
