package mcpserver

import (
	"context"
	"errors"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session"
)

// startSteps waits for the new program as w says. If the program is ready, it executes the steps.
func (c *call) startSteps(ctx context.Context, s *session.Session, in *startProcessArgs, steps []step, w session.Wait) (*answer, error) {
	r := c.newStepRun(s, steps, w.Timeout, in.replyForm())
	p := c.startProgress(ctx, r.limit)
	defer p.end()
	err := r.begin(ctx)
	if err != nil {
		return nil, err
	}
	w.Newest = true
	r.first, err = s.Exchange(c.stepContext(ctx), session.Input{}, w, p.setNote)
	if err != nil {
		return nil, err
	}
	if why := notReadyReason(r.first); why != "" {
		err = r.stop(ctx, 0, why)
	} else {
		err = r.run(ctx, p)
	}
	if err != nil {
		return nil, noteStarted(s, errors.Join(err, r.undo()))
	}
	return r.startAnswer(in), nil
}

// startAnswer returns the answer to start_process.
func (r *stepRun) startAnswer(in *startProcessArgs) *answer {
	r.finish()
	info, last := r.s.Info(), r.lastReply()
	data := startResult{SessionID: last.SessionID, Name: info.Name, PID: info.PID, InitialOutput: r.first.Output, replyDetails: newReplyDetails(last), stepsDone: r.results()}
	body := ""
	if len(r.replies) > 0 {
		body, data.Output = withStatus(r.text(), outputText(r.first)), last.Output
	}
	return &answer{text: body + startedText(last, info, in), data: data, err: r.failed}
}

// notReadyReason returns why no step can begin after the first reply, or "" if one can.
func notReadyReason(first *session.Reply) string {
	if first.Reason == detect.Exited || first.Reason == detect.Timeout {
		return "the program was not ready; nothing was typed"
	}
	return ""
}
