package attach

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
)

// A LostError is returned when the connection to the server is lost. It wraps ErrLost.
type LostError struct {
	Why error
	// Doubt says how much typed input may not have arrived, as in "Perhaps not typed: 3 keys.",
	// or is "" if all input arrived. It does not show the input, which may be a secret.
	Doubt string
}

// Error implements error.
func (e *LostError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("%v: %v. %s", ErrLost, e.Why, e.Doubt))
}

// Unwrap returns ErrLost and the reason.
func (e *LostError) Unwrap() []error { return []error{ErrLost, e.Why} }

// An input is the keys of one request.
type input struct {
	n    int64 // the request's number
	keys []live.Key
}

// unanswered is the typed input that the server has not answered, oldest first. Its size is
// limited because the server accepts only so much input that it has not typed.
type unanswered []input

// answered removes the input that m answers.
func (u *unanswered) answered(m *live.Message) {
	if m.Type == "done" || m.Type == "failed" {
		*u = slices.DeleteFunc(*u, func(i input) bool { return i.n == m.N })
	}
}

// doubt returns the text of LostError.Doubt.
func (u unanswered) doubt() string {
	keys := 0
	for _, i := range u {
		for _, k := range i.keys {
			keys += max(utf8.RuneCountInString(k.Text), 1)
		}
	}
	switch keys {
	case 0:
		return ""
	case 1:
		return "Perhaps not typed: 1 key."
	}
	return fmt.Sprintf("Perhaps not typed: %d keys.", keys)
}
