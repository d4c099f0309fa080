package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// verdicts are all verdicts in the order of the table, with the letter that stands
// for one step.
var verdicts = []struct {
	v    verdict
	mark byte
}{
	{right, '.'}, {lost, 'L'}, {early, 'E'}, {undone, 'U'}, {falsely, 'F'}, {twice, 'T'},
	{reason, 'R'}, {cannot, 'C'}, {failed, 'X'}, {skipped, '-'},
}

// marks writes a letter for each step: a dot is right, a + right but late.
func marks(all []outcome) string {
	var b strings.Builder
	for _, o := range all {
		for _, v := range verdicts {
			switch {
			case v.v != o.Verdict:
			case o.Verdict == right && o.Late:
				b.WriteByte('+')
			default:
				b.WriteByte(v.mark)
			}
		}
	}
	return b.String()
}

// table writes the results of each program at each place, and the sums.
func table(all []outcome, absent []string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "program\t%s\t%s\t%s\n", direct, inBash, inZsh)
	for _, name := range names(all) {
		fmt.Fprint(w, name)
		for _, place := range []string{direct, inBash, inZsh} {
			fmt.Fprintf(w, "\t%s", marks(pick(all, name, place)))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	fmt.Fprintf(&b, "\n%s\n", sums(all))
	for _, a := range absent {
		fmt.Fprintln(&b, "left out:", a)
	}
	return b.String()
}

// sums counts verdicts and reasons.
func sums(all []outcome) string {
	count, reasons, late := map[verdict]int{}, map[string]int{}, 0
	var waits []time.Duration
	for _, o := range all {
		count[o.Verdict]++
		if o.Reason != "" {
			reasons[o.Reason]++
		}
		if o.Verdict == right {
			waits = append(waits, o.After)
			if o.Late {
				late++
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d steps:", len(all))
	for _, v := range verdicts {
		if count[v.v] > 0 {
			fmt.Fprintf(&b, " %s (%c) %d", v.v, v.mark, count[v.v])
		}
	}
	fmt.Fprintf(&b, "; right but late (+) %d\nreasons:", late)
	for _, r := range slices.Sorted(keysOf(reasons)) {
		fmt.Fprintf(&b, " %s %d", r, reasons[r])
	}
	if slices.Sort(waits); len(waits) > 0 {
		at := func(part float64) time.Duration {
			return waits[int(part*float64(len(waits)-1))].Round(time.Millisecond)
		}
		fmt.Fprintf(&b, "\nreply after the last change of the screen, where right: p50 %v, p90 %v, most %v", at(0.5), at(0.9), at(1))
	}
	return b.String()
}

func keysOf(m map[string]int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// names returns the programs in order.
func names(all []outcome) []string {
	var out []string
	for _, o := range all {
		if !slices.Contains(out, o.Program) {
			out = append(out, o.Program)
		}
	}
	return out
}

func pick(all []outcome, name, place string) []outcome {
	var out []outcome
	for _, o := range all {
		if o.Program == name && o.Place == place {
			out = append(out, o)
		}
	}
	return out
}

// findings reports each step that was not right, or was late: first one line for
// each, then the details with the reply and the screen.
func findings(all []outcome) string {
	var lines, full strings.Builder
	for _, o := range all {
		if o.Verdict == right && !o.Late {
			continue
		}
		head := fmt.Sprintf("%s in %s, step %d, `%s`", o.Program, o.Place, o.Step, o.Typed)
		fmt.Fprintf(&lines, "- %s: **%s**%s\n", head, o.Verdict, o.remarks())
		if o.Verdict == right || o.Verdict == skipped {
			continue
		}
		fmt.Fprintf(&full, "### %s: %s\n\n%s\n\nreply:\n%s\n", head, o.Verdict, strings.TrimPrefix(o.remarks(), "; "), indent(o.Reply))
		if squash(o.Reply) != squash(o.Screen) {
			fmt.Fprintf(&full, "\nscreen:\n%s\n", indent(o.Screen))
		}
	}
	return lines.String() + "\n" + full.String()
}

// remarks returns the details for one line of the findings.
func (o outcome) remarks() string {
	var b strings.Builder
	if o.Reason != "" {
		fmt.Fprintf(&b, "; reason %s", o.Reason)
	}
	if o.Verdict == reason {
		fmt.Fprintf(&b, ", wanted %s", o.Wanted)
	}
	if o.Took > 0 {
		fmt.Fprintf(&b, "; took %v, of them %v after the last change", o.Took.Round(time.Millisecond), o.After.Round(time.Millisecond))
	}
	for _, d := range o.Details {
		fmt.Fprintf(&b, "; %s", d)
	}
	if o.Verdict == lost || o.Verdict == early {
		fmt.Fprintf(&b, "; in the next reply: %v", o.Next)
	}
	return b.String()
}

// indent formats text as a Markdown code block, without its empty lines.
func indent(s string) string {
	var b strings.Builder
	for _, l := range strings.Split(s, "\n") {
		if l = strings.TrimRight(l, " "); l != "" {
			b.WriteString("\n    " + l)
		}
	}
	return b.String()
}
