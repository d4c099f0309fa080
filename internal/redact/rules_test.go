package redact

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

var update = flag.Bool("update", false, "write the embedded rules")

// A ruleFile contains the parts of gitleaks' rule file that are used here, and the further keys of
// own.toml.
type ruleFile struct {
	Allow fileAllowance `toml:"allowlist"`
	Rules []struct {
		ID       string          `toml:"id"`
		Regex    string          `toml:"regex"`
		Group    int             `toml:"secretGroup"`
		Entropy  float64         `toml:"entropy"`
		Keywords []string        `toml:"keywords"`
		Allow    []fileAllowance `toml:"allowlists"`

		Before  int  `toml:"before"`
		After   int  `toml:"after"`
		Run     int  `toml:"run"`
		Assigns bool `toml:"assigns"`
		Mixed   bool `toml:"mixed"`
	} `toml:"rules"`
}

// A fileAllowance is an allowance in a ruleFile.
type fileAllowance struct {
	Target  string   `toml:"regexTarget"`
	Regexes []string `toml:"regexes"`
	Words   []string `toml:"stopwords"`
}

// decoded returns a as an allowance. ok is false if a applies to file names only.
func (a fileAllowance) decoded() (_ *allowance, ok bool) {
	return &allowance{Target: a.Target, Regexes: a.Regexes, Words: a.Words}, len(a.Regexes)+len(a.Words) > 0
}

// TestRules checks that the embedded rules are those of the files in the directory rules. With
// -update, it writes them. rules/gitleaks.toml.gz is config/gitleaks.toml of gitleaks v8.30.1,
// unchanged but compressed: to update it, gzip the file of a newer version.
func TestRules(t *testing.T) {
	want, err := json.Marshal(made(t))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		var b bytes.Buffer
		z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		_, err = z.Write(want)
		if err := errors.Join(err, z.Close(), os.WriteFile("rules.json.gz", b.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
		return
	}
	z, err := gzip.NewReader(bytes.NewReader(rulesData))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the embedded rules are not those of the directory rules; go test -run TestRules -update writes them (%v)", err)
	}
}

// made returns the rules of the files.
func made(t *testing.T) *ruleSet {
	t.Helper()
	leaks, own := readRules(t, "rules/gitleaks.toml.gz"), readRules(t, "rules/own.toml")
	set := &ruleSet{}
	set.Allow, _ = leaks.Allow.decoded()
	for i, from := range append(leaks.Rules, own.Rules...) {
		if from.Regex == "" || len(from.Keywords) == 0 {
			continue // a rule for file names
		}
		r := &rule{
			ID: from.ID, Source: from.Regex, Keywords: from.Keywords, Group: from.Group, Entropy: from.Entropy,
			Before: from.Before, After: from.After, Run: from.Run, Assigns: from.Assigns, Solid: from.Run > 0, Mixed: from.Mixed,
		}
		for _, a := range from.Allow {
			if a, ok := a.decoded(); ok {
				r.Allow = append(r.Allow, a)
			}
		}
		if i < len(leaks.Rules) {
			r.measure()
		} else if r.After == 0 {
			r.After = shapeOf(r.Source).longest
		}
		r.Open = prefixes(t, r.Source)
		set.Rules = append(set.Rules, r)
	}
	return set
}

// readRules reads a file of rules, compressed or not.
func readRules(t *testing.T, path string) (f ruleFile) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	if err := toml.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	return f
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
	source := strings.Replace(r.Source, `(?i)`+nameHead, `(?i)`, 1)
	if rest, ok := strings.CutPrefix(source, nameHead+`(?i:`+nameHead); ok {
		source = `(?i:` + rest
	}
	r.Source = source
	name, value, assigns := strings.Cut(source, operator)
	core, _, _ := strings.Cut(source, tail)
	shape := shapeOf(source)
	r.After = shape.longest
	r.Before = shape.longest
	inName, inSource := r.keywordIn(name), r.keywordIn(core)
	switch {
	case assigns && inName:
		r.Before, r.Assigns = 1, len(r.Keywords) > 1
		if !r.startsWithKeyword(name) {
			r.Before = 80
		}
	case assigns && inSource:
		value, _, _ = strings.Cut(value, tail)
		r.Run = shapeOf(value).shortest
	case inSource && !shapeOf(core).blanks:
		r.Solid = true
		r.Run = shapeOf(core).shortest
	}
	r.Before, r.After = min(r.Before, maxWindow), min(r.After, maxWindow)
}

// keywordIn reports whether a part of the expression contains all keywords.
func (r *rule) keywordIn(part string) bool {
	part = strings.ToLower(strings.NewReplacer(`\`, ``, `(?:or)?`, `or`, `[_-]?`, `_`, `[Aa]`, `a`).Replace(part))
	for _, w := range r.Keywords {
		if !strings.Contains(part, strings.ReplaceAll(w, "-", "_")) && !strings.Contains(part, w) {
			return false
		}
	}
	return true
}

// startsWithKeyword reports whether matches of the expression begin with the keyword.
func (r *rule) startsWithKeyword(name string) bool {
	if r.ID == "generic-api-key" {
		return true
	}
	name = strings.ToLower(strings.TrimLeft(name, `(?i)-:`))
	return strings.HasPrefix(name, r.Keywords[0])
}
