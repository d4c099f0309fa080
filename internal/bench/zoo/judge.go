package main

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A verdict is the judgement on a reply.
type verdict string

const (
	right   verdict = "right"
	lost    verdict = "lost"    // it lacks what stood on the screen
	early   verdict = "early"   // it lacks what came onto the screen after it
	undone  verdict = "undone"  // what was typed had not the effect that it has for a person
	falsely verdict = "false"   // it has what a person does not see
	twice   verdict = "twice"   // it has a line more often than a person sees it, or again
	reason  verdict = "reason"  // its text is right and its reason is not
	cannot  verdict = "cannot"  // the server has no way to type it
	failed  verdict = "error"   // the call failed
	skipped verdict = "skipped" // an earlier step had ended the run
)

// lateAfter is the time after which a reply is late, counted from when the program
// was done.
const lateAfter = 100 * time.Millisecond

// An outcome is the result of one step.
type outcome struct {
	Program string
	Place   string
	Step    int
	Typed   string
	Verdict verdict
	Late    bool
	Reason  string
	Wanted  string   `json:",omitempty"` // reasons allowed, where they are not
	Details []string `json:",omitempty"` // texts that are missing, false or twice
	Reply   string
	Screen  string        `json:",omitempty"` // at the time of the reply
	Took    time.Duration // of the call
	After   time.Duration // from the last change of the screen to the reply
	Next    bool          // the next reply had what was missing
}

// A sight is what a person saw around the time of a reply.
type sight struct {
	was    string   // on the same screen, main or alternate, when the reader looked last
	before string   // a moment before the reply
	now    string   // at the reply
	row    int      // the cursor's line in now
	bars   []string // texts of lines that belong to a prompt
	// restyled says which lines of now are rendered otherwise than in was.
	restyled []bool
	echo     []string // what was typed since the reader looked last at this screen
	prompt   string   // the line that the cursor was in then
}

// judge compares a reply with what the step expects and what was on the screen. It
// returns right, lost, falsely, twice or reason, and what was wrong. A text that is
// not on the screen either is reported as lost here; the caller changes that to
// early or undone.
func judge(place string, s step, r reply, v sight, timed bool) (verdict, []string) {
	var bad []string
	for _, e := range s.see {
		if !e.in(r.text) {
			bad = append(bad, "missing: "+e.text)
		}
	}
	if bad == nil && timed {
		bad = leftOut(r, v)
	}
	if bad != nil {
		return lost, bad
	}
	for _, e := range s.not {
		if e.in(r.text) {
			bad = append(bad, "not on the screen: "+e.text)
		}
	}
	if bad != nil {
		return falsely, bad
	}
	if bad = repeated(r, v); bad != nil && timed {
		return twice, bad
	}
	if timed && !s.allows(place, r.reason) {
		return reason, nil
	}
	return right, nil
}

// leftOut returns the lines that are new on the screen since the previous reply and
// missing in this one, except for the prompt and the echo of what was typed.
func leftOut(r reply, v sight) []string {
	had := map[string]int{}
	for _, l := range strings.Split(v.was, "\n") {
		had[squash(l)]++
	}
	text, prompt := squash(r.text), squash(r.prompt)
	was, steady := strings.Split(v.was, "\n"), strings.Split(v.before, "\n")
	var out []string
	for i, l := range strings.Split(v.now, "\n") {
		q := squash(l)
		inBar := func(bar string) bool { return strings.Contains(l, bar) }
		if q == "" || slices.ContainsFunc(v.bars, inBar) || strings.Contains(text, q) || !slices.Contains(steady, l) {
			continue
		}
		if i == v.row && i < len(was) && strings.HasPrefix(was[i], l) {
			continue // what was typed there was erased again
		}
		if had[q]--; had[q] >= 0 {
			continue
		}
		typed := func(e string) bool { // an echo may go on in further rows
			return strings.Contains(q, e) || strings.Contains(squash(v.prompt)+e, q)
		}
		if slices.ContainsFunc(v.echo, typed) || prompt != "" && (strings.Contains(prompt, q) || strings.HasPrefix(q, prompt)) {
			continue
		}
		out = append(out, "left out: "+strings.TrimSpace(l))
	}
	return out
}

// shortest is the minimum number of characters of a line that counts as repeated.
const shortest = 4

// repeated returns the lines that occur more often in the output than they are new
// on the screen.
func repeated(r reply, v sight) []string {
	was := strings.Split(v.was, "\n")
	now, fresh := map[string]int{}, map[string]int{} // lines, and those with other text than before
	for i, l := range strings.Split(v.now, "\n") {
		q := squash(l)
		if now[q]++; i >= len(was) || squash(was[i]) != q || i < len(v.restyled) && v.restyled[i] {
			fresh[q]++
		}
	}
	whole, count := squash(v.now), map[string]int{}
	var order, out []string
	for _, l := range strings.Split(r.output, "\n") {
		q := squash(l)
		if utf8.RuneCountInString(q) < shortest {
			continue
		}
		if count[q]++; count[q] == 1 {
			order = append(order, l)
		}
	}
	for _, l := range order {
		q := squash(l)
		switch have := now[q]; {
		case have == 0 && strings.Contains(whole, q): // wrapped, or a line that only grew
		case have == 0:
			out = append(out, "not on the screen: "+l)
		case count[q] > have:
			out = append(out, "twice: "+l)
		case count[q] > fresh[q]:
			out = append(out, "again: "+l)
		}
	}
	return out
}
