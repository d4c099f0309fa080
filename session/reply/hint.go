package reply

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/kernel"
	"github.com/glasstty/glasstty/session/state"
	"github.com/glasstty/glasstty/session/wait"
)

// Hint returns a hint if the next step is not obvious, or else "". unsent says that the call typed
// text without Enter, perhaps by mistake. person is a hint on how a person types a secret, or "" if
// there is none.
func (s *Source) Hint(g *wait.Goal, v detect.Verdict, tty kernel.TTY, unsent bool, person string) string {
	if s.State.Ended {
		return ""
	}
	if s.Ready.OutputStopped() {
		return "ctrl+s has stopped the output; send_keys ctrl+q resumes it"
	}
	switch v.Reason {
	case detect.Password:
		if g.Reader.Password {
			return "typed text stays secret"
		}
		g.Reader.Password = true
		hint := "typed text is kept out of output and logs"
		if person != "" {
			hint += "; " + person
		}
		return hint
	case detect.AwaitingInput:
		if in := g.Input; in != nil && in.Pasted && in.Lines > 1 && s.State.Marks.Running {
			return "all lines were pasted into the shell, which keeps those after this command; run_steps or paste false types them to the program"
		}
		if _, name := s.Ready.Where(tty, s.Dir)(); pager(name) {
			return "a pager waits: space or q"
		}
	case detect.Timeout, detect.Settled:
		if g.Pattern != nil && g.AtPrompt() {
			return "the prompt is there, and the pattern has not shown; a call without a pattern returns at the prompt"
		}
		if hint := s.runningHint(g, v, tty); hint != "" {
			return hint
		}
	case detect.Prompt, detect.Matched, detect.Changed:
		return ""
	}
	if unsent && s.awaitsEnter(g.Input, tty) {
		return "typed, not submitted: press_enter was false"
	}
	return ""
}

// awaitsEnter reports whether the typed text seems to wait for Enter, in the line discipline or in a line editor.
// Other programs read each character at once. If the input or the terminal's modes are not known, awaitsEnter is true.
func (s *Source) awaitsEnter(in *state.Input, tty kernel.TTY) bool {
	switch {
	case s.State.Term.FullScreen():
		return false
	case in == nil, !tty.Known, in.Echo:
		return true
	}
	return s.State.Marks.Prompted || s.State.Term.Modes().BracketedPaste || in.Prompt >= 0
}

// runningHint returns a hint about what still runs after a wait and what the caller can do next, or "".
func (s *Source) runningHint(g *wait.Goal, v detect.Verdict, tty kernel.TTY) string {
	typed := g.Input != nil
	if view, fresh := s.Ready.LastLook(); fresh && view.Stopped {
		return s.stoppedHint(view.Foreground)
	}
	next := "wait_for goes on waiting, send_keys ctrl+c interrupts"
	late := v.Reason == detect.Timeout
	// In line mode, the program cannot read text before Enter has submitted it.
	waits := typed && late && (!g.Input.Submitted && tty.Canonical || s.Ready.UnreadInput() != 0)
	switch {
	case g.UnreadOnly && !s.State.Marks.Running:
		return "nothing new to read"
	case s.State.AtUntouchedPrompt() && s.State.PromptIsNew():
		return "the prompt is there"
	case g.LineBegun():
		return "a line has begun at the prompt; send_keys enter submits it"
	case waits && g.Input.Running:
		next = "the text waits in its input; wait_for or send_keys ctrl+c, which drops it"
	case waits && !g.Input.Submitted:
		next = "the text waits in its input; wait_for or send_keys ctrl+c"
	case !late && !s.Ready.Silent() && (typed && !g.Input.Submitted || !s.Ready.PromptExpected()):
		return ""
	}
	what, since := s.ForegroundCommand(tty)
	if since.IsZero() {
		since = g.Start
	}
	return fmt.Sprintf("still running %s (%s)%s; %s", what, Seconds(time.Since(since)), s.silence(), next)
}

// stoppedHint says how to continue a program that a signal has stopped. No key can continue such a
// program if no shell has taken over the terminal.
func (s *Source) stoppedHint(stopped kernel.Process) string {
	return fmt.Sprintf("%s is stopped by a signal and reads nothing; kill -CONT -- -%d in another session lets it go on, terminate_process ends it",
		quoteAmbiguous(oneLine(s.Mask.Text(stopped.Comm), "the program")), stopped.PGID)
}

// silence describes a program that has printed nothing and sleeps. It says how much longer the
// program will sleep, if that is known. For any other program, it returns "".
func (s *Source) silence() string {
	if !s.Ready.Silent() {
		return ""
	}
	text := ", which has printed nothing and sleeps"
	if v, _ := s.Ready.LastLook(); len(v.Timers) > 0 {
		if left := time.Until(v.Timers[0].To); left >= time.Second {
			text += " for another " + Seconds(left)
		}
	}
	return text
}

// ForegroundCommand returns the foreground command on one line, shortened for a hint, and when it began, or
// zero if that is not known. It uses a shell's marks. If they do not show the command, it returns the
// arguments of the foreground process, and the time of the last input if that was submitted.
func (s *Source) ForegroundCommand(tty kernel.TTY) (what string, since time.Time) {
	pid := s.Ready.Child.PID()
	if s.State.Last.Started && s.State.Last.Submitted {
		since = s.State.Last.Time
	}
	nested := tty.Group != pid && s.Ready.Prompted(tty.Group)
	_, name := s.Ready.Where(tty, s.Dir)()
	switch view, fresh := s.Ready.LastLook(); {
	case s.State.Marks.Running && !nested && s.State.Marks.Command != "":
		what, since = s.State.Marks.Command, s.State.Marks.Since
	case tty.Group <= 0 || tty.Group == pid:
		// s.Command lacks the arguments that the server has added.
		what = strings.Join(s.Command, " ")
	case fresh && view.Foreground.PGID == tty.Group:
		what = child.CommandLine(view.Foreground.PID)
	default:
		what = child.CommandLine(tty.Group)
	}
	return quoteAmbiguous(oneLine(s.Mask.Text(what), name)), since
}

// maxHintCommand is the maximum width of a command in a hint, in cells.
const maxHintCommand = 60

// oneLine returns a command on one line of at most maxHintCommand cells, or name if the command is
// blank.
func oneLine(command, name string) string {
	separates := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	line := strings.Join(strings.FieldsFunc(strings.ToValidUTF8(command, "\uFFFD"), separates), " ")
	if line == "" {
		return name
	}
	if rest := emulator.CutCells(line, maxHintCommand); rest != "" {
		return line[:len(line)-len(rest)] + "…"
	}
	return line
}

// quoteAmbiguous quotes a command with characters that separate the parts of a hint. A program
// chooses its own arguments, so it could imitate other parts.
func quoteAmbiguous(command string) string {
	if strings.ContainsAny(command, "·[]") || strings.Contains(command, ");") {
		return strconv.Quote(command)
	}
	return command
}

// Seconds returns d in seconds, with the unit, for a hint.
func Seconds(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.2g s", d.Seconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

// pager reports whether a program of this name shows text page by page.
func pager(name string) bool {
	switch name {
	case "less", "more", "most", "man", "pager", "pg", "delta", "bat":
		return true
	}
	return false
}
