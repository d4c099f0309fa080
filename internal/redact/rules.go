package redact

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"sync"
)

// rulesData is a ruleSet as compressed JSON. TestRules generates it from the rules of the program
// gitleaks, whose licence is in gitleaks.LICENSE.
//
//go:embed rules.json.gz
var rulesData []byte

// A rule finds one form of secret.
type rule struct {
	ID       string
	Source   string   // the regular expression
	Open     string   // matches the beginning of a match of Source, up to the end of the text
	Keywords []string // in lower case; the expression is tried around each occurrence
	Group    int      // number of the group of Source that is the secret; 0 if secretSpan chooses the groups
	Entropy  float64  // a secret has more entropy than this, in bits per byte

	Before, After int  // bytes before and after the start of a keyword in which search looks for a match first
	Run           int  // minimum length in bytes of the word (text without white space) around the keyword
	Assigns       bool // matches are assignments to a name that contains the keyword
	Solid         bool // matches contain no white space
	Mixed         bool // only the function mixed decides whether a match is a secret
	Allow         []*allowance

	re, open func() *regexp.Regexp // return Source and Open, compiled
}

// An allowance lists matches of a rule that are not secrets.
type allowance struct {
	Target  string   // the text for Regexes: "" for the secret, "match", or "line" for the line up to the match's end
	Regexes []string // the match is not a secret if one of these matches Target
	Words   []string // in lower case; the match is not a secret if the secret contains one

	once sync.Once
	re   []*regexp.Regexp
}

// A ruleSet contains all rules and their keywords. It never changes.
type ruleSet struct {
	Rules   []*rule
	Allow   *allowance // applies to all rules
	matcher *matcher
}

// newRuleSet loads the rules. It panics if the embedded rules are damaged.
func newRuleSet() *ruleSet {
	set := &ruleSet{}
	file, err := gzip.NewReader(bytes.NewReader(rulesData))
	if err == nil {
		err = json.NewDecoder(file).Decode(set)
	}
	if err != nil {
		panic(fmt.Sprintf("redact: the embedded rules: %v", err))
	}
	for _, r := range set.Rules {
		r.re = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(r.Source) })
		r.open = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(r.Open) })
	}
	set.matcher = newMatcher(set.Rules)
	return set
}

// maxWindow is the maximum of Before and After of a rule, in bytes. It does not limit the end of a
// match: if a match reaches the end of its window, search extends the window.
const maxWindow = 4 << 10

// hasKeyword reports whether the secret contains a keyword of the rule of at least 3 bytes. If so, it is
// a secret without further checks.
func (r *rule) hasKeyword(secret string) bool {
	secret = strings.ToLower(secret)
	for _, w := range r.Keywords {
		if len(w) >= 3 && strings.Contains(secret, w) {
			return true
		}
	}
	return false
}

// secretSpan returns the part of a match that is the secret: the group r.Group. If this is 0 or did
// not match, and matches of r may contain white space, the secret is the part from the first to the
// last group of at least MinSecret bytes. In all other cases, it is the match without quotes,
// semicolons and white space at its end.
func (r *rule) secretSpan(text string, at []int) Span {
	if g := 2 * r.Group; g > 0 && g+1 < len(at) && at[g] >= 0 {
		return Span{at[g], at[g+1]}
	}
	if !r.Solid {
		out := Span{-1, -1}
		for g := 2; g+1 < len(at); g += 2 {
			if at[g+1]-at[g] < MinSecret {
				continue
			}
			if out.From < 0 || at[g] < out.From {
				out.From = at[g]
			}
			out.To = max(out.To, at[g+1])
		}
		if out.From >= 0 {
			return out
		}
	}
	whole := text[at[0]:at[1]]
	return Span{at[0], at[0] + len(strings.TrimRight(whole, "`'\"; \t\r\n"))}
}

// allowed reports whether the allowance covers a match, which is then not a secret.
func (a *allowance) allowed(text string, match, secret Span) bool {
	a.once.Do(func() {
		for _, e := range a.Regexes {
			a.re = append(a.re, regexp.MustCompile(e))
		}
	})
	target := text[secret.From:secret.To]
	switch a.Target {
	case "match":
		target = text[match.From:match.To]
	case "line":
		from := strings.LastIndexByte(text[:match.From], '\n') + 1
		target = text[max(from, match.From-maxWindow):match.To]
	}
	for _, re := range a.re {
		if re.MatchString(target) {
			return true
		}
	}
	lower := strings.ToLower(text[secret.From:secret.To])
	for _, w := range a.Words {
		if strings.Contains(lower, w) {
			return true
		}
	}
	return false
}

// entropyOf returns the Shannon entropy of s in bits per byte.
func entropyOf(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	sum := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}

// mixed reports whether secret is unlike a single word or number. Such a secret contains both digits and
// letters, or one of these and a special character. Or it has a digit or a letter and at least 24
// bytes, and no slash or bracket, which paths and code have.
func mixed(secret string) bool {
	digit := strings.ContainsAny(secret, "0123456789")
	letter := strings.ContainsFunc(secret, func(c rune) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' })
	odd := strings.ContainsAny(secret, "!@#%^&*+=~?|")
	return digit && letter || odd && (digit || letter) || len(secret) >= 24 && (digit || letter) && !strings.ContainsAny(secret, "/()[]{}")
}
