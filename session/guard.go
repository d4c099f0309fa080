package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/internal/runes"
)

// The bounds of what is held.
const (
	maxHeld = 8                // inputs of one session, and starts
	heldFor = 10 * time.Minute // after which they are forgotten
)

// A HeldError is returned instead of typing or starting what the danger check
// found dangerous. Confirm types it, once.
type HeldError struct {
	Session  string // whose input it is; of a start, the id by which it is confirmed
	Input    string // the text that confirms it
	Line     string // what would have been run
	Findings []danger.Finding
	Start    bool // a program was to be started
	Typed    bool // keys before the Enter were pressed: they recalled or completed the line
}

// Error says what was found.
func (e *HeldError) Error() string {
	var why []string
	for _, f := range e.Findings {
		what := ""
		if f.What != "" {
			what = fmt.Sprintf("%q ", f.What)
		}
		why = append(why, fmt.Sprintf("%s%s (%s)", what, f.Why, f.Rule))
	}
	return "held by the danger check: " + strings.Join(why, "; ")
}

// A heldInput is input that waits to be confirmed.
type heldInput struct {
	input   Input
	text    string // of the call
	line    string // that would be submitted
	until   time.Time
	version uint64 // of the line when it was held
	front   string // the program that would have read it
	found   []danger.Finding
	whole   string // the line, with what came before it that is unfinished
	dir     string // where it would have run
}

// wouldSubmitLocked returns the lines that in would submit now, with those before
// them that are unfinished; sure is false when that is not known beforehand.
func (s *Session) wouldSubmitLocked(in Input) (whole string, sure bool) {
	s.openLineLocked()
	line := s.line
	line.text = slices.Clone(line.text)
	out := []string{line.script}
	sure = true
	for _, st := range strokes(in, s.term.Modes().BracketedPaste) {
		if st.does != submits {
			line.apply(st)
			continue
		}
		sure = sure && line.sure
		out = append(out, string(line.text))
		line.clear()
	}
	return strings.Join(out, "\n"), sure
}

// textOf returns the text that a call types, keys left out.
func textOf(in Input) string {
	text := in.Text
	for _, k := range in.Keys {
		text += k.Text
	}
	return text
}

// Confirm types input that was held, exactly and once, and waits as Exchange does.
// text is its text, or the line that it would submit. When nothing is held it
// types text and Enter. The error wraps ErrNotConfirmed when other input is held,
// or the line has changed since.
func (s *Session) Confirm(ctx context.Context, text string, w Wait, progress func(time.Duration, string)) (*Reply, error) {
	in, err := s.takeHeld(text, false)
	if err != nil {
		return nil, err
	}
	return s.Exchange(ctx, in, w, progress)
}

// ConfirmHeld is Confirm for input that must be held.
func (s *Session) ConfirmHeld(ctx context.Context, text string, w Wait, progress func(time.Duration, string)) (*Reply, error) {
	in, err := s.takeHeld(text, true)
	if err != nil {
		return nil, err
	}
	return s.Exchange(ctx, in, w, progress)
}

// TypeHeld types held input without waiting, as Type does.
func (s *Session) TypeHeld(ctx context.Context, text string) (int, error) {
	in, err := s.takeHeld(text, true)
	if err != nil {
		return 0, err
	}
	return s.Type(ctx, in)
}

// Holds reports whether input of the session waits to be confirmed.
func (s *Session) Holds() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.held, func(h heldInput) bool { return time.Now().Before(h.until) })
}

// Checks reports whether there is a danger check.
func (m *Manager) Checks() bool { return m.opt.Danger != nil }

// takeHeld returns the held input that text confirms, and forgets it. With nothing
// held it returns text and Enter, unless held input is wanted.
func (s *Session) takeHeld(text string, wanted bool) (Input, error) {
	tty := s.lookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.held = slices.DeleteFunc(s.held, func(h heldInput) bool { return now.After(h.until) })
	if len(s.held) == 0 && wanted {
		return Input{}, fmt.Errorf("%w: nothing is held", ErrNotConfirmed)
	}
	if len(s.held) == 0 {
		return Input{Text: text, Enter: true, confirmed: true}, nil
	}
	i := slices.IndexFunc(s.held, func(h heldInput) bool { return text == h.text || text == h.line || text == s.hide(h.confirmWith()) })
	if i < 0 {
		var have []string
		for _, h := range s.held {
			have = append(have, fmt.Sprintf("%q", s.hide(h.confirmWith())))
		}
		return Input{}, fmt.Errorf("%w: held is %s, not %q", ErrNotConfirmed, strings.Join(have, " and "), clipLine(text))
	}
	h := s.held[i]
	s.held = slices.Delete(s.held, i, i+1)
	s.heldChangedLocked()
	_, front := s.whereLocked(tty)
	place, _ := s.readerLangLocked(tty)
	whole, sure := s.wouldSubmitLocked(h.input)
	if same := h.version == s.line.version || sure && whole == h.whole; !same || h.front != front || h.dir != place.Dir {
		return Input{}, fmt.Errorf("%w: the line, the program in front or its directory is another than when %q was held; it was dropped", ErrNotConfirmed, clipLine(text))
	}
	in := h.input
	in.confirmed = true
	return in, nil
}

// confirmWith returns the text that confirms the input.
func (h heldInput) confirmWith() string {
	if strings.TrimSpace(h.text) != "" {
		return h.text
	}
	return h.line
}

// maxShownLine is how many bytes of a line an error shows.
const maxShownLine = 200

// clipLine shortens a line for an error.
func clipLine(s string) string { return runes.Clip(s, maxShownLine) }

// holdLocked keeps in until it is confirmed, and returns the error that says so.
func (s *Session) holdLocked(tty ttyState, in Input, line string, found []danger.Finding, typed bool) error {
	_, front := s.whereLocked(tty)
	place, _ := s.readerLangLocked(tty)
	whole, _ := s.wouldSubmitLocked(in)
	h := heldInput{whole: whole, dir: place.Dir, input: in, text: textOf(in), line: strings.TrimSpace(line), until: time.Now().Add(heldFor), version: s.line.version, front: front, found: found}
	s.held = slices.DeleteFunc(s.held, func(old heldInput) bool { return old.confirmWith() == h.confirmWith() })
	if len(s.held) == maxHeld {
		s.held = s.held[1:]
	}
	s.held = append(s.held, h)
	s.heldChangedLocked()
	return s.m.hideHeld(&HeldError{Session: s.id, Input: h.confirmWith(), Line: h.line, Findings: found, Typed: typed})
}

// guarded reports whether in is to be checked: it is a tool call's, and no secret.
func (s *Session) guarded(in Input) bool {
	if s.m.opt.Danger == nil || in.by != nil || in.secret {
		return false
	}
	tty := s.lookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status == StatusRunning && !s.secretLocked(tty)
}

// typeChecked types in as far as it is harmless: all of it, or nothing and a
// HeldError. Where keys before an Enter recall or complete a line, those keys are
// typed first and the line is read from the screen.
func (s *Session) typeChecked(ctx context.Context, in Input, limit time.Duration) (*typing, int, error) {
	name := callOf(ctx)
	if !s.guarded(in) || name != "" && s.typedBefore(name) != nil {
		return s.put(ctx, in, limit)
	}
	soon, cancel := context.WithTimeoutCause(ctx, limit, ErrSlow)
	defer cancel()
	total, typed := 0, false
	for part := 1; ; part++ {
		before, rest, err := s.check(in, typed)
		if err != nil {
			return nil, total, err
		}
		if rest == nil {
			call, n, err := s.put(ctx, in, limit)
			return call, total + n, err
		}
		if !before.empty() {
			own := ctx
			if name != "" {
				own = WithCall(ctx, fmt.Sprintf("%s.%d", name, part))
			}
			_, n, err := s.put(own, before, limit)
			if total += n; err != nil {
				return nil, total, err
			}
			typed = true
		}
		if s.settleLine(soon) != nil {
			return nil, total, cutOff(soon, total, total+in.size())
		}
		in = *rest
	}
}

// check judges the lines that in would submit. When one of them can only be known
// after keys before it have been typed, it returns these as before, and the others
// as rest; otherwise rest is nil.
func (s *Session) check(in Input, typed bool) (before Input, rest *Input, err error) {
	tty := s.lookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	modes := s.term.Modes()
	s.openLineLocked()
	line := s.line // a copy, to try
	line.text = slices.Clone(line.text)
	all := strokes(in, modes.BracketedPaste)
	var submitted []string
	if !line.sure && slices.ContainsFunc(all, func(st stroke) bool { return st.does == submits }) {
		return Input{}, &in, nil // the screen is not still yet
	}
	for i, st := range all {
		if st.does == abandons {
			s.line.script = "" // ctrl+c ends what was unfinished
		}
		if st.does != submits {
			line.apply(st)
			continue
		}
		if !line.sure {
			before, rest = splitAt(in, all, i)
			if err := s.allowLocked(tty, in, submitted, typed); err != nil {
				return Input{}, nil, err
			}
			s.line.take(line, submitted)
			s.keepLocked()
			return before, rest, nil
		}
		submitted = append(submitted, string(line.text))
		line.clear()
	}
	if err := s.allowLocked(tty, in, submitted, typed); err != nil {
		return Input{}, nil, err
	}
	s.line.take(line, submitted)
	s.keepLocked()
	return Input{}, nil, nil
}

// allowLocked holds in when the lines that it submits are dangerous, and otherwise
// remembers what later lines depend on.
func (s *Session) allowLocked(tty ttyState, in Input, submitted []string, typed bool) error {
	if len(submitted) == 0 {
		return nil
	}
	sub := submission{lines: submitted, text: strings.Join(submitted, "\n")}
	sub.place, sub.langs = s.readerLangLocked(tty)
	if s.line.script != "" {
		sub.text = s.line.script + "\n" + sub.text
	}
	if in.confirmed {
		sub.unfinished = len(sub.langs) > 0 && danger.Unfinished(sub.langs[0], sub.text)
	} else if found := s.judgeLocked(&sub); len(found) > 0 {
		return s.holdLocked(tty, in, strings.Join(submitted, "\n"), found, typed)
	}
	s.submittedLocked(sub)
	return nil
}

// A submission is lines that are submitted to the program in front.
type submission struct {
	lines      []string
	text       string // they, with those before them that it has not taken as a whole
	place      danger.Place
	langs      []danger.Lang // in which the program may read them; none for data
	unfinished bool          // in the first of langs the program asks for more
}

// judgeLocked returns what is dangerous in sub, and notes whether it is unfinished.
func (s *Session) judgeLocked(sub *submission) []danger.Finding {
	var found []danger.Finding
	for i, lang := range sub.langs {
		full := sub.text
		if lang == danger.Shell {
			full = s.expandHistory(full) // elsewhere a ! is something else
		}
		if lang == danger.Shell && len(s.line.vars) > 0 {
			full = strings.Join(s.line.vars, "\n") + "\n" + full
		}
		if lang == danger.SQL && danger.Unfinished(lang, sub.text) {
			sub.unfinished = sub.unfinished || i == 0
			continue // nothing runs before the semicolon
		}
		more, unfinished := s.m.opt.Danger.Read(lang, full, sub.place)
		if found = append(found, more...); i > 0 {
			continue
		}
		if sub.unfinished = unfinished; full != sub.text {
			sub.unfinished = danger.Unfinished(lang, sub.text)
		}
	}
	if len(sub.lines) > 1 {
		found = append(found, s.judgeNestedLocked(sub.lines, sub.place)...)
	}
	return found
}

// judgeNestedLocked reads the lines after one that starts an interpreter in that
// interpreter's language.
func (s *Session) judgeNestedLocked(lines []string, place danger.Place) []danger.Finding {
	for i, line := range lines[:len(lines)-1] {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if lang, ok := programLang(words[0]); ok && lang != danger.Shell && lang != danger.Data {
			return s.m.opt.Danger.Line(lang, strings.Join(lines[i+1:], "\n"), place)
		}
	}
	return nil
}
