package guard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/internal/danger"
)

// ErrNotConfirmed is returned when a confirmation or a refusal is not accepted.
var ErrNotConfirmed = errors.New("nothing was confirmed")

// A HeldError is returned when the danger check holds an input or a start. A confirmation
// types the input, or starts the program, once.
type HeldError struct {
	Session  string // the session that gets the input; for a start, the id by which it is confirmed
	Input    string // the text that confirms the input or the start
	Line     string // the line or command that would run
	Findings []danger.Finding
	Start    bool // a program was to be started
	Typed    bool // the part of the input before the held lines was typed, see Decision.Cut
	Stopped  bool // ctrl+s has stopped the output: the screen does not show the line
	// Refused says which person has refused the input or the start before, and when. If it is not
	// empty, only a person can allow the input or the start.
	Refused string
}

// Error lists the findings.
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

// Hide hides the secrets in Input, Line and the texts of Findings, by calling hide for each of them. The
// new Input, too, confirms the input or the start.
func (e *HeldError) Hide(hide func(string) string) {
	e.Input, e.Line = hide(e.Input), hide(e.Line)
	e.Findings = slices.Clone(e.Findings)
	for i := range e.Findings {
		f := &e.Findings[i]
		f.What, f.Why = hide(f.What), hide(f.Why)
	}
}
