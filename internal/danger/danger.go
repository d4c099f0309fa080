package danger

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/internal/runes"
)

// A Finding is one reason to hold a line, that is, to ask for confirmation before it runs.
type Finding struct {
	Rule string // the rule's name, such as "delete"; "user:NAME" for a user's rule
	What string // the dangerous part of the line, at most 200 bytes; "" if the line exceeds a limit on reading
	Why  string // what this part does, without a subject: "wipes the shell's history"
}

// Lang is the language in which a line is read.
type Lang string

// The languages that programs read from a terminal. rules.txt also has rules for others, such as powershell.
const (
	Shell  Lang = "sh"
	SQL    Lang = "sql"
	Redis  Lang = "redis"
	Mongo  Lang = "mongo"
	Python Lang = "python"
	Node   Lang = "node"
	Ruby   Lang = "ruby"
	Perl   Lang = "perl" // and languages with similar calls: PHP, Lua, R, Julia, Elixir, Java, Lisps
	Vim    Lang = "vim"  // command line of an editor or pager: only text for a shell is read
	GDB    Lang = "gdb"  // command line of a debugger: text for a shell or Python, and written files
	// Client is for programs that execute their own commands on another machine and pass
	// what follows a ! to a local shell: sftp, ftp, smbclient.
	Client Lang = "client"
	Data   Lang = "" // text that is not run; a rule with Data is for whole lines in any language
)

// A Place is where a line runs.
type Place struct {
	Dir  string // absolute working directory; "" if unknown
	Home string // home directory; "" if unknown
}

// A Checker judges lines by the built-in rules and the user's. It is safe for concurrent
// use. The zero value uses the built-in rules only.
type Checker struct {
	rules *table // the user's rules, followed by the built-in ones; nil in the zero value
}

// New returns a Checker that also follows the user's rules, which precede the built-in ones.
// The user's rules are one per line, in the form that rules.txt describes. A rule for whole
// lines needs only
//
//	deny  NAME /REGEX/ why
//	allow NAME /REGEX/
//
// REGEX is RE2, in which a dot also matches a line break, and a slash is written \/. A deny rule
// holds every line that contains a match. An allow rule lets a line pass without further checks if
// it matches the whole line, no such deny rule matches, and the line has at most 256 KiB. An error
// gives the number of the invalid line, unless the line is too long or there are too many lines.
func New(rules io.Reader) (*Checker, error) {
	t := new(table)
	if err := t.read(rules); err != nil {
		return nil, err
	}
	for _, r := range t.rows {
		r.name = "user:" + r.name
	}
	return &Checker{rules: t.addBuiltin()}, nil
}

// Limits on one check.
const (
	maxText     = 256 << 10 // bytes that are read, in addition to heredocs that a shell does not expand
	maxSteps    = 50_000    // units of work, such as a command or a statement, and one more per byte up to maxText
	stepBytes   = 16        // bytes of nested text that count as one unit of work
	maxNest     = 12        // depth of commands inside commands: sh -c, eval, ssh
	maxFindings = 8         // findings of one check; later ones are dropped
	maxWhat     = 200       // bytes of a Finding's What
	maxRan      = 1000      // commands that Commands returns
)

// A check is the state of judging one line.
type check struct {
	place       Place
	table       *table
	steps       int // units of work that are left, see withinBudget
	nest        int // how deep the current text is nested in the line
	found       []Finding
	inContainer bool              // the text runs in a container, which has its own directories
	bodies      map[string]string // heredoc bodies that were taken out and not yet read, by mark (see takeBodies)
	marks       int               // number of bodies taken out
	onCommand   func([]field)     // called with the words of each command, unless nil
}

// check returns the findings of judge and of the user's rules for whole lines, or nil if one of
// these rules allows line.
func (c *Checker) check(line string, at Place, judge func(*check)) []Finding {
	t := c.rules
	if t == nil {
		t = builtin()
	}
	if t.allows(line) {
		return nil
	}
	k := &check{place: at, table: t, steps: maxSteps + min(len(line), maxText), bodies: map[string]string{}}
	judge(k)
	for _, body := range k.bodies {
		k.add("unreadable", body, "follows what looks like the start of a heredoc")
	}
	line = strings.ReplaceAll(line, "\\\n", "") // a shell joins these lines
	for _, r := range t.lineRules(deny, line) {
		what := line
		if len(line) > maxWhat {
			what = r.re().FindString(line) // so that a person can find the match
		}
		k.add(r.name, what, r.why)
	}
	return k.found
}

// CheckLine returns what is dangerous in text read as lang, or nil. If the text is too long (see
// maxText), only its beginning and end are read, and a finding says so.
func (c *Checker) CheckLine(lang Lang, text string, at Place) []Finding {
	return c.check(text, at, func(k *check) {
		rest := text
		if lang == Shell {
			rest = k.takeBodies(text)
		}
		if len(rest) <= maxText || lang == Data {
			k.judge(lang, rest)
			return
		}
		k.add("unreadable", "", fmt.Sprintf("is too long to be read: %d bytes, of which the first and last %d are (put it into a file, or into a heredoc whose delimiter is quoted)", len(rest), maxText/2))
		k.judge(lang, strings.ToValidUTF8(rest[:maxText/2], ""))
		k.judge(lang, strings.ToValidUTF8(rest[len(rest)-maxText/2:], ""))
	})
}

// CheckCommand returns what is dangerous in running a program with arguments, without a shell.
func (c *Checker) CheckCommand(argv []string, at Place) []Finding {
	return c.check(strings.Join(argv, " "), at, func(k *check) {
		newShell(k).run(fieldsOf(argv), stream{tty: true})
	})
}

// fieldsOf returns arguments as fields, without NUL bytes: in a field, a NUL stands for unknown text.
func fieldsOf(argv []string) []field {
	args := make([]field, len(argv))
	for i, a := range argv {
		args[i] = field{text: strings.ReplaceAll(a, string(unknown), "")}
	}
	return args
}

// CheckEnvironment returns what is dangerous in starting a program with the environment variables
// env, for example because programs run the values of some variables as commands.
func (c *Checker) CheckEnvironment(env map[string]string, at Place) []Finding {
	var found []Finding
	for _, name := range slices.Sorted(maps.Keys(env)) {
		line := name + "=" + strings.ReplaceAll(env[name], string(unknown), "")
		found = append(found, c.check(line, at, func(k *check) {
			if s := newShell(k); !s.judgeText("environment", line) {
				s.judgeText("variable", line)
			}
		})...)
	}
	return found[:min(len(found), maxFindings)]
}

// Commands returns the commands that running argv runs, at most 1000: argv first, then commands
// in its arguments, for example in those of env, sudo, sh -c and find -exec. Each command is a name
// and its arguments, with U+FFFD for unknown text.
func Commands(argv []string) [][]string {
	var ran [][]string
	k := &check{table: builtin(), steps: maxSteps, bodies: map[string]string{}, onCommand: func(args []field) {
		var cmd []string
		for _, a := range args {
			cmd = append(cmd, strings.ReplaceAll(a.text, string(unknown), "\uFFFD"))
		}
		if len(ran) < maxRan {
			ran = append(ran, cmd)
		}
	}}
	newShell(k).run(fieldsOf(argv), stream{tty: true})
	return ran
}

// withinBudget counts a unit of work, and reports whether it is within the limit. At the limit,
// withinBudget adds a finding, so that a line that takes too long to check is held.
func (k *check) withinBudget() bool {
	if k.steps--; k.steps == 0 {
		k.add("unreadable", "", "has more commands than can be read in reasonable time")
	}
	return k.steps > 0
}

// add adds a finding unless there is one with this rule and reason, or there are maxFindings.
func (k *check) add(rule, what, why string) {
	if slices.ContainsFunc(k.found, func(f Finding) bool { return f.Rule == rule && f.Why == why }) || len(k.found) == maxFindings {
		return
	}
	k.found = append(k.found, Finding{Rule: rule, What: shorten(what), Why: why})
}

// nested calls f to read text, which is nested in the current text. Beyond maxNest levels, nested
// adds a finding instead. It counts units of work for the length of text; otherwise, very many
// commands that each evaluate a variable of maxValue bytes would take minutes.
func (k *check) nested(text string, f func()) {
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

func (k *check) judge(lang Lang, text string) {
	s := newShell(k)
	switch lang {
	case Shell:
		s.judgeText(Shell, text)
		s.readText(text)
	case SQL:
		s.judgeStatements(text)
	case Python, Node, Ruby, Perl:
		s.judgeScript(lang, text)
	default:
		if s.judgeText(lang, text); lang == "powershell" {
			s.readText(strings.ReplaceAll(text, `\`, "/"))
		}
	}
}

// shorten returns text for a finding: at most maxWhat bytes, in one line, with … for unknown parts.
func shorten(text string) string {
	text = strings.ReplaceAll(text[:min(len(text), 4*maxWhat)], string(unknown), "…")
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "")
	return runes.Clip(text, maxWhat-len("…"))
}
