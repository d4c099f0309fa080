package session

import (
	"bytes"
	"slices"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
)

// A front is the process group in front of the terminal and the modes that it
// has set.
type front struct {
	group           int
	canonical, echo bool
}

// of returns the front that tty shows.
func (tty ttyState) front() front {
	return front{tty.group, tty.canonical, tty.echo}
}

const (
	// maxFronts bounds the programs remembered to have prompted.
	maxFronts = 16
	// maxFingerprints bounds the ways of waiting remembered from prompts.
	maxFingerprints = 32
)

// promptStartLocked returns the cell in the cursor's line where the prompt
// before the cursor begins, -1 when none is known there.
func (s *Session) promptStartLocked() int {
	pos, ok := s.term.CursorPosition()
	if !ok {
		return -1
	}
	if k := &s.marks; k.prompted && k.end.At.Line == pos.Line {
		if k.start.At.Line == pos.Line {
			return k.start.At.Offset
		}
		return 0
	}
	if at, ok := s.promptEditLocked(); ok {
		if at.Line == pos.Line {
			return at.Offset
		}
		return 0
	}
	text := s.atCursorLocked()
	at, ok := s.prompts.Match(text)
	switch {
	case !ok:
		return -1
	case at > 0 && detect.LooksLikePrompt(text) && s.newFrontLocked():
		return 0 // "octave:1> " after Lua's "> "
	case at > 0 && len(text)-at >= detect.MaxPromptText-utf8.UTFMax:
		return 0 // a prompt longer than what is learned of it
	}
	return emulator.Cells(text[:at])
}

// newFrontLocked reports whether the program in front is seen to be one that has
// not prompted yet.
func (s *Session) newFrontLocked() bool {
	now := s.view.now
	return s.view.fresh && now.Waiting && now.Nested == 0 && now.Foreground.PGID > 0 && !slices.Contains(s.fronts, now.Foreground.PGID)
}

// expectedLocked reports whether a program that has prompted still runs.
func (s *Session) expectedLocked() bool {
	kept := s.fronts[:0]
	for _, group := range s.fronts {
		if syscall.Kill(-group, 0) != syscall.ESRCH {
			kept = append(kept, group)
		}
	}
	s.fronts = kept
	return len(kept) > 0
}

// learnLocked remembers what a verdict teaches: the prompt's text, who showed
// it, and how that program waits.
func (s *Session) learnLocked(v detect.Verdict) {
	s.lastReason, s.answered = v.Reason, false
	s.leavePromptLocked(v)
	if w := s.view.now; v.Layer == detect.LayerKernel && s.view.fresh && w.Waiting {
		s.waiters = remember(s.waiters, w.Foreground.PGID)
	}
	rests := v.Reason == detect.Settled || v.Reason == detect.AwaitingInput
	if rests && s.view.fresh && s.fullScreenLocked() {
		s.homes.rested(s.view.before, s.view.now, time.Now())
	}
	if v.Reason != detect.Prompt {
		return
	}
	s.marks.due = 0
	s.leaveUpperLocked()
	tty := s.lookTTY()
	text := s.atCursorLocked()
	if start := s.promptStartLocked(); start >= 0 {
		text = text[len(between(text, 0, start)):]
	}
	s.prompts.Learn(text, s.drawnPromptLocked())
	s.front = tty.front()
	s.fronts = remember(s.fronts, tty.group)
	if w := s.view.now; s.view.fresh && w.Waiting && !s.knownWait(w.Fingerprint) {
		if len(s.waits) == maxFingerprints {
			s.waits = s.waits[1:]
		}
		s.waits = append(s.waits, w.Fingerprint)
	}
}

// confirmQuiet is how long the terminal must have been quiet for what is typed to
// confirm that a prompt stands at the cursor.
const confirmQuiet = 100 * time.Millisecond

// confirmLocked learns the prompt at the cursor as someone types there, whatever
// has ended the wait: a program inside ssh that shows its first prompt, where no
// layer sees into it.
func (s *Session) confirmLocked(now time.Time) {
	busy := s.view.now.Known && !s.view.now.Waiting
	if busy || s.fullScreenLocked() || now.Sub(s.lastOutput) < confirmQuiet {
		return
	}
	// Text before a known prompt is output whose line has no end.
	if text := s.atCursorLocked(); detect.LooksLikePrompt(text) && s.promptStartLocked() <= 0 {
		s.prompts.Learn(text, s.drawnPromptLocked())
	}
}

// drawnPromptLocked reports whether the last line that the child wrote has
// control sequences in it, as line editors draw their prompts. What a line editor
// writes as it hands over a line does not count: the end of bracketed paste.
func (s *Session) drawnPromptLocked() bool {
	p, _ := s.raw.since(max(s.raw.first(), s.raw.total-maxDrawn))
	p = p[bytes.LastIndexByte(p, '\n')+1:]
	if i := bytes.LastIndex(p, []byte(pasteOff)); i >= 0 {
		p = p[i+len(pasteOff):]
	}
	return bytes.IndexByte(p, '\x1b') >= 0
}

// pasteOff switches bracketed paste mode off (xterm, DECRST 2004).
const pasteOff = "\x1b[?2004l"

// maxDrawn is how many of the latest bytes are searched for control sequences.
const maxDrawn = 1 << 10

// remember appends a process group to those remembered, unless it is there or
// none; the oldest goes when there are too many.
func remember(groups []int, group int) []int {
	if group <= 0 || slices.Contains(groups, group) {
		return groups
	}
	if len(groups) == maxFronts {
		groups = groups[1:]
	}
	return append(groups, group)
}
