package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A program is one program of the zoo, read from its script.
type program struct {
	name    string
	about   string
	command string   // as typed in a shell
	needs   []string // programs that must be installed
	places  []string // where it is run
	before  []string // shell lines that prepare its directory
	after   []string // shell lines that end what before started
	env     []string
	bars    []string // texts of lines that belong to a prompt
	steps   []step
}

// A step is what is typed in one call, and what a person sees afterwards.
type step struct {
	line    int    // in the script
	verb    string // start, line, text, keys or wait
	text    string
	keys    []string
	with    map[string]any // further arguments of the call
	see     []expect       // what must be in the reply
	shows   []expect       // what must be on the screen, and may be left out of the reply as echo
	not     []expect       // what must not be, as it is not on the screen
	reasons []string       // those allowed; any but timeout when empty
	end     bool           // the program ends: exited, or the shell's prompt
	spins   bool           // the screen does not come to rest after it
}

// An expect is a text to be found, ignoring blanks, or a regular expression.
type expect struct {
	text string
	re   *regexp.Regexp
}

func (e expect) String() string { return e.text }

// in reports whether the text is in s.
func (e expect) in(s string) bool {
	if e.re != nil {
		return e.re.MatchString(s)
	}
	return strings.Contains(squash(s), squash(e.text))
}

// The places at which a program is run.
const (
	direct = "direct"
	inBash = "bash"
	inZsh  = "zsh"
)

// readScripts reads all scripts of a directory, in order of their names.
func readScripts(dir string) ([]program, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	var all []program
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		p, err := parseScript(strings.TrimSuffix(filepath.Base(f), ".txt"), string(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// parseScript reads one script: a head of "word value" lines, then steps of which
// each has its expectations indented below it.
func parseScript(name, data string) (program, error) {
	p := program{name: name, places: []string{direct, inBash, inZsh}}
	for i, line := range strings.Split(data, "\n") {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		rest = strings.TrimSpace(rest)
		var err error
		switch {
		case word == "":
		case word == "#":
			if p.about == "" {
				p.about = rest
			}
		case line[0] == ' ' || line[0] == '\t':
			if len(p.steps) == 0 {
				err = fmt.Errorf("%q belongs to no step", word)
			} else {
				err = p.steps[len(p.steps)-1].add(word, rest)
			}
		case p.head(word, rest):
		default:
			err = p.step(i+1, word, rest)
		}
		if err != nil {
			return p, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	if p.command == "" || len(p.steps) == 0 || p.steps[0].verb != "start" {
		return p, fmt.Errorf("a script needs a command, and begins with the step start")
	}
	return p, nil
}

// head reads a line of the script's head and reports whether it is one.
func (p *program) head(word, rest string) bool {
	switch word {
	case "command":
		p.command = rest
	case "needs":
		p.needs = strings.Fields(rest)
	case "places":
		p.places = strings.Fields(rest)
	case "before":
		p.before = append(p.before, rest)
	case "after":
		p.after = append(p.after, rest)
	case "bar":
		p.bars = append(p.bars, rest)
	case "env":
		p.env = append(p.env, rest)
	default:
		return false
	}
	return true
}

// step adds a step.
func (p *program) step(line int, verb, rest string) error {
	s := step{line: line, verb: verb, with: map[string]any{}}
	switch verb {
	case "start", "wait":
		s.text = rest
	case "line", "text":
		s.text = rest
		if strings.HasPrefix(rest, `"`) {
			var err error
			if s.text, err = strconv.Unquote(rest); err != nil {
				return err
			}
		}
	case "keys":
		s.keys = strings.Fields(rest)
	default:
		return fmt.Errorf("unknown word %q", verb)
	}
	p.steps = append(p.steps, s)
	return nil
}

// add adds an indented line to the step.
func (s *step) add(word, rest string) error {
	switch word {
	case "see", "shows", "not":
		e, err := parseExpect(rest)
		if err != nil {
			return err
		}
		list := map[string]*[]expect{"see": &s.see, "shows": &s.shows, "not": &s.not}[word]
		*list = append(*list, e)
	case "reason":
		s.reasons = strings.Fields(rest)
	case "end":
		s.end = true
	case "spins":
		s.spins = true
	case "with":
		for _, arg := range strings.Fields(rest) {
			name, value, ok := strings.Cut(arg, "=")
			if !ok {
				return fmt.Errorf("%q is not name=value", arg)
			}
			s.with[name] = value
			if n, err := strconv.ParseFloat(value, 64); err == nil {
				s.with[name] = n
			}
		}
	default:
		return fmt.Errorf("unknown word %q below a step", word)
	}
	return nil
}

func parseExpect(s string) (expect, error) {
	if len(s) > 2 && s[0] == '/' && s[len(s)-1] == '/' {
		re, err := regexp.Compile("(?m)" + s[1:len(s)-1])
		return expect{text: s, re: re}, err
	}
	if s == "" {
		return expect{}, fmt.Errorf("an expectation is empty")
	}
	return expect{text: s}, nil
}

// allows reports whether a reply may have this reason.
func (s *step) allows(place, reason string) bool {
	switch {
	case s.end && place == direct:
		return reason == "exited"
	case s.end:
		return reason == "prompt"
	case len(s.reasons) > 0:
		return slices.Contains(s.reasons, reason)
	}
	return reason != "timeout" && reason != "exited"
}

// wanted returns the allowed reasons.
func (s *step) wanted(place string) string {
	switch {
	case s.end && place == direct:
		return "exited"
	case s.end:
		return "prompt"
	}
	return strings.Join(s.reasons, " ")
}

// typed returns the part of the step that is echoed: its text.
func (s *step) typed() string {
	if s.verb != "keys" {
		return s.text
	}
	var b strings.Builder
	for _, k := range s.presses() {
		b.WriteString(k.text)
	}
	return b.String()
}

// String returns the step as shown in reports.
func (s *step) String() string {
	if s.verb == "keys" {
		return "keys " + strings.Join(s.keys, " ")
	}
	return strings.TrimSpace(s.verb + " " + s.text)
}
