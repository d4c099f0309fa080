package danger

import (
	"bufio"
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/glasstty/glasstty/internal/glob"
)

// The bounds of a user's file of rules.
const (
	maxRules    = 1000
	maxRuleLine = 4096 // bytes
)

// builtinRules is the knowledge of this package. The form of its lines stands at its
// beginning; a user's file has the same.
//
//go:embed rules.txt
var builtinRules string

// builtin returns the built-in rules, read when they are first needed.
var builtin = sync.OnceValue(func() *table { return new(table).complete() })

// complete adds the built-in rules behind those that are there.
func (t *table) complete() *table {
	if err := t.read(strings.NewReader(builtinRules), false); err != nil {
		panic("danger: rules.txt: " + err.Error()) // a test reads it
	}
	t.index()
	return t
}

// The effects of a row on the lines that it matches.
const (
	deny  = "deny"  // holds it
	allow = "allow" // lets it pass
	does  = "does"  // says what its words are for
	reads = "reads" // puts other text in the place of what fits
)

// A row is one line of a table, but for the lists of words.
type row struct {
	verb string
	name string // of the rule
	lang Lang   // Data for the whole of a line, whatever reads it
	why  string
	re   *lazyRegexp // nil: a pattern
	role role        // of what the regular expression finds
	pattern
}

// A table is rules, and what is asked of them.
type table struct {
	rows  []*row
	lists map[string][]string

	sets     map[string]map[string]bool
	paths    map[string][][]string // lists of paths, cut at *
	texts    map[Lang][]*row       // with a regular expression
	programs map[Lang]map[string]*program
	globs    map[Lang][]string // the names of programs that have a *
	lexers   map[Lang]*lazyRegexp

	spellings []*row // of what programs write in a roundabout way
}

// A program is the rows for one, and what they say of its options.
type program struct {
	rows   []*row
	valued []string        // options that take a value
	named  map[string]role // options that a row names, and what their values are for
	prefix bool            // options end at the first operand
}

// read adds rules, one a line. A user's are bounded, and checked.
func (t *table) read(in io.Reader, users bool) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxRuleLine)
	rules := 0
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		err := t.add(line)
		if rules++; users && rules > maxRules {
			err = fmt.Errorf("more than %d rules", maxRules)
		} else if users && err == nil && len(t.rows) > 0 {
			err = t.rows[len(t.rows)-1].check()
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("a line is longer than %d bytes, or cannot be read: %w", maxRuleLine, err)
	}
	return nil
}

// ruleLine is the form of a rule: verb, name, language, match, and what follows.
var ruleLine = lazyRegexp{src: "^(deny|allow|does|reads)\\s+(?:([A-Za-z0-9_.-]+)\\s+)??(?:([a-z0-9]+)\\s+)?(?:/((?:[^/\\\\]|\\\\.)+)/|`([^`]+)`)(?:\\s+(.*))?$"}

// add reads one rule.
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
				w += "*" // all below
			}
			t.lists[words[1]] = append(t.lists[words[1]], w)
		}
		return nil
	}
	if !slices.Contains([]string{deny, allow, does, reads, "list"}, words[0]) {
		return fmt.Errorf("%q is not deny, allow, does, reads or list", shown(words[0]))
	}
	m := ruleLine.get().FindStringSubmatch(line)
	if m == nil || m[1] == does && m[2] != "" || (m[1] == deny || m[1] == allow) && m[2]+m[3] == "" {
		return fmt.Errorf("%q is not a rule; write: deny NAME /REGEX/ why, or: allow NAME /REGEX/; a `COMMAND` may stand for the /REGEX/", shown(line))
	}
	r := &row{verb: m[1], name: m[2], lang: Lang(m[3]), why: m[6]}
	if r.verb != does && r.name == "" {
		r.name, r.lang = m[3], Data // without a language
	}
	r.why = cmp.Or(r.why, strings.Join(t.lists["why-"+r.name], " "), "is denied by the rule "+r.name)
	t.rows = append(t.rows, r)
	return r.match(m[4], m[5], m[6])
}

// match reads what a row fits: a regular expression, whose role is given, or a pattern.
func (r *row) match(re, form, role string) (err error) {
	switch {
	case re == "":
		if r.lang == Data {
			r.lang = Shell
		}
		if err = r.parse(form); err != nil {
			err = fmt.Errorf("`%s`: %w", form, err)
		}
		return err
	case r.verb == does:
		r.role, err = parseRole(role)
	case r.verb == allow && r.lang == Data:
		re = "^(?:" + re + ")$"
	}
	r.re = &lazyRegexp{src: "(?s)" + re}
	return err
}

// check compiles the regular expressions of a row.
func (r *row) check() error {
	for _, re := range r.regexps() {
		if _, err := regexp.Compile(re.src); err != nil {
			return fmt.Errorf("rule %s: %w", r.name, err)
		}
	}
	return nil
}

// A lazyRegexp is a regular expression that is compiled when it is first used.
type lazyRegexp struct {
	src  string
	once sync.Once
	re   *regexp.Regexp
}

// get returns it. A user's has been checked, and a test checks the built-in ones.
func (l *lazyRegexp) get() *regexp.Regexp {
	l.once.Do(func() { l.re = regexp.MustCompile(l.src) })
	return l.re
}

// index prepares what is asked of the table.
func (t *table) index() {
	t.sets, t.texts = map[string]map[string]bool{}, map[Lang][]*row{}
	t.paths = map[string][][]string{}
	t.programs, t.globs = map[Lang]map[string]*program{}, map[Lang][]string{}
	t.lexers = map[Lang]*lazyRegexp{}
	for name, words := range t.lists {
		if lang, ok := strings.CutPrefix(name, "tokens-"); ok {
			t.lexers[Lang(lang)] = &lazyRegexp{src: "(?s)" + strings.Join(words, "|")}
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
		if r.verb == reads {
			t.spellings = append(t.spellings, r)
			continue
		} else if r.re != nil {
			t.texts[r.lang] = append(t.texts[r.lang], r)
			continue
		}
		calls := "calls-" + string(r.lang) // the last parts of their names
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
				p = &program{named: map[string]role{}}
				t.programs[r.lang][name] = p
				if strings.Contains(name, "*") && name != "*" {
					t.globs[r.lang] = append(t.globs[r.lang], name)
				}
			}
			p.add(r)
		}
	}
}

// add adds a row for the program.
func (p *program) add(r *row) {
	p.rows = append(p.rows, r)
	p.prefix = p.prefix || r.prefix
	for _, e := range r.elems {
		for _, n := range e.names {
			p.named[n] = e.want.role
		}
	}
	for _, n := range r.valued {
		if _, ok := p.named[n]; !ok {
			p.named[n] = role{}
		}
	}
	if r.verb == does && r.options() {
		p.valued = append(p.valued, r.valued...)
	}
}

// program returns what is known of a program.
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

// in reports whether the list of a name has a word.
func (t *table) in(list, word string) bool { return t.sets[list][word] }

// Rules are a user's own, which stand before the built-in ones. The zero value has none.
type Rules struct {
	rows []*row
	both *table // they and the built-in ones
}

// Len returns how many rules there are, lists of words aside.
func (r *Rules) Len() int { return len(r.rows) }

// lines returns the rules of a verb for whole lines that fit text.
func (r *Rules) lines(v, text string) (fit []*row) {
	for _, d := range r.rows {
		if d.verb == v && d.re != nil && d.lang == Data && d.re.get().MatchString(text) {
			fit = append(fit, d)
		}
	}
	return fit
}

// allows reports whether a rule allows the whole of text, and none denies it.
func (r *Rules) allows(text string) bool {
	text = strings.TrimSpace(text)
	return len(r.rows) > 0 && len(text) <= maxText && r.lines(allow, text) != nil && r.lines(deny, text) == nil
}

// ReadRules reads the rules in the file at path. The error wraps ErrRules and
// names the line, what is wrong with it, and the form of a rule.
func ReadRules(path string) (Rules, error) {
	f, err := os.Open(path)
	if err != nil {
		return Rules{}, fmt.Errorf("%w: %w", ErrRules, err)
	}
	defer f.Close()
	r, err := ParseRules(f)
	if err != nil {
		return Rules{}, fmt.Errorf("%w: %s: %w", ErrRules, path, err)
	}
	return r, nil
}

// ParseRules reads rules, one a line, in the form that rules.txt describes. A rule for
// whole lines needs no more than
//
//	deny  NAME /REGEX/ why
//	allow NAME /REGEX/
//
// REGEX is RE2, with (?s) on; a slash in it is written \/. A deny rule holds every
// line that it fits somewhere. An allow rule passes every line that it fits from
// beginning to end, and that no deny rule fits, without further checks.
func ParseRules(in io.Reader) (Rules, error) {
	t := new(table)
	if err := t.read(in, true); err != nil {
		return Rules{}, err
	}
	out := Rules{rows: t.rows}
	for _, r := range out.rows {
		r.name = "user:" + r.name
	}
	out.both = t.complete()
	return out, nil
}
