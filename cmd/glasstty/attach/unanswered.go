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
	// Doubt describes typed input that may not have arrived, as in "Perhaps not typed:
	// “ls⏎”.", or is "" if all input arrived. For a secret it gives only the number of keys.
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
	n      int64 // the request's number
	keys   []live.Key
	secret bool
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

// hide marks all of u as possibly secret.
func (u unanswered) hide() {
	for i := range u {
		u[i].secret = true
	}
}

// maxDoubt is the maximum number of characters of input in an error.
const maxDoubt = 200

// doubt returns the text of LostError.Doubt.
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

// shownKey returns a key in readable form.
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
