// Package redact finds secrets in text: keys, tokens and passwords by their form,
// and those that it was told.
//
//	text ─▶ keywords (one pass) ─▶ windows around the hits ─▶ expressions ─▶ spans
//
// It knows nothing of where the text comes from and where it goes: text in, spans
// out. Who shows the text puts something of the same width in their place.
//
// # The rules
//
// The forms are those of gitleaks, from its rule file (gitleaks.toml.gz, embedded), and
// a few broader ones of ours (own.go) for what a repository scanner may leave alone
// and a terminal should not show: any password in a URL, any token behind "Bearer",
// key material that has only begun.
//
// gitleaks' own detect package was measured and not taken: it reads ordinary build
// output at 0.9 MB/s (it runs every expression whose keyword is anywhere in the
// text over all of the text), takes 180 ms to load, and brings 62 modules and 7 MB
// into a program. Its rule file alone is 98 kB. Here an expression runs only over a
// window around its keyword, and is compiled when its keyword is first seen:
//
//	go test ./internal/redact -run '^$' -bench .
//
// Its allow lists and entropies are kept where a rule would otherwise find ordinary
// text. Where the keyword is a part of the secret (ghp_, AKIA, xoxb-) they are not:
// nothing is lost by hiding a key that is only an example.
//
// # Time
//
// Spans takes time linear in the length of the text. The pass over the keywords
// runs at several hundred MB/s; the windows at the speed of package regexp, a few
// MB/s. Text in which every word is a keyword is therefore slow, but not slower for
// being long.
package redact
