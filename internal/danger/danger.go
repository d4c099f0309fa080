package danger

import (
	"path"
	"strings"
)

// A Finding is one reason to hold a line.
type Finding struct {
	Rule string // its id, such as "delete"; "user:NAME" for one of the user's
	What string // the part concerned, at most maxWhat bytes
	Why  string // a clause: "deletes /etc and all below it"
}

// maxWhat bounds a Finding's What, in bytes.
const maxWhat = 200

// Lang is the language in which a line is read.
type Lang string

// The languages. Other text is for programs of which nothing is known.
const (
	Shell  Lang = "sh"
	SQL    Lang = "sql"
	Redis  Lang = "redis"
	Mongo  Lang = "mongo"
	Python Lang = "python"
	Node   Lang = "node"
	Ruby   Lang = "ruby"
	Perl   Lang = "perl" // and the languages whose calls look like its: PHP, Lua, R, Julia, Elixir, Lisps
	Vim    Lang = "vim"  // an editor's or pager's command line: only what it hands to a shell
	GDB    Lang = "gdb"  // a debugger's, the same
	// Client is for programs that work on another machine by commands of their own
	// and hand what stands behind a ! to a shell here: sftp, ftp, smbclient.
	Client Lang = "client"
	Data   Lang = "" // text that nobody runs
)

// A Place is where a line runs.
type Place struct {
	Dir  string // working directory, absolute; "" when unknown
	Home string // home directory; "" when unknown
}

// A Checker judges lines by the built-in rules and the user's. It is safe for
// concurrent use. The zero value has the built-in rules.
type Checker struct {
	rules Rules
}

// New returns a Checker that also follows the user's rules.
func New(r Rules) *Checker { return &Checker{rules: r} }

// Line returns what is dangerous in text, read as lang, most of it once; nil
// when nothing is.
func (c *Checker) Line(lang Lang, text string, at Place) []Finding {
	return c.line(lang, text, at).found
}

// Read is Line, and Unfinished of the same text, for the work of one.
func (c *Checker) Read(lang Lang, text string, at Place) (found []Finding, unfinished bool) {
	k := c.line(lang, text, at)
	if lang != Shell || k.parsed != text {
		return k.found, Unfinished(lang, text)
	}
	return k.found, unfinishedShell(text, func() error { return k.parseErr })
}

// line reads a line.
func (c *Checker) line(lang Lang, text string, at Place) *check {
	k := &check{at: at, rules: &c.rules, steps: maxSteps + len(text)}
	if !c.rules.allows(text) {
		k.text(lang, text)
		k.user(strings.ReplaceAll(text, "\\\n", "")) // as a shell joins lines
	}
	return k
}

// Command returns what is dangerous in running a program with arguments, without
// a shell between.
func (c *Checker) Command(argv []string, at Place) []Finding {
	k := &check{at: at, rules: &c.rules, steps: maxSteps}
	line := strings.Join(argv, " ")
	if c.rules.allows(line) || len(argv) == 0 {
		return nil
	}
	s := newShell(k)
	args := make([]field, len(argv))
	for i, a := range argv {
		args[i] = field{s: strings.ReplaceAll(a, string(unknown), "")}
	}
	s.run(args, stream{tty: true})
	k.user(line)
	return k.found
}

// Commands returns the commands that running argv runs, argv first, then those in
// its arguments: of env, sudo, sh -c, find -exec and their like. Each is a name and
// its arguments, with U+FFFD for what cannot be told.
func Commands(argv []string) [][]string {
	var ran [][]string
	k := &check{rules: new(Rules), steps: maxSteps, ran: func(args []field) {
		cmd := make([]string, len(args))
		for i, a := range args {
			cmd[i] = strings.ReplaceAll(a.s, string(unknown), "\uFFFD")
		}
		if len(ran) < maxRan {
			ran = append(ran, cmd)
		}
	}}
	args := make([]field, len(argv))
	for i, a := range argv {
		args[i] = field{s: a}
	}
	newShell(k).run(args, stream{tty: true})
	return ran
}

// maxRan is how many commands Commands returns.
const maxRan = 1000

// Bounds of one check.
const (
	maxSteps    = 50_000 // simple commands, statements and calls that are looked at, and one more a byte
	stepBytes   = 16     // bytes of text inside text that cost a step
	maxNest     = 12     // commands inside commands: sh -c, eval, ssh
	maxFindings = 8
)

// A check is the judging of one line.
type check struct {
	at     Place
	rules  *Rules
	steps  int
	nest   int
	found  []Finding
	boxed  bool               // what is read runs in a container, with directories of its own
	bodies map[string]*body   // of heredocs, taken out of the text: by their marks
	ran    func(args []field) // is told of every command, when not nil

	reader
}

// step counts a piece of work and reports whether there may be more. The end is
// a finding: a line that is too much to read is not passed.
func (k *check) step() bool {
	if k.steps--; k.steps > 0 {
		return true
	}
	if k.steps == 0 {
		k.add("unreadable", "", "has more commands than can be read in reasonable time")
	}
	return false
}

// add adds a finding unless it is there or there are enough.
func (k *check) add(rule, what, why string) {
	what = shown(what)
	for _, f := range k.found {
		if f.Rule == rule && f.Why == why {
			return
		}
	}
	if len(k.found) < maxFindings {
		k.found = append(k.found, Finding{Rule: rule, What: what, Why: why})
	}
}

// user adds the findings of the user's own deny rules.
func (k *check) user(text string) {
	for _, d := range k.rules.denied(text) {
		what := text
		if len(text) > maxWhat {
			what = d.Pattern.FindString(text) // so that a person finds it there
		}
		k.add("user:"+d.Name, what, d.reason())
	}
}

// inside reads text as lang, one level further in.
func (k *check) inside(lang Lang, text string) {
	if k.deeper(text) {
		k.text(lang, text)
		k.up()
	}
}

// deeper goes one level further in, to read text, and reports whether that is not
// too deep; up comes back. Text that is read again and again costs steps by its
// length: else a variable of maxValue bytes, evaluated in each of a megabyte's
// commands, would take minutes.
func (k *check) deeper(text string) bool {
	if k.nest >= maxNest {
		k.add("unreadable", text, "has commands inside commands too deep to be read")
		return false
	}
	if k.steps > 0 {
		k.steps = max(1, k.steps-len(text)/stepBytes)
	}
	k.nest++
	return true
}

func (k *check) up() { k.nest-- }

// text reads text as lang.
func (k *check) text(lang Lang, text string) {
	switch lang {
	case Shell:
		newShell(k).source(text)
	case SQL:
		k.sql(text)
	case Redis:
		k.redis(strings.Fields(text))
	case Mongo:
		k.mongo(text)
	case Python, Node, Ruby, Perl:
		k.script(lang, text)
	case Vim, GDB, Client:
		k.escapes(lang, text)
	}
}

// shown returns text as a finding quotes it: short, one line, unknown parts as …
func shown(text string) string {
	text = strings.ReplaceAll(text, string(unknown), "…")
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxWhat {
		text = strings.ToValidUTF8(text[:maxWhat-len("…")], "") + "…"
	}
	return text
}

// base returns the last element of the path of a program.
func base(name string) string { return path.Base(name) }
