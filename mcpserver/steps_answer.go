package mcpserver

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/glasstty/glasstty/session"

	"github.com/glasstty/glasstty/session/text"
)

// finish cuts the output of each reply to its share of the output limit. It is called once, after a
// run with at least one reply.
func (r *stepRun) finish() {
	last, left := r.last(), r.show.MaxOutputChars
	shown := utf8.RuneCountInString(last.Shown) + utf8.RuneCountInString(text.Diff(last.Diff))
	left = max(left-shown, left/4)
	earlier := r.earlier()
	all := 0
	for _, reply := range earlier {
		reply.HasMore = reply.HasMore && reply.Output != "" // the screen of an earlier reply is not shown
		all += utf8.RuneCountInString(reply.Output)
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

// text returns a line for each step and, for each except the last step, its output. The caller
// appends the reply to the last step.
func (r *stepRun) text() string {
	var b strings.Builder
	for i, step := range r.replies {
		line := []string{fmt.Sprintf("step %d", i), r.steps[i].awaited + string(step.Reason), formatDuration(step.Elapsed)}
		if i+1 == len(r.replies) {
			b.WriteString(bracket(line) + "\n")
			break
		}
		b.WriteString(bracket(slices.Concat(line, lossParts(step), step.Notes)) + "\n")
		b.WriteString(withStatus("", outputText(step)))
	}
	return b.String()
}

// results returns the results of the steps.
func (r *stepRun) results() stepsDone {
	out := stepsDone{StoppedAt: r.stoppedAt}
	for i, step := range r.replies {
		res := stepResult{Reason: string(step.Reason), Elapsed: seconds(step.Elapsed)}
		if i+1 < len(r.replies) {
			res.Output, res.HasMore, res.DroppedBytes, res.Notes = step.Output, step.HasMore, step.DroppedBytes, step.Notes
		}
		out.Steps = append(out.Steps, res)
	}
	return out
}

// lastReply returns the reply to the last step. It adds facts that only earlier replies
// contain, and the reason why the run stopped.
func (r *stepRun) lastReply() *session.Reply {
	out := *r.last()
	for _, reply := range slices.Backward(r.earlier()) {
		out.AddFacts(reply)
	}
	if r.first != nil && len(r.replies) > 0 {
		out.Notes = slices.Concat(r.first.Notes, out.Notes)
	}
	if r.why != "" {
		out.Notes = append([]string{r.why}, out.Notes...)
	}
	return r.call.srv.qualifyReply(&out)
}
