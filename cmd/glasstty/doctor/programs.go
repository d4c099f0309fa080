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

// start starts a program, waits as w says, and returns the session and the reply. The caller
// must call end.
func (p *patient) start(ctx context.Context, w session.Wait, command string, args ...string) (*session.Session, *session.Reply, error) {
	s, err := p.mgr.Start(ctx, session.StartOptions{Command: command, Args: args})
	if err != nil {
		return nil, nil, err
	}
	w.Timeout = startLimit
	r, err := s.Exchange(ctx, session.Input{}, w, nil)
	if err != nil {
		p.end(ctx, s)
		return nil, nil, err
	}
	return s, r, nil
}

// end ends a program and deletes its session. Manager.Close reports errors.
func (p *patient) end(ctx context.Context, s *session.Session) {
	if _, err := s.Terminate(ctx, session.TerminateOptions{Force: true}); err == nil {
		_ = p.mgr.Delete(s.ID())
	}
}

// marker is the output of the program in the first check.
const marker = "glasstty-was-here"

// kernelAdvice says what to do when the kernel does not show what programs wait for.
const kernelAdvice = "on Linux, mount /proc without hidepid, and run glasstty as the user who owns the programs; " +
	"until then, and always on macOS, waits end by marks, prompts and pauses, which is slower and less reliable"

// terminals runs a program on a pseudo-terminal.
func terminals(ctx context.Context, p *patient) Finding {
	s, r, err := p.start(ctx, session.Wait{Until: session.UntilExit}, "sh", "-c", "test -t 0 && test -t 1 && echo "+marker)
	if err != nil {
		return broken(err.Error(), "glasstty needs pseudo-terminals: in a container, mount devpts on /dev/pts and let it have /dev/ptmx")
	}
	defer p.end(ctx, s)
	if r.Reason != detect.Exited || !strings.Contains(r.Output, marker) {
		return broken(fmt.Sprintf("sh on a pseudo-terminal ended with reason %s and the output %q", r.Reason, r.Output),
			"see whether script -c 'tty' /dev/null works on this machine")
	}
	return ok("a program ran on a pseudo-terminal")
}

// waiting checks whether the kernel shows that a program waits for input.
func waiting(ctx context.Context, p *patient) Finding {
	s, r, err := p.start(ctx, session.Wait{Explain: true}, "cat")
	if err != nil {
		return broken(err.Error(), "cat should be on PATH")
	}
	defer p.end(ctx, s)
	if r.Reason != detect.AwaitingInput || r.Explain == nil || r.Explain.Layer != detect.LayerKernel {
		return warn(fmt.Sprintf("a program that waits for input was seen as %q", r.Reason), kernelAdvice)
	}
	return ok("the kernel tells when a program waits for input")
}

// passwords checks whether a password prompt is recognised.
func passwords(ctx context.Context, p *patient) Finding {
	s, r, err := p.start(ctx, session.Wait{}, "sh", "-c", "stty -echo; printf 'Password: '; read line")
	if err != nil {
		return broken(err.Error(), "sh and stty should be on PATH")
	}
	defer p.end(ctx, s)
	if r.Reason != detect.Password {
		return warn(fmt.Sprintf("a password prompt was seen as %q", r.Reason), kernelAdvice)
	}
	return ok("password prompts are known by the terminal's settings")
}

// descendants checks whether a program that left its terminal, its parent and its environment
// is ended too, and how it is found.
func descendants(ctx context.Context, p *patient) Finding {
	if _, err := exec.LookPath("setsid"); err != nil {
		return skip("no setsid here to try it with")
	}
	s, r, err := p.start(ctx, session.Wait{Until: session.UntilExit}, "sh", "-c",
		"echo $(setsid -f env -i sh -c 'echo $$; exec sleep 60 </dev/null >/dev/null 2>&1')")
	if err != nil {
		return broken(err.Error(), "sh should be on PATH")
	}
	p.end(ctx, s)
	pid := strings.TrimSpace(r.Output)
	if n, err := strconv.Atoi(pid); err == nil && child.Alive(n) {
		return warn("process "+pid+" left its terminal and goes on running", "end such programs yourself; on Linux this should not happen: report it")
	}
	return grouping(child.FindGrouping())
}

// groupAdvice says how to give the sessions control groups with limits.
const groupAdvice = "for groups that the kernel keeps within --max-processes and --max-memory: " +
	"systemd-run --user -p Delegate=yes -p DelegateSubgroup=main glasstty serve"

// grouping describes how the programs of a session are found.
func grouping(g child.Grouping) Finding {
	const ended = "programs that leave their terminal are ended with their session"
	switch {
	case g.Limits:
		return ok(fmt.Sprintf("%s: each has a control group of its own in %s, with limits", ended, g.Dir))
	case g.Dir != "":
		f := ok(fmt.Sprintf("%s: each has a control group of its own in %s; the limits are watched", ended, g.Dir))
		f.Todo = groupAdvice
		return f
	}
	f := ok(fmt.Sprintf("%s: they are found in the process table, as there are no control groups for them (%v)", ended, g.Why))
	f.Todo = groupAdvice
	return f
}

// A shell is a shell that glasstty makes send marks (OSC 133).
type shell struct {
	name   string
	status bool // its marks include exit statuses; those of dash cannot
}

// shells returns the shells that glasstty supports.
func shells() []shell {
	return []shell{{"sh", false}, {"bash", true}, {"zsh", true}, {"fish", true}}
}

// check starts the shell and checks that it sends marks.
func (sh shell) check(ctx context.Context, p *patient) Finding {
	if _, err := exec.LookPath(sh.name); err != nil {
		return skip("not installed")
	}
	s, r, err := p.start(ctx, session.Wait{}, sh.name)
	if err != nil {
		return warn(err.Error(), "")
	}
	defer p.end(ctx, s)
	if r.Reason == detect.Prompt {
		r, err = s.Exchange(ctx, session.Input{Text: "true", Enter: true}, session.Wait{Timeout: startLimit, Explain: true}, nil)
	}
	switch {
	case err != nil:
		return warn(err.Error(), "")
	case r.Reason != detect.Prompt:
		return warn(fmt.Sprintf("its prompt was not known: reason %s, screen %q", r.Reason, s.Snapshot(0).Text()),
			"see what its startup files do; agents have to wait for output to settle")
	case sh.status && r.Last == nil, !sh.status && r.Explain.Layer != detect.LayerMarks:
		return warn("it sends no marks: its prompt is known by its look, the exit statuses of its commands are not",
			"see whether its startup files replace PROMPT_COMMAND, PS1 or precmd")
	case !sh.status:
		return ok("its prompt is known by marks")
	}
	return ok("its prompt and the exit statuses of its commands are known by marks")
}
