package guard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/internal/danger"
)

// ErrNotConfirmed is returned when what is confirmed is not what was held.
var ErrNotConfirmed = errors.New("nothing was confirmed")

// ErrBehindSecret is returned for an input that answers a password question and goes on with
// a dangerous line.
var ErrBehindSecret = errors.New("the answer to a password question must be an input of its own")

// A HeldError is returned instead of typing or starting what the danger check
// found dangerous. A confirmation types or starts it, once.
type HeldError struct {
	Session  string // whose input it is; of a start, the id by which it is confirmed
	Input    string // the text that confirms it
	Line     string // what would have been run
	Findings []danger.Finding
	Start    bool // a program was to be started
	Typed    bool // keys before the Enter were pressed: they recalled or completed the line
	Stopped  bool // ctrl+s has stopped the output: the screen does not show the line
	// Refused says who has refused it before, and when; "" when nobody has. Only a person
	// can allow what was refused.
	Refused string
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
	if e.Refused != "" {
		why = append(why, e.Refused+", and only a person can allow it now")
	}
	return "held by the danger check: " + strings.Join(why, "; ")
}

// Hide replaces every text of the error by shown's result for it. The hidden text of the
// input confirms it too.
func (e *HeldError) Hide(shown func(string) string) {
	e.Input, e.Line = shown(e.Input), shown(e.Line)
	e.Findings = slices.Clone(e.Findings)
	for i := range e.Findings {
		f := &e.Findings[i]
		f.What, f.Why = shown(f.What), shown(f.Why)
	}
}
