package redact

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Limits of the secrets that a Redactor learns.
const (
	// MaxSecrets is how many secrets are remembered; the oldest goes first.
	MaxSecrets = 64
	// MinSecret and MaxSecret bound the length of a secret, in bytes: a shorter one occurs
	// in too much ordinary text, a longer one is hardly typed.
	MinSecret = 4
	MaxSecret = 1024
)

// A Span is a part of a text, in bytes.
type Span struct{ From, To int }

// A Redactor finds secrets. It is safe for concurrent use. A nil Redactor finds
// nothing.
type Redactor struct {
	load func() *ruleSet

	mu    sync.RWMutex // guards what follows
	known []string     // oldest first
}

// New returns a Redactor that knows the forms of secrets. It loads them at the first use.
func New() *Redactor {
	return &Redactor{load: sync.OnceValue(newRuleSet)}
}

// Learn makes the Redactor find secret everywhere. It ignores secrets shorter than
// MinSecret or longer than MaxSecret.
func (r *Redactor) Learn(secret string) {
	if r == nil || len(secret) < MinSecret || len(secret) > MaxSecret {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	known := slices.DeleteFunc(slices.Clone(r.known), func(s string) bool { return s == secret })
	r.known = append(known, secret)
	r.known = r.known[max(0, len(r.known)-MaxSecrets):]
}

// secrets returns the learned secrets.
func (r *Redactor) secrets() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.known // Learn replaces the slice and never changes it
}

// Spans returns the secrets in text, in order and apart from each other.
func (r *Redactor) Spans(text string) []Span {
	if r == nil || len(text) < MinSecret {
		return nil
	}
	found := r.load().find(text)
	for _, secret := range r.secrets() {
		for at := 0; ; {
			i := strings.Index(text[at:], secret)
			if i < 0 {
				break
			}
			found = append(found, Span{at + i, at + i + len(secret)})
			at += i + len(secret)
		}
	}
	return join(found)
}

// Open returns where the secret begins that may continue after text, or len(text) if there
// is none. It ignores beginnings that are too short to mean anything.
func (r *Redactor) Open(text string) int {
	if r == nil || text == "" {
		return len(text)
	}
	from := r.load().open(text)
	for _, secret := range r.secrets() {
		from = min(from, openKnown(text, secret))
	}
	return from
}

// openKnown returns where the end of text is the beginning of secret, or len(text).
func openKnown(text, secret string) int {
	for n := min(len(secret)-1, len(text)); n >= max(MinSecret, len(secret)/4); n-- {
		if strings.HasSuffix(text, secret[:n]) {
			return len(text) - n
		}
	}
	return len(text)
}

// Mask returns text with an asterisk for every character of a secret, except line ends.
func (r *Redactor) Mask(text string) string {
	return Replace(text, r.Spans(text), func(part string) string {
		return strings.Map(func(c rune) rune {
			if c == '\n' || c == '\r' {
				return c
			}
			return '*'
		}, part)
	})
}

// Replace returns text with each span replaced by the result of to.
func Replace(text string, spans []Span, to func(string) string) string {
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.From])
		b.WriteString(to(text[s.From:s.To]))
		at = s.To
	}
	b.WriteString(text[at:])
	return b.String()
}

// join sorts spans and merges those that touch.
func join(spans []Span) []Span {
	if len(spans) < 2 {
		return spans
	}
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Or(a.From-b.From, b.To-a.To) })
	out := spans[:1]
	for _, s := range spans[1:] {
		if last := &out[len(out)-1]; s.From <= last.To {
			last.To = max(last.To, s.To)
		} else {
			out = append(out, s)
		}
	}
	return out
}
