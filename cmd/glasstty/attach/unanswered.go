package attach

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
)

// A LostError is returned when the connection to the server is lost. It wraps ErrLost.
type LostError struct {
	Why error
	// Doubt says how much typed input may not have arrived, as in "Perhaps not typed: 3 keys.",
	// or is "" if all input has arrived. It does not show the input, which may be a secret.
	Doubt string
}

// Error implements error.
func (e *LostError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("%v: %v. %s", ErrLost, e.Why, e.Doubt))
}

// Unwrap returns ErrLost and the reason.
func (e *LostError) Unwrap() []error { return []error{ErrLost, e.Why} }

// unanswered counts the keys in each request that the server has not answered, by the request's
// number. Its size is limited because the server stops reading when too much input waits to be
// typed.
type unanswered map[int64]int

// add adds the keys of request n.
func (u unanswered) add(n int64, keys []live.Key) {
	for _, k := range keys {
		u[n] += max(utf8.RuneCountInString(k.Text), 1)
	}
}

// answered removes the request that m answers.
func (u unanswered) answered(m *live.Message) {
	if m.Type == "done" || m.Type == "failed" {
		delete(u, m.N)
	}
}

// doubt returns the text of LostError.Doubt.
func (u unanswered) doubt() string {
	keys := 0
	for _, n := range u {
		keys += n
	}
	switch keys {
	case 0:
		return ""
	case 1:
		return "Perhaps not typed: 1 key."
	}
	return fmt.Sprintf("Perhaps not typed: %d keys.", keys)
}
