package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/glasstty/glasstty/session"

	"github.com/glasstty/glasstty/session/text"
)

const readOutputDoc = `Read the unread output, or with tail, from_line or search any part of the history. Use it for logs and for what a reply left out, wait_for for an event, and snapshot for a full screen.
Where nothing is unread, it waits. It returns output, or with search the hits with their line numbers.`

type readOutputArgs struct {
	oneSession
	Tail     int      `json:"tail" min:"1" doc:"last N lines; with search last N hits"`
	FromLine *int64   `json:"from_line" min:"0" doc:"from this line on; moves no cursor"`
	Search   *string  `json:"search" doc:"regex; moves no cursor"`
	Context  *int     `json:"context" min:"0" max:"20" doc:"lines around a hit, default 2"`
	WaitFor  *string  `json:"wait_for" doc:"regex, see send_and_read"`
	Timeout  *float64 `json:"timeout" min:"0.1" max:"600" doc:"seconds" default:"5"`
	waitArgs `schema:"all"`
	sinceArg `schema:"hidden"`
}

// readResult is a reply with the hits of a search.
type readResult struct {
	reply
	Hits []searchHit `json:"hits,omitempty" doc:"search: runs of lines around the matches"`
}

type searchHit struct {
	FromLine int64    `json:"from_line" doc:"number of the first of lines"`
	Lines    []string `json:"lines"`
	Matches  []int64  `json:"matches" doc:"numbers of the lines that match"`
}

// defaultContext is the number of lines that search shows on each side of a hit.
const defaultContext = 2

func handleReadOutput(ctx context.Context, c *call, s *session.Session, in *readOutputArgs) (*answer, error) {
	o, err := in.options()
	if err != nil {
		return nil, err
	}
	w, l, err := (&answerArgs{in.WaitFor, in.Timeout, in.waitArgs, in.sinceArg}).waitIn(c, s)
	if err != nil {
		return nil, err
	}
	if o.Tail > 0 || o.FromLine != nil || o.Search != nil { // these do not wait
		if err := c.srv.rendering.Acquire(ctx, 1); err != nil {
			return nil, err
		}
		defer c.srv.rendering.Release(1)
	}
	p := c.startProgress(ctx, l)
	defer p.end()
	r, hits, err := s.Read(c.stepContext(ctx), o, w, p.setNote)
	if err != nil {
		return nil, err
	}
	r = c.clientReply(r, l)
	a := &answer{text: replyText(r), data: readResult{reply: newReply(r), Hits: newHits(hits)}}
	if o.Search != nil {
		a.text = hitsText(r, hits)
	}
	return a, nil
}

// check refuses arguments that contradict each other.
func (in *readOutputArgs) check() error {
	switch {
	case in.FromLine != nil && (in.Tail > 0 || in.Search != nil):
		return refuse(`argument "from_line" excludes "tail" and "search"; give one of them`)
	case in.Context != nil && in.Search == nil:
		return refuse(`argument "context" needs "search"`)
	}
	return nil
}

// options returns the options that select the output.
func (in *readOutputArgs) options() (session.ReadOptions, error) {
	o := session.ReadOptions{Tail: in.Tail, FromLine: in.FromLine}
	if in.Search == nil {
		return o, nil
	}
	re, err := compile("search", *in.Search)
	if err != nil {
		return o, err
	}
	o.Search, o.Context = re, defaultContext
	if in.Context != nil {
		o.Context = *in.Context
	}
	return o, nil
}

func newHits(hits []session.SearchHit) []searchHit {
	out := make([]searchHit, len(hits))
	for i, h := range hits {
		out[i] = searchHit{FromLine: h.Line, Lines: h.Text, Matches: append([]int64{}, h.Hits...)}
	}
	return out
}

// hitsText renders hits as grep does, with "12:" before a matching line, "12-" before a line of
// context, and "--" between hits, which are runs of lines.
func hitsText(r *session.Reply, hits []session.SearchHit) string {
	var b strings.Builder
	matches := 0
	for i, h := range hits {
		if i > 0 {
			b.WriteString("--\n")
		}
		match := map[int64]bool{}
		for _, n := range h.Hits {
			match[n] = true
		}
		matches += len(h.Hits)
		for j, line := range h.Text {
			n, mark := h.Line+int64(j), "-"
			if match[n] {
				mark = ":"
			}
			fmt.Fprintf(&b, "%d%s%s\n", n, mark, line)
		}
	}
	parts := append([]string{r.SessionID + " " + statusText(r.Status, r.ExitCode), plural(matches, "matching line")}, lossParts(r)...)
	return withStatus(bracket(append(parts, textIf(r.HasMore, "narrow the search"))), text.MarkProgram(b.String(), true))
}
