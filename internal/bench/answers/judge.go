package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// An observation is what was observed of one call from outside.
type observation struct {
	sent, returned time.Time
	writes         []time.Time // of the program to its terminal, after sent
	tapped         bool        // whether writes could be seen at all
	noisy          bool        // a background job of an earlier call may still write
	ans            answer
	err            error
}

// An outcome is a judged trial.
type outcome struct {
	kind, scenario, id, line string

	skipped string // why the trial was not possible
	failed  string // the call's error

	early   bool // the reply came before the last byte, or without the last line
	claim   claim
	wrong   string // what is wrong with the output, "" if nothing
	mixed   string // a line of another call in the output
	latency time.Duration
	timed   bool // latency is known
	layer   string
	reason  string
	explain string
	gotText []string
	writes  string // when the program wrote, of an early answer
}

// earlyComplete reports the worst kind of error: a truncated answer that is claimed
// to be complete.
func (o outcome) earlyComplete() bool { return o.early && o.claim == complete }

// miss reports whether the outcome belongs in the list of misses.
func (o outcome) miss() bool {
	return o.failed != "" || o.earlyComplete() || o.wrong != "" || o.mixed != "" || o.claim == incomplete
}

// judge compares what was observed with the expected answer. others are the words
// that earlier background jobs may still print.
func judge(k kind, t *trial, ob observation, others []string) outcome {
	o := outcome{
		kind: k.name, scenario: t.scenario, id: t.id, line: t.in.text,
		claim: ob.ans.claim, layer: ob.ans.layer, reason: ob.ans.reason, explain: ob.ans.explain,
	}
	if cannot, ok := ob.err.(errCannot); ok {
		o.skipped = cannot.Error()
		return o
	}
	if ob.err != nil {
		o.failed = ob.err.Error()
		return o
	}
	o.gotText = cleanLines(ob.ans.text)
	there := holds(o.gotText, t) || ob.ans.bytes && t.in.tui
	o.early = isEarly(t, ob, there)
	if o.early {
		o.writes = around(ob)
	} else {
		o.latency, o.timed = latency(t, ob)
		if !(ob.ans.bytes && t.in.tui) {
			o.wrong = wrongOutput(t, o.gotText, others, ob.ans.screen)
		}
	}
	if o.wrong != "" && ob.noisy && interrupted(t, o.gotText, others) {
		o.wrong = ""
		return o
	}
	if !ob.ans.screen && !t.in.tui {
		o.mixed = foreign(t, o.gotText, others)
	}
	return o
}

// holds reports whether the answer contains its last line.
func holds(got []string, t *trial) bool {
	if t.in.tui {
		return strings.Contains(strings.Join(got, "\n"), t.end)
	}
	return slices.ContainsFunc(got, func(l string) bool { return strings.HasSuffix(l, t.end) || strings.HasPrefix(l, t.end) })
}

// isEarly reports whether the reply came early: the last line is missing although
// it came later, or the program wrote to its terminal after the reply, for example
// its prompt. Later writes do not count if something else writes by itself, such as
// a background job, or after a rush, when they belong to the next command.
func isEarly(t *trial, ob observation, there bool) bool {
	after := 0
	for _, w := range ob.writes {
		if w.After(ob.returned) {
			after++
		}
	}
	if !there && (!ob.tapped || after > 0) {
		return true
	}
	return after > 0 && t.late == "" && !t.endless && !ob.noisy
}

// around lists the last writes before and the first after the reply, relative to
// the reply.
func around(ob observation) string {
	i := 0
	for i < len(ob.writes) && !ob.writes[i].After(ob.returned) {
		i++
	}
	var parts []string
	for _, w := range ob.writes[max(0, i-3):min(len(ob.writes), i+3)] {
		parts = append(parts, fmt.Sprintf("%+.1f", float64(w.Sub(ob.returned).Microseconds())/1000))
	}
	return strings.Join(parts, " ") + " ms"
}

// burstGap separates two repaints of a program that repaints by itself.
const burstGap = 30 * time.Millisecond

// latency returns the time from the program's last write to the reply. If writes
// cannot be observed, the answer is assumed to end when its pauses are over.
func latency(t *trial, ob observation) (time.Duration, bool) {
	if !ob.tapped {
		return ob.returned.Sub(ob.sent) - t.lasts, true
	}
	var end time.Time
	for _, w := range ob.writes {
		if w.After(ob.returned) || t.late != "" && !end.IsZero() && w.Sub(end) > burstGap {
			break
		}
		if t.endless && !end.IsZero() && w.Sub(end) > burstGap {
			break
		}
		end = w
	}
	if end.IsZero() {
		return 0, false
	}
	return ob.returned.Sub(end), true
}

// wrongOutput says what is wrong with the lines of an answer that was not early:
// missing lines, or lines that the command did not print (its echo, the prompt,
// lines of other calls). In a whole screen, only the last line is checked.
func wrongOutput(t *trial, got, others []string, screen bool) string {
	if t.secret != "" && strings.Contains(strings.Join(got, "\n"), t.secret) {
		return "shows the secret"
	}
	if t.in.tui || screen {
		if !holds(got, t) {
			return "lacks " + t.end
		}
		return ""
	}
	got = without(got, append(slices.Clone(others), t.late))
	if slices.Equal(got, t.want) {
		return ""
	}
	for i, w := range t.want {
		if i >= len(got) {
			return "lacks " + w
		}
		if got[i] == w {
			continue
		}
		if slices.Contains(got, w) {
			return "has more: " + got[i]
		}
		return "has " + got[i] + " for " + w
	}
	return "has more: " + got[len(t.want)]
}

// without returns lines without those that background jobs print. These may follow
// a prompt, of which a blank remains.
func without(lines, words []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool {
		for _, w := range words {
			if w != "" && strings.TrimSpace(l) == "<"+w+">" {
				return true
			}
		}
		return false
	})
}

// interrupted reports whether the lines are right except that background jobs wrote
// in the middle of one.
func interrupted(t *trial, got, others []string) bool {
	text := strings.Join(got, "")
	for _, w := range others {
		text = strings.ReplaceAll(text, "<"+w+">", "")
	}
	blanks := func(s string) string { return strings.ReplaceAll(s, " ", "") }
	return blanks(text) == blanks(strings.Join(t.want, ""))
}

// foreign returns a word of another trial in the lines, if any.
func foreign(t *trial, got, others []string) string {
	for _, l := range without(got, others) {
		for _, m := range regexp.MustCompile(`\bT\d+`).FindAllString(l, -1) {
			if m != t.id {
				return l
			}
		}
	}
	return ""
}
