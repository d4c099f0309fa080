package guard

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/internal/runes"
	"github.com/glasstty/glasstty/session/input"
)

// Strokes yields the keys of an input.
type Strokes = iter.Seq[Stroke]

// A Look contains what a decision depends on.
type Look struct {
	Line    Line
	Past    Past
	Program Program
	Refused []Refusal
	Altered bool // the terminal changes typed characters: lines are not what they seem

	Front   string // the name of the program in front
	Modes   input.Modes
	Version uint64 // of the line
}

// A Decision is the judgement of an input.
type Decision struct {
	// Line and Past are the state after the input was typed, up to Cut.
	Line Line
	Past Past
	// Unread says that the line must first be read from the screen.
	Unread bool
	// Cut is where the input is cut, nil for nowhere: the key there submits a line that can
	// only be read from the screen, after the keys before it have been typed.
	Cut *Cut

	Submitted string           // the lines that are submitted
	Whole     string           // Submitted, after the unfinished lines before it
	Findings  []danger.Finding // the dangerous parts of these lines
	Marks     []string         // by which these lines are recognised, see Refusal
	Refused   *Refusal         // the earlier refusal of these lines by a person; nil for none
}

// Held reports whether the input may only be typed after a confirmation.
func (d *Decision) Held() bool { return len(d.Findings) > 0 || d.Refused != nil }

// A Cut is a place in an input: before Stroke.
type Cut struct {
	Stroke Stroke
	From   int // in the text of the stroke's item, the byte at which the stroke begins
}

// Check judges the lines that an input would submit. With allowed, they were judged and
// confirmed before, and Check has no findings.
func Check(c *danger.Checker, l Look, strokes Strokes, allowed bool) Decision {
	d := Decision{Line: l.Line.Clone(), Past: l.Past}
	if !d.Line.Sure {
		for range l.submissions(strokes) {
			d.Unread = true
			return d
		}
	}
	sub := submission{program: l.Program, clipped: l.Altered}
	var before Stroke
	broken := false
	var shown, maybe []string // the lines that are or may be submitted; those that may be
	for s := range strokes {
		may := d.Line.may(s, &l.Program)
		if (may || s.Does == Submits) && !d.Line.Sure {
			d.Cut = &Cut{Stroke: s}
			if before.Item == s.Item {
				d.Cut.From = before.At
			}
			break
		}
		before = s
		if text := string(d.Line.Text); s.Does == Submits {
			shown = append(shown, text)
		} else if may && !slices.Contains(maybe, text) {
			shown, maybe = append(shown, text), append(maybe, text)
		}
		switch s.Does {
		case Submits:
			sub.lines = append(sub.lines, string(d.Line.Text))
			sub.after, sub.back = string(d.Line.Beside), d.Line.Back
			sub.clipped = sub.clipped || d.Line.Clipped
		case Inserts:
			broken = broken || s.Rune == '\n' || s.Rune == '\r'
		case Abandons:
			d.Past.Script = "" // ctrl+c discards the unfinished lines
		}
		d.Line.Apply(s)
	}
	if len(sub.lines) > 0 {
		sub.judge(c, &d, l.Refused, allowed)
	} else if broken && !allowed {
		d.judgePaste(c, l, &sub)
	}
	if len(maybe) > 0 {
		d.judgeEach(c, l, maybe, allowed)
		d.Submitted, d.Whole = strings.Join(shown, "\n"), l.Past.Script+"\n"+strings.Join(shown, "\n")
	}
	return d
}

// judgeEach judges lines of which each may be submitted by itself. Of their effects, only
// variables are remembered.
func (d *Decision) judgeEach(c *danger.Checker, l Look, lines []string, allowed bool) {
	for _, line := range lines {
		sub := submission{program: l.Program, lines: []string{line}, after: string(d.Line.Beside), clipped: l.Altered || l.Line.Clipped}
		as := Decision{Past: Past{Script: l.Past.Script, Vars: d.Past.Vars}}
		sub.judge(c, &as, l.Refused, allowed)
		d.Findings, d.Marks, d.Past.Vars = append(d.Findings, as.Findings...), append(d.Marks, as.Marks...), as.Past.Vars
		if d.Refused == nil {
			d.Refused = as.Refused
		}
	}
}

// judgePaste judges a paste of several lines without an Enter after it. If the program has
// not asked for bracketed paste, it runs the lines.
func (d *Decision) judgePaste(c *danger.Checker, l Look, sub *submission) {
	sub.lines = strings.FieldsFunc(string(d.Line.Text), func(r rune) bool { return r == '\n' || r == '\r' })
	if len(sub.lines) == 0 {
		return
	}
	past := d.Past
	d.Past = l.Past
	sub.judge(c, d, l.Refused, false)
	d.Past = past
}

// submissions yields the lines that an input submits or may submit.
func (l *Look) submissions(strokes Strokes) iter.Seq[*Line] {
	return func(yield func(*Line) bool) {
		line := l.Line.Clone()
		for s := range strokes {
			if (s.Does == Submits || line.may(s, &l.Program)) && !yield(&line) {
				return
			}
			line.Apply(s)
		}
	}
}

// A submission is the lines that are submitted to the program in front.
type submission struct {
	lines      []string
	text       string // the lines, with the unfinished lines before them
	program    Program
	after      string // the text on the screen after the last line, see Line.Beside
	back       string // the text that may precede the last line, see Line.Back
	unfinished bool   // in the first of its languages, the lines are incomplete
	clipped    bool   // the screen shows only a part of one of the lines
}

// judge writes into d what is dangerous, and what later lines depend on.
func (s *submission) judge(c *danger.Checker, d *Decision, refused []Refusal, allowed bool) {
	d.Submitted = strings.Join(s.lines, "\n")
	if slices.Contains(s.program.Langs, danger.GDB) {
		if strings.TrimSpace(d.Submitted) == "" {
			d.Submitted = d.Past.Again
		}
		d.Past.Again = d.Submitted[strings.LastIndex(strings.TrimSpace(d.Submitted), "\n")+1:]
	} else {
		d.Past.Again = ""
	}
	d.Whole = d.Past.Script + "\n" + d.Submitted
	s.text = strings.TrimPrefix(d.Whole, "\n")
	if allowed {
		s.unfinished = len(s.program.Langs) > 0 && danger.Unfinished(s.program.Langs[0], s.text)
	} else {
		d.Findings = s.findings(c, d.Past)
		if len(d.Findings) > 0 || len(refused) > 0 {
			d.Marks = marksOf(c, s, d.Findings)
			d.Refused = RefusedBefore(refused, d.Marks)
		}
	}
	s.remember(&d.Past)
}

// findings returns the dangerous parts, and notes whether the submission is unfinished.
func (s *submission) findings(c *danger.Checker, past Past) []danger.Finding {
	var found []danger.Finding
	if s.clipped {
		found = append(found, danger.Finding{Rule: "unreadable", What: runes.Clip(s.text, maxShown), Why: "submits a line that the screen does not show as it is"})
	}
	for i, lang := range s.program.Langs {
		full := s.text
		if lang == danger.Shell && s.program.R {
			full = recalls().ReplaceAllString(full, "${1}fc -s ")
		}
		if lang == danger.Shell && len(past.Vars) > 0 {
			full = strings.Join(past.Vars, "\n") + "\n" + full
		}
		if lang == danger.SQL && danger.Unfinished(lang, s.text) {
			s.unfinished = s.unfinished || i == 0
			continue // nothing runs before the semicolon
		}
		found = append(found, c.Line(lang, full, s.program.Place)...)
		if s.after != "" && len(found) == 0 {
			found = c.Line(lang, full+s.after, s.program.Place)
		}
		if s.back != "" && len(found) == 0 {
			found = c.Line(lang, s.back+s.lines[len(s.lines)-1], s.program.Place)
		}
		if i == 0 {
			s.unfinished = danger.Unfinished(lang, s.text)
		}
	}
	return append(found, s.nested(c)...)
}

// maxShown is how many bytes of a line a finding or an error shows.
const maxShown = 200

// nested judges the lines after one that starts an interpreter, in the interpreter's
// language.
func (s *submission) nested(c *danger.Checker) []danger.Finding {
	for i, line := range s.lines[:len(s.lines)-1] {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if lang, ok := programLang(words[0]); ok && lang != danger.Shell && lang != danger.Data {
			return c.Line(lang, strings.Join(s.lines[i+1:], "\n"), s.program.Place)
		}
	}
	return nil
}

// remember records what later lines depend on.
func (s *submission) remember(p *Past) {
	p.Script = ""
	if s.unfinished && len(s.text) <= maxScript {
		p.Script = s.text
	}
	if len(s.program.Langs) == 0 || s.program.Langs[0] != danger.Shell {
		return
	}
	for _, line := range s.lines {
		if len(p.Vars) < maxVars && len(line) <= maxVarLine && setsVariable().MatchString(line) {
			p.Vars = append(p.Vars[:len(p.Vars):len(p.Vars)], line)
		}
	}
}

// recalls matches r as a command, which repeats a line in zsh and ksh.
var recalls = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)(^\s*|[;&|]\s*)r(?:[ \t]+|$)`) })

// setsVariable matches lines that only set variables, which may later be used as commands:
// X=rm, and fish's set X rm.
var setsVariable = sync.OnceValue(func() *regexp.Regexp {
	const plain = `'[^']*'|"[^"$` + "`" + `]*"|`
	return regexp.MustCompile(`^\s*(?:(?:export |declare |local |alias )?\s*[A-Za-z_][A-Za-z0-9_]*=(?:` + plain + `\([^()$` + "`" + `]*\)|[^\s;|&()$` + "`" + `]*)` +
		`|set(?:\s+-[A-Za-z-]+)*\s+[A-Za-z_][A-Za-z0-9_]*(?:\s+(?:` + plain + `[^\s;|&()$'"<>` + "`" + `]+))+)\s*$`)
})

// CheckBehind judges the lines after the first Enter of an input that answers a password
// question: when they are read, the program that asked may have ended. A dangerous line is
// an error. It is not held, because held inputs are shown, and the input contains the
// password.
func CheckBehind(c *danger.Checker, p Program, strokes Strokes) error {
	if len(p.Langs) == 0 { // it reads data
		return nil
	}
	var line Line
	line.Clear()
	answered := false
	sub := submission{program: p}
	for s := range strokes {
		if s.Does == Submits {
			if answered {
				sub.lines = append(sub.lines, string(line.Text))
			}
			answered = true
		}
		line.Apply(s)
	}
	if answered && len(line.Text) > 0 {
		sub.lines = append(sub.lines, string(line.Text))
	}
	if len(sub.lines) == 0 {
		return nil
	}
	var d Decision
	if sub.judge(c, &d, nil, false); len(d.Findings) == 0 {
		return nil
	}
	return fmt.Errorf("%w: nothing was typed, because a line behind it %s (%s); send the password alone, and then that line", ErrBehindSecret, d.Findings[0].Why, d.Findings[0].Rule)
}
