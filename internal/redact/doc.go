// Package redact finds secrets in text: keys, tokens and passwords of known forms, and
// secrets that it has learned.
//
//	text ─▶ keywords (one pass) ─▶ windows around the keywords ─▶ expressions ─▶ spans
//
// It returns spans of the text, and callers replace them.
//
// # The rules
//
// Most forms come from the rule file of gitleaks (rules/gitleaks.toml.gz). A few broader ones are
// ours (rules/own.toml), for secrets that a repository scanner may ignore and a terminal should not
// show: any password in a URL, any token after "Bearer", key material without its end. A test
// measures the expressions and writes the embedded file rules.json.gz:
//
//	go test ./internal/redact -run TestRules -update
//
// The detect package of gitleaks is not used. It reads ordinary build output at 0.9 MB/s, because it
// runs every expression whose keyword is in the text over the whole text. It takes 180 ms to load,
// and adds 62 modules and 7 MB to a program. Its rule file alone is 98 kB. Here an expression runs
// only over a window around its keyword, and is compiled when the keyword first occurs:
//
//	go test ./internal/redact -run '^$' -bench .
//
// The allow lists and entropies of gitleaks prevent matches of ordinary text. They do not apply to
// secrets that contain the keyword (ghp_, AKIA, xoxb-): hiding a key that is only an example does no
// harm.
//
// # Time
//
// Spans takes time linear in the length of the text. The search for keywords runs at several hundred
// MB/s, and the expressions in the windows at a few MB/s. So text in which every word is a keyword
// is slow, but still linear.
package redact
