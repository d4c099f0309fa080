package redact

import (
	"slices"
	"sort"
	"strings"
	"sync"
)

// Limits on the secrets that a Redactor learns. MinSecret also applies to those that rules find.
const (
	// MaxSecrets is the maximum number of secrets; a further one replaces the oldest.
	MaxSecrets = 64
	// MinSecret and MaxSecret are the minimum and maximum length of a secret, in bytes. Shorter text
	// is too common, and longer text is rarely typed.
	MinSecret = 4
	MaxSecret = 1024
)

// A Span is the part of a text from byte From to byte To, exclusive.
type Span struct{ From, To int }

// A Redactor finds secrets. It is safe for concurrent use. A nil Redactor finds nothing.
type Redactor struct {
	load func() *ruleSet // returns the rules, which it loads at its first call

	mu      sync.RWMutex // guards learned
	learned []string     // the learned secrets, oldest first
}

// New returns a Redactor with the embedded rules. It loads them at the first use.
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
	learned := slices.DeleteFunc(slices.Clone(r.learned), func(s string) bool { return s == secret })
	r.learned = append(learned, secret)
	r.learned = r.learned[max(0, len(r.learned)-MaxSecrets):]
}

// secrets returns the learned secrets.
func (r *Redactor) secrets() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.learned // Learn replaces the slice and never changes it
}

// Spans returns the parts of text that contain secrets, in order. They do not overlap or touch.
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
	return Merge(found)
}

// IncompleteFrom returns the offset of the first secret that may continue after text, or len(text)
// if there is none. It ignores beginnings that are too short to distinguish from other text.
func (r *Redactor) IncompleteFrom(text string) int {
	if r == nil || text == "" {
		return len(text)
	}
	from := r.load().incompleteFrom(text)
	for _, secret := range r.secrets() {
		from = min(from, incompleteLearned(text, secret))
	}
	return from
}

// incompleteLearned returns the offset of a beginning of secret at the end of text. It returns
// len(text) if there is none of at least MinSecret bytes and a quarter of the secret.
func incompleteLearned(text, secret string) int {
	for n := min(len(secret)-1, len(text)); n >= max(MinSecret, len(secret)/4); n-- {
		if strings.HasSuffix(text, secret[:n]) {
			return len(text) - n
		}
	}
	return len(text)
}

// Replace returns text with to applied to each span. The spans must be in order and must not overlap.
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

// Merge sorts spans and merges those that overlap or touch. It changes spans.
func Merge(spans []Span) []Span {
	if len(spans) < 2 {
		return spans
	}
	sort.Slice(spans, func(i, j int) bool {
		a, b := spans[i], spans[j]
		return a.From < b.From || a.From == b.From && a.To > b.To
	})
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
