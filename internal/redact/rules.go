package redact

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// gitleaksRules is config/gitleaks.toml of gitleaks v8.30.1, unchanged but compressed: to
// update it, gzip the file of a newer version. Its licence is in gitleaks.LICENSE.
//
//go:embed gitleaks.toml.gz
var gitleaksRules []byte

// A rule finds one form of secret.
type rule struct {
	id       string
	source   string   // the regular expression
	keywords []string // in lower case; the expression is tried around each occurrence
	group    int      // group of the expression that is the secret; 0: see secretSpan
	entropy  float64  // minimum entropy of the secret, in bits per byte

	before, after int  // bytes that a match may extend before and after its keyword
	run           int  // minimum number of bytes without a blank around the keyword
	assigns       bool // the keyword is part of a name to which a value is assigned
	solid         bool // matches contain no blanks
	check         func(secret string) bool
	allow         []allowance

	re   func() *regexp.Regexp // returns the compiled expression
	open func() *regexp.Regexp // returns one that matches any beginning of a match at the text's end; nil if there is none
}

// An allowance lists matches of a rule that are not secrets.
type allowance struct {
	Target  string   `toml:"regexTarget"` // text that Regexes match: the secret (""), "match" or "line"
	Regexes []string `toml:"regexes"`
	Words   []string `toml:"stopwords"`
	Paths   []string `toml:"paths"`

	once sync.Once
	re   []*regexp.Regexp
}

// A ruleFile contains the parts of gitleaks' rule file that are used here.
type ruleFile struct {
	Allow allowance `toml:"allowlist"`
	Rules []struct {
		ID       string      `toml:"id"`
		Regex    string      `toml:"regex"`
		Group    int         `toml:"secretGroup"`
		Entropy  float64     `toml:"entropy"`
		Keywords []string    `toml:"keywords"`
		Allow    []allowance `toml:"allowlists"`
	} `toml:"rules"`
}

// A ruleSet contains all rules and their keywords. It never changes.
type ruleSet struct {
	rules   []*rule
	matcher *matcher
	allow   *allowance // applies to all rules
}

// newRuleSet loads the rules. It panics if the embedded rule file is damaged.
func newRuleSet() *ruleSet {
	var f ruleFile
	file, err := gzip.NewReader(bytes.NewReader(gitleaksRules))
	if err == nil {
		err = toml.NewDecoder(file).Decode(&f)
	}
	if err != nil {
		panic(fmt.Sprintf("redact: the rule file of gitleaks: %v", err))
	}
	set := &ruleSet{allow: &f.Allow}
	for i := range f.Rules {
		from := &f.Rules[i]
		if from.Regex == "" || len(from.Keywords) == 0 {
			continue // a rule for file names
		}
		r := &rule{id: from.ID, source: from.Regex, keywords: from.Keywords, group: from.Group, entropy: from.Entropy, allow: from.Allow}
		r.measure()
		set.rules = append(set.rules, r)
	}
	for _, r := range ownRules() {
		r.solid = r.run > 0
		if r.after == 0 {
			r.after = shapeOf(r.source).longest
		}
		set.rules = append(set.rules, r)
	}
	for _, r := range set.rules {
		r.re = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(r.source) })
		r.open = sync.OnceValue(func() *regexp.Regexp { return prefixes(r.source) })
	}
	set.matcher = newMatcher(set.rules)
	return set
}

// The pieces from which gitleaks builds most of its expressions (see its
// cmd/generate/config/utils).
const (
	nameHead = `[\w.-]{0,50}?`
	operator = `(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)`
	tail     = `(?:[\x60'"\s;]|\\[nr]|$`
)

// measure determines from the expression how far matches extend. It removes the part of the
// expression for the name before the keyword, which only slows it down.
func (r *rule) measure() {
	source := strings.Replace(r.source, `(?i)`+nameHead, `(?i)`, 1)
	if rest, ok := strings.CutPrefix(source, nameHead+`(?i:`+nameHead); ok {
		source = `(?i:` + rest
	}
	r.source = source
	name, value, assigns := strings.Cut(source, operator)
	core, _, _ := strings.Cut(source, tail)
	shape := shapeOf(source)
	r.after = shape.longest
	r.before = shape.longest
	inName, inSource := r.keywordIn(name), r.keywordIn(core)
	switch {
	case assigns && inName:
		r.before, r.assigns = 1, len(r.keywords) > 1
		if !r.startsWithKeyword(name) {
			r.before = 80
		}
	case assigns && inSource:
		value, _, _ = strings.Cut(value, tail)
		r.run = shapeOf(value).shortest
	case inSource && !shapeOf(core).blanks:
		r.solid = true
		r.run = shapeOf(core).shortest
	}
	r.before, r.after = min(r.before, maxWindow), min(r.after, maxWindow)
}

// maxWindow is the maximum size of a window on each side of a keyword, in bytes. A window
// is extended if a match reaches its end.
const maxWindow = 4 << 10

// keywordIn reports whether a part of the expression contains all keywords.
func (r *rule) keywordIn(part string) bool {
	part = strings.ToLower(strings.NewReplacer(`\`, ``, `(?:or)?`, `or`, `[_-]?`, `_`, `[Aa]`, `a`).Replace(part))
	for _, w := range r.keywords {
		if !strings.Contains(part, strings.ReplaceAll(w, "-", "_")) && !strings.Contains(part, w) {
			return false
		}
	}
	return true
}

// startsWithKeyword reports whether matches of the expression begin with the keyword.
func (r *rule) startsWithKeyword(name string) bool {
	if r.id == "generic-api-key" {
		return true
	}
	name = strings.ToLower(strings.TrimLeft(name, `(?i)-:`))
	return strings.HasPrefix(name, r.keywords[0])
}

// identified reports whether the secret contains a keyword of the rule. If it does, it is
// certainly a secret.
func (r *rule) identified(secret string) bool {
	secret = strings.ToLower(secret)
	for _, w := range r.keywords {
		if len(w) >= 3 && strings.Contains(secret, w) {
			return true
		}
	}
	return false
}

// secretSpan returns the part of a match that is the secret: the group that the rule names;
// otherwise the whole match if matches contain no blanks; otherwise the part from the first
// to the last group that is long enough.
func (r *rule) secretSpan(text string, at []int) Span {
	if g := 2 * r.group; g > 0 && g+1 < len(at) && at[g] >= 0 {
		return Span{at[g], at[g+1]}
	}
	if !r.solid {
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

// allowed reports whether the allowance covers a match, so that it is not a secret.
func (a *allowance) allowed(text string, match, secret Span) bool {
	if len(a.Paths) > 0 && len(a.Regexes) == 0 && len(a.Words) == 0 {
		return false // it applies to file names only
	}
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
