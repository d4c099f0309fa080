package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// report prints the figures as Markdown.
func report(w io.Writer, o options, list []figures, logs []logFigure) {
	head, rule := "| |", "|---|"
	for _, f := range list {
		head += " " + f.name + " |"
		rule += "---:|"
	}
	fmt.Fprintf(w, "%s\n%s\n", head, rule)
	for _, r := range rows(o) {
		line := "| " + r.name + " |"
		for _, f := range list {
			if f.failed[r.part] != nil {
				line += " failed |"
				continue
			}
			line += " " + r.value(f) + " |"
		}
		fmt.Fprintln(w, line)
	}
	fmt.Fprintf(w, "\n| stream | emulation | log | the log's time as a share of the emulation's |\n|---|---:|---:|---:|\n")
	for _, l := range logs {
		fmt.Fprintf(w, "| %s | %.0f MB/s | %.0f MB/s | %.0f %% |\n", l.stream, l.emulation, l.log, l.share())
	}
	for _, f := range list {
		for _, part := range []string{partIdle, partBusy, partRecovery} {
			if err := f.failed[part]; err != nil {
				fmt.Fprintf(os.Stderr, "many: %s: %s: %v\n", f.name, part, err)
			}
		}
	}
}

// A row is one line of the table.
type row struct {
	part, name string
	value      func(figures) string
}

// rows returns the lines of the parts that were measured.
func rows(o options) []row {
	kb := func(n float64) string { return fmt.Sprintf("%.0f kB", n) }
	all := []row{
		{partIdle, fmt.Sprintf("memory of the server for each of %d idle sessions", o.idle), func(f figures) string { return kb(f.idle.server) }},
		{partIdle, "of the keeper", func(f figures) string { return kb(f.idle.keeper) }},
		{partIdle, "of the program itself (cat)", func(f figures) string { return kb(f.idle.program) }},
		{partIdle, "processor time at rest", func(f figures) string { return fmt.Sprintf("%.1f %%", f.idle.cpu) }},
		{partIdle, "threads woken in a minute of it", func(f figures) string { return fmt.Sprintf("%.0f", f.idle.wakes) }},
		{partBusy, fmt.Sprintf("calls a second, %d busy sessions", o.busy), func(f figures) string { return fmt.Sprintf("%.0f", f.busy.rate) }},
		{partBusy, "p50 of a call", func(f figures) string { return ms(f.busy.p50) }},
		{partBusy, "p99 of a call", func(f figures) string { return ms(f.busy.p99) }},
		{partBusy, "answers without the line", func(f figures) string { return fmt.Sprintf("%d of %d", f.busy.short, f.busy.calls) }},
		{partRecovery, fmt.Sprintf("kill -9, %d sessions of %d MB: they go on", o.old, o.mb), func(f figures) string { return fmt.Sprint(f.recovery.running) }},
		{partRecovery, "with the screen that they had", func(f figures) string { return fmt.Sprint(f.recovery.right) }},
		{partRecovery, "until the next server serves", func(f figures) string { return ms(f.recovery.took) }},
		{partRecovery, "without saved states, from the logs alone", func(f figures) string { return ms(f.recovery.log) }},
	}
	measured := map[string]bool{partIdle: o.idle > 0, partBusy: o.busy > 0, partRecovery: o.old > 0}
	return slices.DeleteFunc(all, func(r row) bool { return !measured[r.part] })
}

// ms writes a time in milliseconds.
func ms(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}
