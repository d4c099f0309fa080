package danger

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/internal/runes"
	"mvdan.cc/sh/v3/syntax"
)

// A Finding is one reason to hold a line.
type Finding struct {
	Rule string // its name, such as "delete"; "user:NAME" for one of the user's
	What string // the part concerned, at most maxWhat bytes
	Why  string // a clause: "deletes /etc and all below it"
}

// Lang is the language in which a line is read.
type Lang string

// The languages that programs read from a terminal. The table has more, of its own.
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
type Checker struct{ rules Rules }

// New returns a Checker that also follows the user's rules.
func New(r Rules) *Checker { return &Checker{rules: r} }

// table returns the rules, the user's first.
func (c *Checker) table() *table {
	if c.rules.both == nil {
		return builtin()
	}
	return c.rules.both
}

// The bounds of one check.
const (
	maxText     = 256 << 10 // bytes that are read; the bodies of quoted heredocs come on top
	maxSteps    = 50_000    // simple commands, statements and calls that are looked at, and one more a byte
	stepBytes   = 16        // bytes of text inside text that cost a step
	maxNest     = 12        // commands inside commands: sh -c, eval, ssh
	maxFindings = 8
	maxWhat     = 200  // bytes of a Finding's What
	maxRan      = 1000 // commands that Commands returns
)

// A check is the judging of one line.
type check struct {
	at     Place
	table  *table
	parser *syntax.Parser // nil until something is parsed
	steps  int
	nest   int
	found  []Finding
	boxed  bool              // what is read runs in a container, with directories of its own
	bodies map[string]string // of heredocs, taken out of the text, not read yet: by their marks
	marks  int               // how many were
	ran    func([]field)     // is told of every command, when not nil
}

// check judges line by f and by the user's rules for whole lines, unless one of them allows
// the line.
func (c *Checker) check(line string, at Place, f func(*check)) []Finding {
	if c.rules.allows(line) {
		return nil
	}
	k := &check{at: at, table: c.table(), steps: maxSteps + min(len(line), maxText)}
	f(k)
	for _, body := range k.bodies {
		k.add("unreadable", body, "stands behind what looks like the start of a heredoc")
	}
	line = strings.ReplaceAll(line, "\\\n", "") // as a shell joins lines
	for _, r := range c.rules.lines(deny, line) {
		what := line
		if len(line) > maxWhat {
			what = r.re.get().FindString(line) // so that a person finds it there
		}
		k.add(r.name, what, r.why)
	}
	return k.found
}

// Line returns what is dangerous in text read as lang, nil when nothing is. Of a text that
// is too long only the beginning and the end are read, and a finding says so.
func (c *Checker) Line(lang Lang, text string, at Place) []Finding {
	return c.check(text, at, func(k *check) {
		rest := text
		if lang == Shell {
			rest = k.takeBodies(text)
		}
		if len(rest) <= maxText || lang == Data {
			k.text(lang, rest)
			return
		}
		k.add("unreadable", "", fmt.Sprintf("is too long to be read: %d bytes, of which the first and last %d are (put it into a file, or into a heredoc whose delimiter is quoted)", len(rest), maxText/2))
		k.text(lang, strings.ToValidUTF8(rest[:maxText/2], ""))
		k.text(lang, strings.ToValidUTF8(rest[len(rest)-maxText/2:], ""))
	})
}

// Command returns what is dangerous in running a program with arguments, without
// a shell between.
func (c *Checker) Command(argv []string, at Place) []Finding {
	return c.check(strings.Join(argv, " "), at, func(k *check) {
		newShell(k).run(fieldsOf(argv), stream{tty: true})
	})
}

// fieldsOf returns words as they are given to a program.
func fieldsOf(argv []string) []field {
	args := make([]field, len(argv))
	for i, a := range argv {
		args[i] = field{s: strings.ReplaceAll(a, string(unknown), "")}
	}
	return args
}

// Environment returns what is dangerous in starting a program with variables: those
// whose values programs run are read as commands.
func (c *Checker) Environment(env map[string]string, at Place) []Finding {
	var found []Finding
	for _, name := range slices.Sorted(maps.Keys(env)) {
		line := name + "=" + strings.ReplaceAll(env[name], string(unknown), "")
		found = append(found, c.check(line, at, func(k *check) {
			if s := newShell(k); !s.matches("environment", line) {
				s.matches("variable", line)
			}
		})...)
	}
	return found[:min(len(found), maxFindings)]
}

// Commands returns the commands that running argv runs, argv first, then those in
// its arguments: of env, sudo, sh -c, find -exec and their like. Each is a name and
// its arguments, with U+FFFD for what cannot be told.
func Commands(argv []string) [][]string {
	var ran [][]string
	k := &check{table: builtin(), steps: maxSteps, ran: func(args []field) {
		var cmd []string
		for _, a := range args {
			cmd = append(cmd, strings.ReplaceAll(a.s, string(unknown), "\uFFFD"))
		}
		if len(ran) < maxRan {
			ran = append(ran, cmd)
		}
	}}
	newShell(k).run(fieldsOf(argv), stream{tty: true})
	return ran
}

// step counts a piece of work and reports whether there may be more. The end is
// a finding: a line that is too much to read is not passed.
func (k *check) step() bool {
	if k.steps--; k.steps == 0 {
		k.add("unreadable", "", "has more commands than can be read in reasonable time")
	}
	return k.steps > 0
}

// add adds a finding unless it is there or there are enough.
func (k *check) add(rule, what, why string) {
	if slices.ContainsFunc(k.found, func(f Finding) bool { return f.Rule == rule && f.Why == why }) || len(k.found) == maxFindings {
		return
	}
	k.found = append(k.found, Finding{Rule: rule, What: shown(what), Why: why})
}

// deeper does f, which reads text, one level further in, unless that is too deep. Text
// that is read again and again costs steps by its length: else a variable of maxValue
// bytes, evaluated in each of a megabyte's commands, would take minutes.
func (k *check) deeper(text string, f func()) {
	if k.nest >= maxNest {
		k.add("unreadable", text, "has commands inside commands too deep to be read")
		return
	}
	if k.steps > 0 {
		k.steps = max(1, k.steps-len(text)/stepBytes)
	}
	k.nest++
	f()
	k.nest--
}

// text reads text as lang.
func (k *check) text(lang Lang, text string) {
	s := newShell(k)
	switch lang {
	case Shell:
		s.matches(Shell, text)
		s.source(text)
	case SQL:
		s.statements(text)
	case Python, Node, Ruby, Perl:
		s.script(lang, text)
	default:
		if s.matches(lang, text); lang == "powershell" {
			s.source(strings.ReplaceAll(text, `\`, "/"))
		}
	}
}

// shown returns text as a finding quotes it: short, one line, unknown parts as …
func shown(text string) string {
	text = strings.ReplaceAll(text[:min(len(text), 4*maxWhat)], string(unknown), "…")
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "")
	return runes.Clip(text, maxWhat-len("…"))
}
