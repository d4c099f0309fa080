package mcpserver

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/glasstty/glasstty/session"
)

const runStepsDoc = `Do several steps in one call. Each step may expect a text first, then types and waits. Use it when you know the next inputs already: an edit in vim, an installer, a rebase. For one input use send_and_read.
Nobody else types between the steps. It stops at the first step whose expect does not match, whose wait does not complete, whose input is held, or that meets an unexpected password prompt. It returns each step's reason and output, the last reply, and stopped_at.`

// maxSteps is the maximum number of steps in one call. After a restart of the server, a session knows
// which of its latest inputs were typed; maxSteps must be less than the number of these inputs.
const maxSteps = 50

// stepArgs are the arguments of one step.
type stepArgs struct {
	Expect     *string  `json:"expect" doc:"regex that the screen or unread output must match before it types"`
	Text       string   `json:"text" schema:"bare" doc:"\\n is Enter"`
	Keys       keyList  `json:"keys" items:"string" schema:"bare" doc:"typed after text, see send_keys"`
	PressEnter bool     `json:"press_enter" schema:"bare" doc:"Enter at the end"`
	Paste      *bool    `json:"paste" schema:"bare" doc:"true: as one paste; false: line by line"`
	WaitFor    *string  `json:"wait_for" doc:"regex"`
	Until      string   `json:"until" enum:"ready,exit,quiet,change,released,none" schema:"bare" doc:"default ready"`
	Timeout    *float64 `json:"timeout" min:"0.1" max:"600" doc:"seconds, for expect too" default:"5"`
}

// A stepList is the argument steps.
type stepList []stepArgs

type runStepsArgs struct {
	oneSession
	Steps          stepList `json:"steps" need:"true" min:"1" max:"50" doc:"as in send_and_read"`
	View           string   `json:"view" enum:"auto,output,screen,both,diff" doc:"of the last reply"`
	MaxOutputChars int      `json:"max_output_chars" min:"1" doc:"for all steps together"`
	MaxLines       int      `json:"max_lines" min:"0" schema:"hidden" doc:"the newest lines of each step's output"`
	outputArgs     `schema:"hidden"`
}

// stepsDone contains the results of the steps.
type stepsDone struct {
	Steps     []stepResult `json:"steps,omitempty" doc:"the steps begun, in order"`
	StoppedAt *int         `json:"stopped_at,omitempty" doc:"the step, from 0, that was not done or did not complete; notes say why"`
}

type stepResult struct {
	Reason       string   `json:"reason"`
	Elapsed      float64  `json:"elapsed"`
	Output       string   `json:"output,omitempty" doc:"that of the last step is above; none where the program owns the screen"`
	HasMore      bool     `json:"has_more,omitempty" doc:"lines were left out"`
	DroppedBytes int64    `json:"dropped_bytes,omitempty"`
	Notes        []string `json:"notes,omitempty"`
}

// runResult is the reply of the last step with the results of all.
type runResult struct {
	reply
	stepsDone
}

func handleRunSteps(ctx context.Context, c *call, s *session.Session, in *runStepsArgs) (*answer, error) {
	steps, err := planSteps(in.Steps)
	if err != nil {
		return nil, err
	}
	show := waitArgs{View: in.View, outputArgs: in.outputArgs}
	show.MaxOutputChars, show.MaxLines = in.MaxOutputChars, in.MaxLines
	r := c.newStepRun(s, steps, 0, show.replyForm())
	p := c.startProgress(ctx, r.limit)
	defer p.end()
	if err := r.run(ctx, p); err != nil {
		return nil, err
	}
	r.finish()
	last := r.lastReply()
	return &answer{
		text: r.text() + replyText(last),
		data: runResult{reply: newReply(last), stepsDone: r.results()},
		err:  r.failed,
	}, nil
}

// A step is one step of a run, after its arguments were checked.
type step struct {
	expect      *regexp.Regexp // nil if the step expects nothing
	expectation string         // the argument expect, as given
	input       session.Input
	wait        session.Wait // only the condition and the timeout are used
	waits       bool         // the call gave wait_for or until
	awaited     string       // for the result: wait_for or until with its value and a blank; "" without both
}

// planSteps checks all steps of a call, before the first step types.
func planSteps(args stepList) ([]step, error) {
	steps := make([]step, len(args))
	for i := range args {
		var err error
		if steps[i], err = args[i].plan(fmt.Sprintf("steps[%d].", i)); err != nil {
			return nil, err
		}
	}
	return steps, nil
}

// plan checks one step. Errors put prefix before the names of its arguments.
func (a *stepArgs) plan(prefix string) (step, error) {
	st := step{input: typedText(a.Text, a.Paste), waits: a.Until != "" || a.WaitFor != nil}
	st.input.Keys, st.input.Enter = a.Keys, a.PressEnter
	args := waitArgs{Until: a.Until}
	l := limit{timeout: sendTimeout}
	if a.Timeout != nil {
		l.timeout = duration(*a.Timeout)
	}
	var err error
	if st.wait, err = args.wait(l, prefix+"wait_for", a.WaitFor); err != nil {
		return st, err
	}
	if a.Expect != nil {
		st.expectation = *a.Expect
		if st.expect, err = compile(prefix+"expect", *a.Expect); err != nil {
			return st, err
		}
	}
	switch {
	case a.WaitFor != nil:
		st.awaited = fmt.Sprintf("wait_for %s ", quotedShort(*a.WaitFor))
	case a.Until != "":
		st.awaited = "until " + a.Until + " "
	}
	if !st.types() && !st.waits && st.expect == nil {
		return st, refuse("argument %q has nothing to do: give text, keys, press_enter, expect, wait_for or until", prefix[:len(prefix)-1])
	}
	return st, nil
}

// types reports whether the step types anything.
func (st *step) types() bool {
	return st.input.Text != "" || len(st.input.Keys) > 0 || st.input.Enter
}

// answers reports whether the step types input that would answer a question.
func (st *step) answers() bool { return st.types() && !st.input.Interrupts() }

// maxTime returns the longest time that the step can take.
func (st *step) maxTime() time.Duration {
	if st.expect != nil && (st.types() || st.waits) {
		return 2 * st.wait.Timeout
	}
	return st.wait.Timeout
}
