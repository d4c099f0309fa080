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
	for _, reply := range r.replies {
		if reply.Reply != last {
			reply.HasMore = reply.HasMore && reply.Output != "" // its screen is not shown
			earlier = append(earlier, reply.Reply)
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

// begun returns the number of steps that have a reply.
func (r *stepRun) begun() int { return r.replies[len(r.replies)-1].step + 1 }

// reply returns the replies to a step joined into one.
func (r *stepRun) reply(step int) (out *session.Reply) {
	for _, reply := range r.replies {
		switch {
		case reply.step != step:
		case out == nil:
			out = reply.Reply
		default:
			out = joined(out, reply.Reply, r.show.Raw)
		}
	}
	return out
}

// text returns a line for each step and, for each except the last, its output. The caller
// appends the last reply.
func (r *stepRun) text() string {
	var b strings.Builder
	for i := range r.begun() {
		step := r.reply(i)
		line := []string{fmt.Sprintf("step %d", i), r.steps[i].awaited + string(step.Reason), brief(step.Elapsed)}
		if i+1 == r.begun() {
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
	for i := range r.begun() {
		step := r.reply(i)
		res := stepResult{Reason: string(step.Reason), Elapsed: seconds(step.Elapsed)}
		if i+1 < r.begun() {
			res.Output, res.HasMore, res.DroppedBytes, res.Notes = step.Output, step.HasMore, step.DroppedBytes, step.Notes
		}
		out.Steps = append(out.Steps, res)
	}
	return out
}

// lastReply returns the reply to the last step. It adds facts that only earlier replies
// contain, and the reason why the run stopped.
func (r *stepRun) lastReply() *session.Reply {
	last := r.begun() - 1
	out := *r.reply(last)
	out.PromptTold = true
	for _, reply := range slices.Backward(r.replies) {
		if out.PromptTold = out.PromptTold && reply.PromptTold; reply.step == last {
			continue
		}
		if addFacts(&out, reply.Reply); reply.step < 0 {
			out.Notes = slices.Concat(reply.Notes, out.Notes)
		}
	}
	if r.why != "" {
		out.Notes = append([]string{r.why}, out.Notes...)
	}
	return r.call.srv.forClient(&out)
}
