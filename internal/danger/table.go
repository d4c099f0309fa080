package danger

import (
	"bufio"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"

	"github.com/glasstty/glasstty/internal/glob"
)

// Limits on a file of rules.
const (
	maxRules    = 10_000 // lines
	maxRuleLine = 4096   // bytes
)

// builtinRules contains the built-in rules. The comments at its beginning describe the form of the
// lines; a user's file has the same form.
//
//go:embed rules.txt
var builtinRules string

// builtin returns the built-in rules. It parses them on first use.
var builtin = sync.OnceValue(func() *table { return new(table).addBuiltin() })

// addBuiltin appends the built-in rules and prepares the table for use.
func (t *table) addBuiltin() *table {
	if err := t.read(strings.NewReader(builtinRules)); err != nil {
		panic("danger: rules.txt: " + err.Error()) // a test parses the file
	}
	t.index()
	return t
}

// The verbs of rows; a row is one rule.
const (
	deny  = "deny"  // makes the text that the row matches a finding
	allow = "allow" // lets the text pass
	does  = "does"  // says what the words of a command are for
	reads = "reads" // replaces matching text in programs before they are read; also the language of such rows
)

// A row is one rule of a table.
type row struct {
	verb    string
	name    string                // of the rule
	lang    Lang                  // Data: the row matches whole lines in any language
	why     string                // the reason of a deny row, the replacement of a reads row
	re      func() *regexp.Regexp // nil if the row has a pattern
	role    role                  // of the text in the groups of re
	pattern                       // zero if the row has a regular expression
}

// A table contains rules and lists of words, indexed for matching.
type table struct {
	rows  []*row
	lists map[string][]string // by name

	sets     map[string]map[string]bool // the lists as sets; also, under calls-LANGUAGE, the names of calls
	paths    map[string][][]string      // patterns of the lists of paths, split at *
	texts    map[Lang][]*row            // the rows with a regular expression
	programs map[Lang]map[string]*program
	globs    map[Lang][]string              // program names with a * that stands for any text
	lexers   map[Lang]func() *regexp.Regexp // expressions that match a token
}

// A program contains the rows for one program or call, and the options that these rows mention.
type program struct {
	rows         []*row
	valued       []string        // options that take a value
	optionRoles  map[string]role // the options that rows name, with the roles of their values, or zero
	optionsFirst bool            // options end at the first operand
}

// read adds rules, one per line.
func (t *table) read(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxRuleLine)
	for n := 1; lines.Scan(); n++ {
		if n > maxRules {
			return fmt.Errorf("it has more than %d lines", maxRules)
		}
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if err := t.add(line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("a line is longer than %d bytes, or cannot be read: %w", maxRuleLine, err)
	}
	return nil
}

// ruleLine matches a rule: verb, name, language, regular expression or pattern, and the rest.
var ruleLine = lazy("^(deny|allow|does|reads)\\s+(?:([A-Za-z0-9_.-]+)\\s+)??(?:([a-z0-9]+)\\s+)?(?:/((?:[^/\\\\]|\\\\.)+)/|`([^`]+)`)(?:\\s+(.*))?$")

// add parses a rule or a list and adds it.
func (t *table) add(line string) error {
	words := strings.Fields(line)
	if words[0] == "list" && len(words) > 2 {
		if t.lists == nil {
			t.lists = map[string][]string{}
		}
		for _, w := range words[2:] {
			if dir, ok := strings.CutSuffix(w, "//"); ok {
				t.lists[words[1]] = append(t.lists[words[1]], dir, dir+"/*")
				continue
			} else if len(w) > 1 && strings.HasSuffix(w, "/") {
				w += "*" // everything below
			}
			t.lists[words[1]] = append(t.lists[words[1]], w)
		}
		return nil
	}
	if !slices.Contains([]string{deny, allow, does, reads, "list"}, words[0]) {
		return fmt.Errorf("%q is not deny, allow, does, reads or list", shorten(words[0]))
	}
	m := ruleLine().FindStringSubmatch(line)
	if m == nil || m[1] == does && m[2] != "" || (m[1] == deny || m[1] == allow) && m[2]+m[3] == "" {
		return fmt.Errorf("%q is not a rule; write: deny NAME /REGEX/ why, or: allow NAME /REGEX/; a `COMMAND` may stand for the /REGEX/", shorten(line))
	}
	r := &row{verb: m[1], name: m[2], lang: Lang(m[3]), why: m[6]}
	switch {
	case r.verb == reads:
		r.lang = reads
	case r.verb != does && r.name == "":
		r.name, r.lang = m[3], Data // ruleLine parses a single word as a language
	}
	r.why = cmp.Or(r.why, strings.Join(t.lists["why-"+r.name], " "), "is denied by the rule "+r.name)
	t.rows = append(t.rows, r)
	err := r.parseMatch(m[4], m[5], m[6])
	if errors.As(err, new(*syntax.Error)) {
		return fmt.Errorf("rule %s: %w", r.name, err)
	} else if err != nil && m[5] != "" {
		return fmt.Errorf("`%s`: %w", m[5], err)
	}
	return err
}

// parseMatch sets what a row matches: a regular expression, with its role, or a pattern.
func (r *row) parseMatch(re, form, role string) (err error) {
	if re == "" {
		if r.lang == Data {
			r.lang = Shell
		}
		return r.parse(form)
	}
	if r.verb == does {
		if r.role, err = parseRole(role); err != nil {
			return err
		}
	} else if r.verb == allow && r.lang == Data {
		re = "^(?:" + re + ")$"
	}
	r.re = lazy("(?s)" + re)
	_, err = syntax.Parse("(?s)"+re, syntax.Perl)
	return err
}

// lazy returns a function that compiles a regular expression when it is first called.
func lazy(src string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(src) })
}

func (t *table) index() {
	t.sets, t.texts = map[string]map[string]bool{}, map[Lang][]*row{}
	t.paths = map[string][][]string{}
	t.programs, t.globs = map[Lang]map[string]*program{}, map[Lang][]string{}
	t.lexers = map[Lang]func() *regexp.Regexp{}
	for name, words := range t.lists {
		if lang, ok := strings.CutPrefix(name, "tokens-"); ok {
			t.lexers[Lang(lang)] = lazy("(?s)" + strings.Join(words, "|"))
		}
		t.sets[name] = map[string]bool{}
		for _, w := range words {
			if t.sets[name][w] = true; strings.ContainsAny(w, "/~") {
				t.paths[name] = append(t.paths[name], strings.Split(w, "*"))
			}
		}
	}
	t.lexers[Mongo] = t.lexers[Node]
	for _, r := range t.rows {
		if r.re != nil {
			t.texts[r.lang] = append(t.texts[r.lang], r)
			continue
		}
		calls := "calls-" + string(r.lang) // the set that contains the last part of each call's name
		if t.programs[r.lang] == nil {
			t.programs[r.lang], t.sets[calls] = map[string]*program{}, map[string]bool{}
		}
		names := r.names
		if l, ok := strings.CutPrefix(names[0], "@"); ok {
			names = append(slices.Clone(t.lists[l]), names[1:]...)
		}
		for _, name := range names {
			t.sets[calls][name[strings.LastIndexByte(name, '.')+1:]] = true
			p := t.programs[r.lang][name]
			if p == nil {
				p = &program{optionRoles: map[string]role{}}
				t.programs[r.lang][name] = p
				if strings.Contains(name, "*") && name != "*" {
					t.globs[r.lang] = append(t.globs[r.lang], name)
				}
			}
			p.add(r)
		}
	}
}

func (p *program) add(r *row) {
	p.rows = append(p.rows, r)
	p.optionsFirst = p.optionsFirst || r.optionsFirst
	for _, e := range r.elems {
		for _, n := range e.names {
			p.optionRoles[n] = e.cond.role
		}
	}
	for _, n := range r.valued {
		if _, ok := p.optionRoles[n]; !ok {
			p.optionRoles[n] = role{}
		}
	}
	if r.verb == does && r.onlyOptions() {
		p.valued = append(p.valued, r.valued...)
	}
}

// program returns the rows for a program or call. For an unknown name, the result has no rows.
func (t *table) program(lang Lang, name string) *program {
	if p := t.programs[lang][name]; p != nil {
		return p
	}
	for _, g := range t.globs[lang] {
		if glob.Match(g, name) {
			return t.programs[lang][g]
		}
	}
	return &program{}
}

// in reports whether a list contains a word.
func (t *table) in(list, word string) bool { return t.sets[list][word] }

// lineRules returns the rules with the verb v that are for whole lines and match text. All such
// rules are the user's.
func (t *table) lineRules(v, text string) (fit []*row) {
	for _, r := range t.texts[Data] {
		if r.verb == v && r.re().MatchString(text) {
			fit = append(fit, r)
		}
	}
	return fit
}

// allows reports whether a rule for whole lines allows text, no such rule denies it, and it is not too long.
func (t *table) allows(text string) bool {
	text = strings.TrimSpace(text)
	return len(text) <= maxText && t.lineRules(allow, text) != nil && t.lineRules(deny, text) == nil
}
