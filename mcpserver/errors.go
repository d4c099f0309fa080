package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/session"
)

// ErrNotRead is returned by Serve when the client did not read its answers in time.
var ErrNotRead = errors.New("the client did not read its answers")

// ErrStopping is the cause with which calls end when the Server stops.
var ErrStopping = errors.New("the server is stopping; when it is back, list_sessions shows which sessions kept running; " +
	"check with snapshot whether the input of this call has arrived before repeating the call")

// errUserSaidNo is returned when the client's user does not allow held input.
var errUserSaidNo = errors.New("the user did not allow it")

// errWithin is returned to a program in a session of this server that tries to confirm held input.
// Otherwise, the model could let the program confirm the input, and nobody would ask the client's user.
var errWithin = errors.New("this program runs in a session of this server, and may not confirm held input: " +
	"the client that drives the sessions may, or a person on the live page (glasstty link)")

// withCheckFirst adds the next step to the error of a call that may have had effects on another host.
// It does not change ErrStopping, which contains the next step.
func withCheckFirst(err error) error {
	if errors.Is(err, ErrStopping) {
		return err
	}
	return fmt.Errorf("%w; this call may have taken effect: when the host answers, check with list_sessions and snapshot before repeating the call", err)
}

// knownErrors lists errors with the verdict for the audit log and the next step for a model. If an
// error wraps several of them, the first verdict and the first next step that are not "" are used.
var knownErrors = []struct {
	err           error
	verdict, next string
}{
	{session.ErrNoSession, "", "call list_sessions"},
	{session.ErrAmbiguous, "", "use an id; list_sessions shows which is which"},
	{session.ErrExited, "", "read_output and snapshot still show its output; start_process starts a new session"},
	{session.ErrRunning, "", "call terminate_process first, with delete true to do both"},
	{session.ErrNoReader, "", "call register_reader, or use reader_id 0"},
	{session.ErrOutputStopped, "", "send_keys ctrl+q resumes it; then type the rest"},
	{session.ErrRate, verdictLimited, "give a longer timeout, type it in parts, or write it to a file and let the program read that"},
	{session.ErrSlow, verdictLimited, "type the rest later, or write the text to a file and let the program read that"},
	{session.ErrInputFull, verdictLimited, "look with snapshot; wait_for and type the rest later, or send_keys ctrl+c"},
	{session.ErrTooMany, verdictLimited, ""},
	{session.ErrPersonControls, verdictRefused, "wait_for until=released; you can still read"},
	{session.ErrNotConfirmed, verdictRefused, "send the input again as before; when it is held, repeat exactly what the answer names"},
	{session.ErrDenied, verdictRefused, "the settings allow-command, block-command and allow-path decide: ask the person who runs this server"},
	{audit.ErrWrite, "", "the server refuses calls that it cannot log: tell the person who runs it"},
	{session.ErrPipe, "", "start_process with mode pty gives a terminal"},
	{errUserSaidNo, verdictRefused, ""},
	{session.ErrUnfinished, verdictRefused, ""},
	{session.ErrArgument, verdictRefused, ""},
}

// refuse returns an error about a call's arguments. The result with this error has MetaRefused, which
// tells clients that nothing was done.
func refuse(format string, a ...any) error {
	return fmt.Errorf("%w: %w", session.ErrArgument, fmt.Errorf(format, a...))
}

// errorForModel renders err for the model, followed by the next step if there is one.
func errorForModel(ctx context.Context, err error) string {
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, ctx.Err()) {
		err = cause
	}
	if errors.Is(err, context.Canceled) {
		return "the client cancelled this call; the session keeps running"
	}
	for _, k := range knownErrors {
		if k.next != "" && errors.Is(err, k.err) {
			return fmt.Sprintf("%v; %s", err, k.next)
		}
	}
	return strings.TrimPrefix(err.Error(), session.ErrArgument.Error()+": ")
}

// verdictOf returns the verdict on a call that failed.
func verdictOf(err error) string {
	for _, k := range knownErrors {
		if k.verdict != "" && errors.Is(err, k.err) {
			return k.verdict
		}
	}
	return verdictFailed
}
