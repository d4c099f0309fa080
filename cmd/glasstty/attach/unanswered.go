package attach

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
)

// A LostError is returned when the connection to the server is lost. It wraps ErrLost.
type LostError struct {
	Why error
	// Doubt says what was typed last and perhaps did not arrive, as in "Perhaps not
	// typed: “ls⏎”."; "" when all of it arrived. Of a secret it has the number of keys.
	Doubt string
}

// Error implements error.
func (e *LostError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("%v: %v. %s", ErrLost, e.Why, e.Doubt))
}

// Unwrap returns the errors that it stands for.
func (e *LostError) Unwrap() []error { return []error{ErrLost, e.Why} }

// An input is what one request types.
type input struct {
	n      int64 // the request's number
	keys   []live.Key
	secret bool
}

// unanswered is what was typed and is not answered yet, the oldest first. The server takes
// only so much that it has not typed, which bounds it.
type unanswered []input

// answered removes what the server has answered.
func (u *unanswered) answered(m *live.Message) {
	if m.Type == "done" || m.Type == "failed" {
		*u = slices.DeleteFunc(*u, func(i input) bool { return i.n == m.N })
	}
}

// hide notes that all of it may be a secret.
func (u unanswered) hide() {
	for i := range u {
		u[i].secret = true
	}
}

// maxDoubt is how many characters an error shows of what was perhaps not typed.
const maxDoubt = 200

// doubt says what was perhaps not typed, "" for nothing.
func (u unanswered) doubt() string {
	var text strings.Builder
	keys, secret := 0, false
	for _, i := range u {
		secret = secret || i.secret
		for _, k := range i.keys {
			keys += max(utf8.RuneCountInString(k.Text), 1)
			text.WriteString(shownKey(k))
		}
	}
	shown := []rune(text.String())
	switch {
	case keys == 0:
		return ""
	case secret && keys == 1:
		return "Perhaps not typed: 1 key."
	case secret:
		return fmt.Sprintf("Perhaps not typed: %d keys.", keys)
	case len(shown) > maxDoubt:
		shown = append(shown[:maxDoubt], '…')
	}
	return fmt.Sprintf("Perhaps not typed: “%s”.", string(shown))
}

// shownKey returns a key as a person reads it.
func shownKey(k live.Key) string {
	if k.Text == "" {
		return "<" + k.Name + ">"
	}
	var b strings.Builder
	for _, r := range k.Text {
		switch {
		case r == '\r':
			b.WriteString("⏎")
		case r < ' ' || r == 0x7f:
			b.WriteString("^" + string(r^0x40)) // caret notation
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteRune(utf8.RuneError)
		}
	}
	return b.String()
}
