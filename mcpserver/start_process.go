package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session"
)

const startProcessDoc = `Start a program in a new terminal and wait until it is ready. Type into it with send_and_read afterwards.
It returns session_id, pid, and initial_output or the screen. The program has the server's rights, and runs until terminate_process ends it.`

type startProcessArgs struct {
	Command    string            `json:"command" need:"true" doc:"run directly; for shell syntax give bash and args [-c, line]"`
	Args       []string          `json:"args" schema:"bare" doc:"its arguments" `
	Mode       string            `json:"mode" enum:"pty,pipe" doc:"pipe: no terminal" default:"pty"`
	Name       string            `json:"name" max:"64" doc:"usable as session_id"`
	Cwd        string            `json:"cwd" schema:"bare" doc:"working directory; default: the server's"`
	Env        map[string]string `json:"env" doc:"added to the server's"`
	Rows       int               `json:"rows" min:"1" max:"1000" schema:"bare" doc:"height" default:"24"`
	Cols       int               `json:"cols" min:"1" max:"1000" schema:"bare" doc:"width" default:"80"`
	Marks      *bool             `json:"marks" schema:"hidden" doc:"false: give shells no OSC 133 marks" default:"true"`
	Sandbox    *struct{}         `json:"sandbox" schema:"hidden" doc:"{} starts it in the server's sandbox"`
	Text       string            `json:"text" doc:"typed once it is ready"`
	PressEnter bool              `json:"press_enter" doc:"after text"`
	Steps      stepList          `json:"steps" items:"object" max:"50" doc:"instead of text, as in run_steps"`
	WaitFor    *string           `json:"wait_for" doc:"regex, see send_and_read"`
	Timeout    *float64          `json:"timeout" min:"0.1" max:"600" doc:"seconds" default:"10"`
	waitArgs
}

// startResult is a reply with the output under another name.
type startResult struct {
	SessionID     string `json:"session_id"`
	Name          string `json:"name"`
	PID           int    `json:"pid"`
	InitialOutput string `json:"initial_output,omitempty" doc:"text since the start, prompt left out"`
	Output        string `json:"output,omitempty" doc:"of the last of steps"`
	replyDetails
	stepsDone
}

func handleStartProcess(ctx context.Context, c *call, in *startProcessArgs) (*answer, error) {
	l := c.limit(in.Timeout, startTimeout)
	w, err := in.wait(l, "wait_for", in.WaitFor)
	if err != nil {
		return nil, err
	}
	steps, err := planSteps(in.Steps)
	if err != nil {
		return nil, err
	}
	if len(steps) > 0 && (in.Text != "" || in.PressEnter) {
		return nil, refuse(`give "steps" or "text" with "press_enter", not both: put the text into the first step`)
	}
	if in.ReaderID != 0 {
		return nil, refuse(`"reader_id" must be 0 here, and is %d: a new session has no other reader; register_reader adds one`, in.ReaderID)
	}
	s, err := c.start(c.stepContext(ctx), session.StartOptions{
		Command: in.Command,
		Args:    in.Args,
		Name:    in.Name,
		Dir:     c.dir(in.Cwd),
		Env:     in.Env,
		Size:    emulator.Size{Rows: in.Rows, Cols: in.Cols},
		Pipe:    in.Mode == "pipe",
		NoMarks: in.Marks != nil && !*in.Marks,
		Client:  clientTitle(c.req),
		Sandbox: in.Sandbox != nil,
	})
	if err != nil {
		return nil, err
	}
	if len(steps) > 0 {
		return c.startSteps(ctx, s, in, steps, w)
	}
	r, err := firstReply(ctx, c, s, in, w, l)
	if err != nil {
		return nil, noteStarted(s, err)
	}
	info := s.Info()
	return &answer{
		text: startedText(r, info, in),
		data: startResult{SessionID: r.SessionID, Name: info.Name, PID: info.PID, InitialOutput: r.Output, replyDetails: newReplyDetails(r)},
	}, nil
}

// start starts the program. If the client's user has allowed a held start, start starts that program.
// If the user has allowed the first text of a session, start returns that session instead.
func (c *call) start(ctx context.Context, o session.StartOptions) (*session.Session, error) {
	switch {
	case c.accepted == nil:
		return c.srv.mgr.Start(ctx, o)
	case c.srv.mgr.HeldStart(c.accepted.Session):
		return c.srv.mgr.ConfirmStart(ctx, c.accepted.Session, c.accepted.Input, true)
	}
	return c.srv.session(c.accepted.Session)
}

// noteStarted adds the new session's id to err if the program runs and only its first text was held.
func noteStarted(s *session.Session, err error) error {
	var held *session.HeldError
	if errors.As(err, &held) {
		return fmt.Errorf("%s runs as session %s; its text was %w", s.Info().Command, s.ID(), err)
	}
	return err
}

// firstReply waits as w says. If the call gives text, it first waits until the program is ready, types the text, and
// joins the outputs of both waits. If the program exits or is not ready in time, it types nothing and adds a note.
func firstReply(ctx context.Context, c *call, s *session.Session, in *startProcessArgs, w session.Wait, l limit) (*session.Reply, error) {
	if in.Text == "" && !in.PressEnter {
		return c.exchange(ctx, s, session.Input{}, w, l)
	}
	ready := w
	ready.Until, ready.Pattern = session.UntilReady, nil
	first, err := c.exchange(ctx, s, session.Input{}, ready, l)
	if err != nil {
		return nil, err
	}
	if first.Reason == detect.Exited || first.Reason == detect.Timeout {
		return withNote(first, "text was not typed: the program was not ready"), nil
	}
	w.Timeout = max(w.Timeout-first.Elapsed, session.MinTimeout)
	r, err := c.exchange(ctx, s, session.Input{Text: in.Text, Enter: in.PressEnter}, w, l)
	if err != nil {
		return nil, err
	}
	return r.After(first, w.Raw), nil
}

// startedText returns the text of the reply, with the process ID if the program runs. It omits the
// directory and the foreground process if they are those in the call's arguments.
func startedText(r *session.Reply, info session.Info, in *startProcessArgs) string {
	out := *r
	if r.Cwd != nil && *r.Cwd == startDir(in.Cwd) {
		out.Cwd = nil
	}
	if r.Foreground != nil && *r.Foreground == filepath.Base(in.Command) {
		out.Foreground = nil
	}
	if r.Alive() {
		return replyText(withNote(&out, fmt.Sprintf("pid %d", info.PID)))
	}
	return replyText(&out)
}

// startDir returns the absolute path of the argument cwd, or "" on an error.
func startDir(cwd string) string {
	dir, err := filepath.Abs(cwd)
	if err != nil {
		return ""
	}
	return dir
}
