package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/child"
)

// hintLocked returns a sentence when the next step is not obvious.
func (s *Session) hintLocked(g *goal, v detect.Verdict, tty ttyState) string {
	if s.status == StatusLost {
		return s.lostWhenLocked() + "; what it showed is kept, start_process starts another"
	}
	if s.status != StatusRunning {
		return ""
	}
	if s.view.stopped {
		return "the output stands still since ctrl+s; send_keys ctrl+q lets it go on"
	}
	switch v.Reason {
	case detect.Password:
		hint := "what is typed now is kept out of output and logs"
		if s.m.opt.PersonHint != nil {
			hint += "; " + s.m.opt.PersonHint(s.id)
		}
		return hint
	case detect.AwaitingInput:
		if _, name := s.whereLocked(tty); pager(name) {
			return "a pager waits: space or q"
		}
	case detect.Timeout, detect.Settled:
		if hint := s.runningHintLocked(g, v, tty); hint != "" {
			return hint
		}
	case detect.Prompt, detect.Matched, detect.Changed:
		return ""
	}
	if g.call != nil && !g.call.submitted && !g.call.keyed && len(g.call.lines) > 0 && !s.fullScreenLocked() {
		return "typed, not submitted: press_enter was false"
	}
	return ""
}

// runningHintLocked says what runs on after a wait that did not see its end, and
// what can be done.
func (s *Session) runningHintLocked(g *goal, v detect.Verdict, tty ttyState) string {
	typed := g.call != nil
	next := "wait_for goes on waiting, send_keys ctrl+c interrupts"
	switch late := v.Reason == detect.Timeout; {
	case g.fresh && !s.marks.running:
		return "nothing new to read"
	case typed && g.call.running && late:
		next = "the text waits in its input; wait_for or send_keys ctrl+c, which drops it"
	case typed && !g.call.submitted && late:
		next = "the text waits in its input; wait_for or send_keys ctrl+c"
	case !late && (typed && !g.call.submitted || !s.expectedLocked()):
		return ""
	}
	what, since := s.runsLocked(tty)
	if since.IsZero() {
		since = g.start
	}
	return fmt.Sprintf("still running %s (%s); %s", what, seconds(time.Since(since)), next)
}

// runsLocked returns the command that runs in front, as a hint shows it, and when
// it began, zero when nobody knows. A shell's marks tell the line that it was
// given; otherwise the process tells its arguments.
func (s *Session) runsLocked(tty ttyState) (what string, since time.Time) {
	pid := s.child.PID()
	if s.last.by && s.last.submitted {
		since = s.last.at
	}
	nested := tty.group != pid && slices.Contains(s.fronts, tty.group)
	_, name := s.whereLocked(tty)
	switch view := s.view.now.Foreground; {
	case s.marks.running && !nested && s.marks.command != "":
		what, since = s.marks.command, s.marks.since
	case tty.group <= 0 || tty.group == pid:
		// What we have added to the arguments is nobody's business.
		what = strings.Join(append([]string{s.opt.Command}, s.opt.Args...), " ")
	case s.view.fresh && view.PGID == tty.group:
		what = child.Line(view.PID)
	default:
		what = child.Line(tty.group)
	}
	return unlike(oneLine(s.hide(what), name)), since
}

// maxHintCommand is how much of a command a hint shows, in cells.
const maxHintCommand = 60

// oneLine returns a command as it stands in a hint, or name where it is blank.
func oneLine(command, name string) string {
	line := strings.Join(strings.Fields(strings.Map(printable, command)), " ")
	if line == "" {
		return name
	}
	if rest := emulator.CutCells(line, maxHintCommand); rest != "" {
		return line[:len(line)-len(rest)] + "…"
	}
	return line
}

// unlike returns a command in quotes where it could be read as another part of the
// line that it stands in: a program chooses its own arguments.
func unlike(command string) string {
	if strings.ContainsAny(command, "·[]") || strings.Contains(command, ");") {
		return strconv.Quote(command)
	}
	return command
}

// printable replaces control characters by blanks, and bytes that are no UTF-8
// by U+FFFD.
func printable(r rune) rune {
	if r < ' ' || r >= 0x7f && r < 0xa0 {
		return ' '
	}
	return r
}

// seconds returns d as a hint shows it.
func seconds(d time.Duration) string {
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
