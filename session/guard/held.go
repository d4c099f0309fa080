package guard

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/internal/runes"
	"github.com/glasstty/glasstty/session/input"
)

// Limits on held inputs and refusals.
const (
	MaxHeld            = 8                // held inputs of one session, and held starts
	HeldFor            = 10 * time.Minute // how long an input or a start is held
	MaxRefused         = 64               // refusals of one session, and of starts
	MaxAnswers         = 64               // answers of one session; the oldest are forgotten
	maxPersistentInput = 64 << 10         // bytes of a held input that a restart preserves
)

// A Held is an input of a tool call that waits for confirmation. It is never a secret, and is
// encoded as JSON.
type Held struct {
	Input        input.Input
	Text         string           // the text of Input, see input.Input.AllText
	Line         string           // the line or lines that would be submitted
	Until        time.Time        // when the input expires
	Version      uint64           // Editing.Version when the input was held
	Foreground   string           // the name of the program that would read the line
	Dir          string           // the directory in which the line would run; "" if not known
	Found        []danger.Finding // the dangerous parts of the line
	FullText     string           // the line, with the unfinished lines before it
	Fingerprints []string         // of the line, see Refusal
	Refused      *Refusal         // the latest refusal by a person that applies to the line, or nil
}

// NewHeld returns the held form of an input.
func NewHeld(in input.Input, l *View, d *Decision, now time.Time) Held {
	return Held{
		Input: in, Text: in.AllText(), Line: strings.TrimSpace(d.Submitted), Until: now.Add(HeldFor),
		Version: l.Version, Foreground: l.Foreground, Dir: l.Program.Place.Dir, Found: d.Findings, FullText: d.FullText, Fingerprints: d.Fingerprints,
		Refused: d.Refused,
	}
}

// Error returns the error for the call whose input is held.
func (h *Held) Error(session string) *HeldError {
	return &HeldError{Session: session, Input: h.ConfirmText(), Line: h.Line, Findings: h.Found, Refused: h.Refused.String()}
}

// ConfirmText returns the text that confirms the input: its text or, if that is blank, its line.
func (h *Held) ConfirmText() string {
	if strings.TrimSpace(h.Text) != "" {
		return h.Text
	}
	return h.Line
}

// CheckUnchanged returns an error if the input may now have another effect than when it was held. text is
// the held input as the error shows it.
func (h *Held) CheckUnchanged(c *danger.Checker, l *View, text string) error {
	if l.Busy {
		return fmt.Errorf("%w: the program is still handling earlier input, which may change what %q does; the held input was dropped: type it again later", ErrNotConfirmed, Clip(text))
	}
	keys := KeystrokesOf(h.Input, l.Modes)
	whole, sure := l.Past.Script, true
	for line := range l.submissions(keys) {
		whole, sure = whole+"\n"+string(line.Text), sure && line.Known
	}
	if same := h.Version == l.Version || sure && whole == h.FullText; !same || h.Foreground != l.Foreground || h.Dir != l.Program.Place.Dir {
		return fmt.Errorf("%w: the line, the foreground program or its directory has changed since %q was held; the held input was dropped", ErrNotConfirmed, Clip(text))
	}
	if d := Check(c, *l, keys, false); !d.Undecided && d.Cut == nil && !slices.Equal(d.Findings, h.Found) {
		return fmt.Errorf("%w: %q would now have another effect than when it was held, because a variable or an alias has changed; the held input was dropped", ErrNotConfirmed, Clip(text))
	}
	return nil
}

// Pending holds the inputs of a session that wait for confirmation, oldest first, and the
// refusals. Its slices are never changed in place, because a View may share them. The
// methods' argument hide hides the secrets in a text.
type Pending struct {
	Held    []Held
	Refused []Refusal
	Answers []Answer // oldest first
}

// An Answer is what a person has decided about a held input.
type Answer struct {
	By, ID  string // the person's name and unique id
	At      time.Time
	Line    string // what would be run, shortened
	Allowed bool   // the person approved the input, and it was typed
}

// AddAnswer records an answer.
func (p *Pending) AddAnswer(a Answer) {
	p.Answers = append(slices.Clone(p.Answers[max(0, len(p.Answers)+1-MaxAnswers):]), a)
}

// Hold adds h to the inputs that wait for confirmation. It removes an earlier input with the same
// ConfirmText and, if more than MaxHeld are left, the oldest one.
func (p *Pending) Hold(h Held) {
	p.Held = slices.DeleteFunc(slices.Clone(p.Held), func(old Held) bool { return old.ConfirmText() == h.ConfirmText() })
	p.Held = append(p.Held[max(0, len(p.Held)+1-MaxHeld):], h)
}

// Confirmable removes expired inputs, and returns the index of the held input that text confirms: text is
// the input's ConfirmText or its line. person says that a person confirms; only a person may confirm an
// input that a person has refused. The error wraps ErrNotConfirmed.
func (p *Pending) Confirmable(text string, person bool, hide func(string) string, now time.Time) (int, error) {
	p.Held = slices.DeleteFunc(slices.Clone(p.Held), func(h Held) bool { return now.After(h.Until) })
	if n := len(p.Refused); len(p.Held) == 0 && n > 0 && !person {
		return 0, fmt.Errorf("%w: nothing is held now: %s, and only a person can allow what a person has refused; do not try it another way", ErrNotConfirmed, &p.Refused[n-1])
	}
	i := p.index(text, hide)
	if i < 0 && person {
		return 0, p.errAnswered(text)
	}
	if len(p.Held) == 0 {
		return 0, fmt.Errorf("%w: nothing is held; type it with send_and_read, which holds what is dangerous", ErrNotConfirmed)
	}
	if i < 0 {
		var names []string
		for _, h := range p.Held {
			names = append(names, fmt.Sprintf("%q", Clip(hide(h.ConfirmText()))))
		}
		return 0, fmt.Errorf("%w: the held input is %s, not %q", ErrNotConfirmed, strings.Join(names, " and "), Clip(text))
	}
	h := &p.Held[i]
	if r := latestRefusal(p.Refused, h.Fingerprints); r != nil {
		h.Refused = r
	}
	if h.Refused != nil && !person {
		return 0, fmt.Errorf("%w: %s, and only a person can allow %q now, on the live page; do not try it another way", ErrNotConfirmed, h.Refused, Clip(text))
	}
	return i, nil
}

// errAnswered returns the error for a person who answers an input that is no longer held.
func (p *Pending) errAnswered(text string) error {
	for _, a := range slices.Backward(p.Answers) {
		if a.Line != Clip(strings.TrimSpace(text)) {
			continue
		}
		verb := "refused"
		if a.Allowed {
			verb = "approved"
		}
		return fmt.Errorf("%w: nothing is held now: %s has %s %q", ErrNotConfirmed, a.By, verb, a.Line)
	}
	return fmt.Errorf("%w: %q is no longer held: somebody has just answered it, or it has expired", ErrNotConfirmed, Clip(text))
}

// index returns the index of the held input whose ConfirmText is text. If there is none, it returns the
// index of the newest one whose line is text, or -1.
func (p *Pending) index(text string, hide func(string) string) int {
	line := -1
	for i, h := range slices.Backward(p.Held) {
		if text == h.ConfirmText() || text == hide(h.ConfirmText()) {
			return i
		}
		if line < 0 && text == h.Line {
			line = i
		}
	}
	return line
}

// Take is like Confirmable, but removes the held input and returns it. A person who confirms a
// refused input withdraws the refusal.
func (p *Pending) Take(text string, person bool, hide func(string) string, now time.Time) (Held, error) {
	i, err := p.Confirmable(text, person, hide, now)
	if err != nil {
		return Held{}, err
	}
	h := p.Held[i]
	p.Held = slices.Delete(slices.Clone(p.Held), i, i+1)
	p.Refused = withdraw(p.Refused, h.Fingerprints)
	return h, nil
}

// Refuse removes the held input whose ConfirmText is text. From then on, only a person can allow that
// input. Refuse records the answer a, with the input's line. The error wraps ErrNotConfirmed.
func (p *Pending) Refuse(a Answer, text string, hide func(string) string) error {
	i := slices.IndexFunc(p.Held, func(h Held) bool { return h.ConfirmText() == text || hide(h.ConfirmText()) == text })
	if i < 0 {
		return p.errAnswered(text)
	}
	a.Line = Clip(hide(p.Held[i].Line))
	p.AddAnswer(a)
	p.Refused = addRefusal(p.Refused, a.By, p.Held[i].Fingerprints, a.At)
	p.Held = slices.Delete(slices.Clone(p.Held), i, i+1)
	return nil
}

// Persistent returns the part of p that a restart of the server preserves.
func (p Pending) Persistent() Pending {
	p.Held = slices.DeleteFunc(slices.Clone(p.Held), func(h Held) bool { return len(h.Text)+len(h.FullText) > maxPersistentInput })
	return p
}

// A Question describes a held input to a person.
type Question struct {
	Text    string   // the input's ConfirmText
	Line    string   // the line that would run
	Why     []string // the findings, one sentence each
	What    []string // for each finding, the part of the line that it is about; "" for the whole line
	Refused *Refusal // the latest refusal of the line by a person, or nil
}

// Questions returns a Question for each held input that has not expired.
func (p Pending) Questions(hide func(string) string, now time.Time) []Question {
	var list []Question
	for _, h := range p.Held {
		if now.After(h.Until) {
			continue
		}
		q := Question{Text: hide(h.ConfirmText()), Line: hide(h.Line), Refused: h.Refused}
		for _, f := range h.Found {
			why := f.Why
			if f.What != "" {
				why = fmt.Sprintf("by %q %s", f.What, f.Why)
			}
			q.Why, q.What = append(q.Why, hide(why)), append(q.What, hide(f.What))
		}
		list = append(list, q)
	}
	return list
}

// Clip shortens a line to maxShown bytes, for an error or a note.
func Clip(line string) string { return runes.Clip(line, maxShown) }
