package replay

import (
	"strings"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/shellmarks"
)

// Limits on a Timeline.
const (
	busyGap     = time.Second // a pause longer than this ends a span
	maxBusy     = 2000        // maximum number of spans; the last one also covers all later activity
	maxCommands = 1000        // maximum number of commands, the latest ones
)

// A Timeline lists when a session had output or input, and how its shell's commands ended.
type Timeline struct {
	From     time.Time    // the beginning of the log
	Busy     []Span       // when there was output or input, oldest first
	Commands []CommandEnd // commands of a shell that marks them, oldest first
}

// A Span is the time from Begin to End.
type Span struct{ Begin, End time.Time }

// A CommandEnd is the end of a shell command.
type CommandEnd struct {
	At       time.Time
	ExitCode int
}

// Timeline reads the whole log and returns its timeline.
func (r *Replay) Timeline() (*Timeline, error) {
	t := &Timeline{From: r.From()}
	_, term, _ := r.begin(0, nil)
	for i, segment := range r.log.Segments {
		for e, err := range r.log.Segment(i) {
			if err != nil {
				return t, err
			}
			if e.Kind == eventlog.Output || e.Kind == eventlog.Input {
				t.busy(r.Start().Add(e.At))
			}
			for _, event := range Apply(term, &e, segment.Pipe) {
				if event.Kind == emulator.EventMark && event.Mark.Kind == emulator.MarkCommandDone {
					t.command(r.Start().Add(e.At), shellmarks.ParseMark('D', event.Mark.Params, r.Nonce))
				}
			}
		}
	}
	return t, nil
}

// busy adds the time of output or input.
func (t *Timeline) busy(at time.Time) {
	if n := len(t.Busy); n > 0 && (at.Sub(t.Busy[n-1].End) <= busyGap || n == maxBusy) {
		t.Busy[n-1].End = at
		return
	}
	t.Busy = append(t.Busy, Span{at, at})
}

// command adds the end of a command, given its D mark (OSC 133).
func (t *Timeline) command(at time.Time, m shellmarks.Mark) {
	if !m.Trusted || !m.HasExit {
		return
	}
	if len(t.Commands) == maxCommands {
		t.Commands = t.Commands[1:]
	}
	t.Commands = append(t.Commands, CommandEnd{at, m.Exit})
}

// LineAt returns when the line with this number first contained text, such as a whole command at a
// prompt. If the line never contained text, for example because a secret in text is hidden, LineAt
// returns when the line first had any text. For a line older than the log, it returns the time of
// the beginning of the log.
func (r *Replay) LineAt(line int64, text string) (time.Time, error) {
	f, found, err := r.lineAt(line, text)
	if err == nil && !found {
		f, _, err = r.lineAt(line, "")
	}
	if err != nil {
		return time.Time{}, err
	}
	return r.Start().Add(f.At), nil
}

// lineAt returns the first frame in which a line contains text. found is false if there is none.
func (r *Replay) lineAt(line int64, text string) (f *Frame, found bool, err error) {
	i, term, _ := r.begin(len(r.log.Segments)-1, func(t *emulator.Terminal) bool { return t.EndLine() <= line })
	f, err = r.run(i, term, func(t *emulator.Terminal, _ *eventlog.Event) bool {
		found = t.EndLine() > line && lineHas(t, line, text)
		return found
	})
	return f, found, err
}

// lineHas reports whether a line contains text, or any text if text is empty. For a line that is no
// longer stored, it returns true.
func lineHas(t *emulator.Terminal, line int64, text string) bool {
	shown := t.LineText(line)
	return shown != "" && strings.Contains(shown, text) || line < t.FirstLine()
}
