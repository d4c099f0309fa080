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

// A rule is one form of secret.
type rule struct {
	id       string
	source   string   // the expression
	keywords []string // in lower case; the expression is tried around each
	group    int      // of the expression that is the secret; 0: see secretSpan
	entropy  float64  // the least of the secret

	before, after int  // how far a match reaches around its keyword, in bytes
	run           int  // so many bytes without a blank are around the keyword
	assigns       bool // the keyword is part of a name to which a value is assigned
	solid         bool // matches have no blanks
	check         func(secret string) bool
	allow         []allowance

	once sync.Once
	re   *regexp.Regexp
	part sync.Once
	open *regexp.Regexp // matches any beginning of a match at the text's end
}

// An allowance lists matches of a rule that are not secrets.
type allowance struct {
	Target  string   `toml:"regexTarget"` // "", match or line
	Regexes []string `toml:"regexes"`
	Words   []string `toml:"stopwords"`
	Paths   []string `toml:"paths"`

	once sync.Once
	re   []*regexp.Regexp
}

// A ruleFile has the parts of gitleaks' rule file that are used here.
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

// A ruleSet has all rules and their keywords. It never changes.
type ruleSet struct {
	rules   []*rule
	by      [][]int // rules by keyword
	matcher *matcher
	allow   *allowance // for all rules
}

// newRuleSet reads the rules. It panics when the embedded rule file is damaged.
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
	set.index()
	return set
}

// index makes the matcher of the rules' keywords.
func (set *ruleSet) index() {
	number := map[string]int{}
	var words []string
	for i, r := range set.rules {
		for _, w := range r.keywords {
			k, ok := number[w]
			if !ok {
				k = len(words)
				number[w] = k
				words = append(words, w)
				set.by = append(set.by, nil)
			}
			set.by[k] = append(set.by[k], i)
		}
	}
	set.matcher = newMatcher(words)
}

// The pieces that gitleaks builds most of its expressions from (its
// cmd/generate/config/utils).
const (
	nameHead = `[\w.-]{0,50}?`
	operator = `(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)`
	tail     = `(?:[\x60'"\s;]|\\[nr]|$`
)

// measure derives from the expression how far matches reach. It drops the part for the name
// before the keyword, which only makes the expression slow.
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

// maxWindow bounds a window on each side of a keyword, in bytes. A window is extended if a
// match reaches its end.
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

// expression returns the compiled expression.
func (r *rule) expression() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.source) })
	return r.re
}

// identified reports whether a keyword of the rule is part of the secret: then it is
// certainly one.
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
// the whole match if matches have no blanks; otherwise all groups that are long enough.
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
		return false // it is for files, and there is no file here
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
