package doctor

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/child"
)

// startLimit is the time limit for a program to become ready.
const startLimit = 10 * time.Second

// start starts a program, waits as w says, but at most startLimit, and returns the session and the
// reply. Unless there is an error, the caller must call end.
func (m *machine) start(ctx context.Context, w session.Wait, command string, args ...string) (*session.Session, *session.Reply, error) {
	s, err := m.mgr.Start(ctx, session.StartOptions{Command: command, Args: args})
	if err != nil {
		return nil, nil, err
	}
	w.Timeout = startLimit
	r, err := s.Exchange(ctx, session.Input{}, w, nil)
	if err != nil {
		m.end(ctx, s)
		return nil, nil, err
	}
	return s, r, nil
}

// end ends a program and deletes the session. It ignores errors, which Manager.Close reports.
func (m *machine) end(ctx context.Context, s *session.Session) {
	if _, err := s.Terminate(ctx, session.TerminateOptions{Force: true}); err == nil {
		_ = m.mgr.Delete(s.ID())
	}
}

// marker is the text that checks print or write to a file.
const marker = "glasstty-was-here"

// kernelAdvice is the remedy if the operating system does not show whether programs wait for input.
const kernelAdvice = "on Linux, mount /proc without hidepid, and run glasstty as the user who owns the programs; " +
	"until then, and always on macOS, waits end by marks, prompts and pauses, which is slower and less reliable"

// terminals checks that a program runs on a pseudo-terminal.
func terminals(ctx context.Context, m *machine) Finding {
	s, r, err := m.start(ctx, session.Wait{Until: session.UntilExit}, "sh", "-c", "test -t 0 && test -t 1 && echo "+marker)
	if err != nil {
		return broken(err.Error(), "glasstty needs pseudo-terminals: in a container, mount devpts on /dev/pts and provide /dev/ptmx")
	}
	defer m.end(ctx, s)
	if r.Reason != detect.Exited || !strings.Contains(r.Output, marker) {
		return broken(fmt.Sprintf("sh on a pseudo-terminal ended with reason %s and the output %q", r.Reason, r.Output),
			"check whether script -c 'tty' /dev/null works on this machine")
	}
	return ok("a program ran on a pseudo-terminal")
}

// waiting checks that the kernel shows when a program waits for input.
func waiting(ctx context.Context, m *machine) Finding {
	s, r, err := m.start(ctx, session.Wait{Explain: true}, "cat")
	if err != nil {
		return broken(err.Error(), "make sure that cat is on PATH")
	}
	defer m.end(ctx, s)
	if r.Reason != detect.AwaitingInput || r.Explain == nil || r.Explain.Layer != detect.LayerKernel {
		return warn(fmt.Sprintf("a program that waits for input was seen as %q", r.Reason), kernelAdvice)
	}
	return ok("the kernel shows when a program waits for input")
}

// passwords checks that a password prompt is recognised.
func passwords(ctx context.Context, m *machine) Finding {
	s, r, err := m.start(ctx, session.Wait{}, "sh", "-c", "stty -echo; printf 'Password: '; read line")
	if err != nil {
		return broken(err.Error(), "make sure that sh and stty are on PATH")
	}
	defer m.end(ctx, s)
	if r.Reason != detect.Password {
		return warn(fmt.Sprintf("a password prompt was seen as %q", r.Reason), kernelAdvice)
	}
	return ok("password prompts are recognised by the terminal's settings")
}

// descendants checks that ending a session also ends a program that shares neither terminal nor parent nor
// environment with the session's program. It reports how glasstty finds such programs.
func descendants(ctx context.Context, m *machine) Finding {
	if _, err := exec.LookPath("setsid"); err != nil {
		return skip("setsid is not installed")
	}
	s, r, err := m.start(ctx, session.Wait{Until: session.UntilExit}, "sh", "-c",
		"echo $(setsid -f env -i sh -c 'echo $$; exec sleep 60 </dev/null >/dev/null 2>&1')")
	if err != nil {
		return broken(err.Error(), "make sure that sh is on PATH")
	}
	m.end(ctx, s)
	pid := strings.TrimSpace(r.Output)
	if n, err := strconv.Atoi(pid); err == nil && child.Alive(n) {
		return warn("process "+pid+" left its terminal and still runs", "end such programs yourself; on Linux this should not happen: report it")
	}
	return controlGroups(child.FindCgroups())
}

// groupAdvice is the remedy for sessions without a control group with limits.
const groupAdvice = "to let the kernel enforce --max-processes and --max-memory: " +
	"systemd-run --user -p Delegate=yes -p DelegateSubgroup=main glasstty serve"

// controlGroups reports how glasstty finds the programs of a session: by a control group, or without one.
func controlGroups(g child.Cgroups) Finding {
	const ended = "programs that leave their terminal are ended with their session"
	switch {
	case g.Limits:
		return ok(fmt.Sprintf("%s: each session has a control group in %s, with limits", ended, g.Dir))
	case g.Dir != "":
		f := ok(fmt.Sprintf("%s: each session has a control group in %s; glasstty itself watches the limits", ended, g.Dir))
		f.Remedy = groupAdvice
		return f
	}
	f := ok(fmt.Sprintf("%s: they are found in the process table, because there are no control groups (%v)", ended, g.Err))
	f.Remedy = groupAdvice
	return f
}

// marks checks that a shell sends marks (OSC 133). It accepts a sh, such as dash, that sends no exit statuses.
func marks(ctx context.Context, m *machine, shell string) Finding {
	if _, err := exec.LookPath(shell); err != nil {
		return skip("not installed")
	}
	s, r, err := m.start(ctx, session.Wait{}, shell)
	if err != nil {
		return warn(err.Error(), "")
	}
	defer m.end(ctx, s)
	if r.Reason == detect.Prompt {
		r, err = s.Exchange(ctx, session.Input{Text: "true", Enter: true}, session.Wait{Timeout: startLimit, Explain: true}, nil)
	}
	switch {
	case err != nil:
		return warn(err.Error(), "")
	case r.Reason != detect.Prompt:
		return warn(fmt.Sprintf("its prompt was not recognised: reason %s, screen %q", r.Reason, s.Snapshot(0).Text()),
			"check what its startup files do; until then, agents have to wait for output to settle")
	case r.Last != nil:
		return ok("its marks show its prompt and the exit statuses of its commands")
	case shell == "sh" && r.Explain.Layer == detect.LayerMarks:
		return ok("its prompt is recognised by marks")
	}
	return warn("it sends no marks: its prompt is recognised by its look, and the exit statuses of its commands are unknown",
		"check whether its startup files replace PROMPT_COMMAND, PS1 or precmd")
}
