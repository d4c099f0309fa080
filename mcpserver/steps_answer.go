package mcpserver

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/glasstty/glasstty/session"

	"github.com/glasstty/glasstty/session/text"
)

// finish cuts the outputs to their shares of the output limit. It is called once, after a run
// with at least one reply.
func (r *stepRun) finish() {
	last, left := r.last(), r.show.MaxOutputChars
	shown := utf8.RuneCountInString(last.Shown) + utf8.RuneCountInString(text.Diff(last.Diff))
	left = max(left-shown, left/4)
	var earlier []*session.Reply
	all := 0
	for _, reply := range r.replies() {
		if reply != last {
			reply.HasMore = reply.HasMore && reply.Output != "" // its screen is not shown
			earlier = append(earlier, reply)
			all += utf8.RuneCountInString(reply.Output)
		}
	}
	last.Fit(max(left/2, left-all)) // the last output matters most
	left = max(left-utf8.RuneCountInString(last.Output), 0)
	// Short outputs come first, so that the longer ones can use the rest of their shares.
	slices.SortStableFunc(earlier, func(a, b *session.Reply) int { return len(a.Output) - len(b.Output) })
	for i, reply := range earlier {
		length := utf8.RuneCountInString(reply.Output)
		share := left / (len(earlier) - i)
		reply.Fit(max(share, 1))
		left -= min(share, length)
	}
}

// replies returns all replies, in order.
func (r *stepRun) replies() (all []*session.Reply) {
	if r.first != nil {
		all = append(all, r.first)
	}
	for _, d := range r.done {
		all = append(all, d.replies...)
	}
	return all
}

// reply returns the replies to the step joined into one.
func (d *stepDone) reply(raw bool) *session.Reply {
	out := d.replies[0]
	for _, reply := range d.replies[1:] {
		out = joined(out, reply, raw)
	}
	return out
}

// text returns a line for each step and, for each except the last, its output. The caller
// appends the last reply.
func (r *stepRun) text() string {
	var b strings.Builder
	for i, d := range r.done {
		step := d.reply(r.show.Raw)
		line := []string{fmt.Sprintf("step %d", i), d.awaited + string(step.Reason), brief(step.Elapsed)}
		if i+1 == len(r.done) {
			return b.String() + bracket(line) + "\n"
		}
		b.WriteString(bracket(slices.Concat(line, lossParts(step), step.Notes)) + "\n")
		b.WriteString(withStatus("", outputText(step)))
	}
	return ""
}

// results returns the results of the steps.
func (r *stepRun) results() stepsDone {
	out := stepsDone{StoppedAt: r.stopped}
	for i, d := range r.done {
		step := d.reply(r.show.Raw)
		res := stepResult{Reason: string(step.Reason), Elapsed: seconds(step.Elapsed)}
		if i+1 < len(r.done) {
			res.Output, res.HasMore, res.DroppedBytes, res.Notes = step.Output, step.HasMore, step.DroppedBytes, step.Notes
		}
		out.Steps = append(out.Steps, res)
	}
	return out
}

// lastReply returns the reply to the last step. It adds facts that only earlier replies
// contain, and the reason why the run stopped.
func (r *stepRun) lastReply() *session.Reply {
	last := stepDone{replies: []*session.Reply{r.first}}
	if n := len(r.done); n > 0 {
		last = r.done[n-1]
	}
	all := r.replies()
	out, earlier := *last.reply(r.show.Raw), all[:len(all)-len(last.replies)]
	for _, reply := range slices.Backward(earlier) {
		if addFacts(&out, reply); reply == r.first {
			out.Notes = slices.Concat(reply.Notes, out.Notes)
		}
	}
	out.PromptTold = !slices.ContainsFunc(all, func(reply *session.Reply) bool { return !reply.PromptTold })
	if r.why != "" {
		out.Notes = append([]string{r.why}, out.Notes...)
	}
	return r.call.srv.forClient(&out)
}
