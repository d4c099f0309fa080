package guard

import (
	"errors"
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

// Keystrokes yields the keys of an input.
type Keystrokes = iter.Seq[Keystroke]

// A View is the state of a session on which a decision about an input depends.
type View struct {
	Line         Line
	Past         Past
	Program      Program
	SessionShell *Program  // the session's shell, which reads the rest if Program ends; nil if Program is the shell
	Settled      bool      // Program has handled earlier input, or Busy is true; else that input may start or end one
	Busy         bool      // Program has not handled earlier input in time: it may still start another program
	Refused      []Refusal // the refusals in the session
	Altered      bool      // the terminal changes typed characters, as with istrip: Program may read a different line

	Foreground string // the name of the foreground program
	Modes      input.Modes
	Version    uint64 // Editing.Version
}

// A Decision is the judgement of an input.
type Decision struct {
	// Line and Past are the state after the input was typed, up to Cut.
	Line Line
	Past Past
	// Undecided reports that nothing can be decided yet, because the line must be read from the
	// screen, or the earlier input may have ended the foreground program or started another one.
	// The caller waits until the program has handled the earlier input.
	Undecided bool
	// Cut, if not nil, says where to cut the input. The keys before the cut may be typed now. After
	// that, the rest must be checked again, because the line that it submits can only be read from the
	// screen, or because another program may read the rest.
	Cut *Cut

	Submitted    string           // the lines that are submitted
	FullText     string           // the unfinished earlier lines, and then Submitted
	Findings     []danger.Finding // the dangerous parts of the submitted lines
	Fingerprints []string         // of the submitted lines, see Refusal; empty if there are no findings and no refusals
	Refused      *Refusal         // the latest refusal by a person that applies to the submitted lines, or nil
}

// Held reports whether the input may only be typed after a confirmation.
func (d *Decision) Held() bool { return len(d.Findings) > 0 || d.Refused != nil }

// A Cut is the position in an input just before a keystroke.
type Cut struct {
	Keystroke Keystroke
	From      int // the byte at which the keystroke begins in the text of its item
}

// Check judges the lines that an input would submit. If allowed is true, the whole input was judged and
// confirmed before. In that case, Check returns no findings, and does not cut the input where another
// program may read the rest.
func Check(c *danger.Checker, l View, keys Keystrokes, allowed bool) Decision {
	if l.Busy {
		l.Program.Langs = slices.Concat(l.Program.Langs, l.Program.startable())
	}
	d := l.check(c, keys, allowed, -1)
	if allowed || d.Held() || d.Undecided {
		return d
	}
	at := l.cutBeforeStart(c, keys) // the index of the first key that another program may read, or -1
	if at < 0 && l.SessionShell != nil {
		at = l.cutBeforeExit(c, keys)
	}
	switch {
	case at == 0:
		return Decision{Line: l.Line.Clone(), Past: l.Past, Undecided: true}
	case at > 0:
		return l.check(c, keys, allowed, at)
	}
	return d
}

// check judges the keys before index end, or all of them if end is -1, as input of the
// foreground program.
func (l *View) check(c *danger.Checker, keys Keystrokes, allowed bool, end int) Decision {
	d := Decision{Line: l.Line.Clone(), Past: l.Past}
	if !d.Line.Known {
		for range l.submissions(keys) { // at least one line is submitted
			d.Undecided = true
			return d
		}
	}
	at := -1
	sub := submission{program: l.Program, clipped: l.Altered}
	var before Keystroke
	multiline := false
	var possible []string // the lines that are or may be submitted
	var alone [][]string  // groups of these lines; each group may be submitted without the others
	for s := range keys {
		s.Effect = l.Program.effect(s, &d.Line)
		maySubmit := d.Line.maySubmit(s, &l.Program)
		if at++; at == end || (maySubmit || s.Effect == Submits) && (!d.Line.Known || d.Line.RecallUnseen && at > 0) {
			d.Cut = &Cut{Keystroke: s}
			if before.Item == s.Item { // else s is the first key of its item
				d.Cut.From = before.At
			}
			break
		}
		before = s
		if maySubmit || s.Effect == Submits {
			text := string(d.Line.Text)
			if maySubmit && s.Rune == commentKey { // the key adds comment signs, or removes them
				text = strings.TrimPrefix(strings.ReplaceAll("\n"+text, "\n#", "\n"), "\n")
			}
			if s.Effect == Submits {
				possible = append(possible, text)
			} else if !slices.ContainsFunc(alone, func(m []string) bool { return m[0] == text }) {
				possible, alone = append(possible, text), append(alone, []string{text})
			}
		}
		switch s.Effect {
		case Submits:
			sub.lines = append(sub.lines, string(d.Line.Text))
			sub.textAfter, sub.textBefore = string(d.Line.AfterLine), d.Line.Unstashed+d.Line.PromptTail
			sub.clipped = sub.clipped || d.Line.unreadable(&l.Program)
		case Inserts:
			multiline = multiline || s.Rune == '\n' || s.Rune == '\r'
		case Abandons:
			d.Past.Script = "" // ctrl+c discards the unfinished lines
		}
		d.Line.Apply(s)
	}
	if len(sub.lines) > 0 {
		sub.judge(c, &d, l.Refused, allowed)
	} else if multiline && !allowed { // a program that has not asked for bracketed paste runs the lines
		if lines := strings.FieldsFunc(string(d.Line.Text), func(r rune) bool { return r == '\n' || r == '\r' }); len(lines) > 0 {
			possible, alone = append(possible, lines...), append(alone, lines)
		}
	}
	if len(alone) > 0 {
		d.judgeEach(c, l, alone, allowed)
		d.Submitted = strings.Join(possible, "\n")
		d.FullText = l.Past.Script + "\n" + d.Submitted
	}
	return d
}

// judgeEach judges groups of lines, each of which may be submitted without the others. For later lines,
// it remembers only the variables that they set, because it is not known which of the lines will run.
func (d *Decision) judgeEach(c *danger.Checker, l *View, groups [][]string, allowed bool) {
	for _, lines := range groups {
		sub := submission{program: l.Program, lines: lines, textAfter: string(d.Line.AfterLine), clipped: l.Altered || l.Line.unreadable(&l.Program)}
		single := Decision{Past: Past{Script: l.Past.Script, Vars: d.Past.Vars}}
		sub.judge(c, &single, l.Refused, allowed)
		d.Findings, d.Fingerprints, d.Past.Vars = append(d.Findings, single.Findings...), append(d.Fingerprints, single.Fingerprints...), single.Past.Vars
		if d.Refused == nil {
			d.Refused = single.Refused
		}
	}
}

// submissions yields the lines that an input submits or may submit.
func (l *View) submissions(keys Keystrokes) iter.Seq[*Line] {
	return func(yield func(*Line) bool) {
		line := l.Line.Clone()
		for s := range keys {
			s.Effect = l.Program.effect(s, &line)
			if (s.Effect == Submits || line.maySubmit(s, &l.Program)) && !yield(&line) {
				return
			}
			line.Apply(s)
		}
	}
}

// judge judges lines that p reads at its prompt.
func (l *View) judge(c *danger.Checker, p Program, lines []string) Decision {
	d := Decision{Past: Past{Vars: l.Past.Vars}}
	sub := submission{program: p, lines: lines}
	sub.judge(c, &d, l.Refused, false)
	return d
}

// A submission is the lines that are submitted to a program.
type submission struct {
	lines      []string
	text       string // the lines, with the unfinished lines before them
	program    Program
	textAfter  string // the text on the screen after the last line, see Line.AfterLine
	textBefore string // the text that may precede the last line, see Line.Unstashed and Line.PromptTail
	unfinished bool   // in the program's first language, the lines are incomplete
	clipped    bool   // the program may read lines other than those in lines: see View.Altered and Line.unreadable
}

// judge sets the findings and the refusal in d, and updates d.Past for the lines that follow. If allowed
// is true, it does not look for findings or refusals.
func (s *submission) judge(c *danger.Checker, d *Decision, refused []Refusal, allowed bool) {
	d.Submitted = strings.Join(s.lines, "\n")
	if slices.Contains(s.program.Langs, danger.GDB) {
		if strings.TrimSpace(d.Submitted) == "" {
			d.Submitted = d.Past.RepeatOnEmpty
		}
		last := strings.TrimRight(d.Submitted, " \t\n")
		d.Past.RepeatOnEmpty = last[strings.LastIndex(last, "\n")+1:]
	} else {
		d.Past.RepeatOnEmpty = ""
	}
	d.FullText = d.Past.Script + "\n" + d.Submitted
	s.text = strings.TrimPrefix(d.FullText, "\n")
	if len(s.program.Langs) > 0 {
		lang := s.program.Langs[0]
		s.unfinished = danger.Incomplete(lang, s.program.textIn(lang, s.text))
	}
	if !allowed {
		d.Findings = s.findings(c, d.Past)
		if len(d.Findings) > 0 || len(refused) > 0 {
			d.Fingerprints = fingerprintsOf(c, s, d.Findings)
			d.Refused = latestRefusal(refused, d.Fingerprints)
		}
	}
	s.remember(&d.Past)
	if d.Past.Ahead += "\n" + d.Submitted; len(d.Past.Ahead) > maxScript {
		d.Past.Ahead = d.Submitted
	}
}

// findings returns the dangerous parts of the lines, in each language in which the program may read them.
func (s *submission) findings(c *danger.Checker, past Past) []danger.Finding {
	var found []danger.Finding
	if s.clipped {
		found = append(found, danger.Finding{Rule: "unreadable", What: runes.Clip(s.text, maxShown), Why: "submits a line that the screen does not show as it is"})
	}
	for _, lang := range s.program.Langs {
		text := s.program.textIn(lang, s.text)
		full := text
		if lang == danger.Shell && (s.program.Shell == "zsh" || s.program.Shell == "ksh") {
			full = repeatCommand().ReplaceAllString(full, "${1}fc -s ")
		}
		if lang == danger.Shell && len(past.Vars) > 0 {
			full = s.program.textIn(lang, strings.Join(past.Vars, "\n")) + "\n" + full
		}
		if lang == danger.SQL && danger.Incomplete(lang, text) {
			continue // nothing runs before the semicolon
		}
		found = append(found, c.CheckLine(lang, full, s.program.Place)...)
		// One finding is enough to hold the lines. If there is none, the lines are also judged together
		// with the texts that may precede or follow them.
		if lang == danger.Shell && past.Ahead != "" && len(found) == 0 {
			ahead := s.program.textIn(lang, past.Ahead)
			judged := c.CheckLine(lang, ahead, s.program.Place)
			found = slices.DeleteFunc(c.CheckLine(lang, ahead+"\n"+text, s.program.Place), func(f danger.Finding) bool {
				return f.Rule == "remote" || slices.Contains(judged, f) // one line alone has no earlier downloads
			})
		}
		if s.textAfter != "" && len(found) == 0 {
			found = c.CheckLine(lang, full+s.program.textIn(lang, s.textAfter), s.program.Place)
		}
		if s.textBefore != "" && len(found) == 0 {
			found = c.CheckLine(lang, s.program.textIn(lang, s.textBefore+s.lines[len(s.lines)-1]), s.program.Place)
		}
	}
	return append(found, s.nested(c)...)
}

// maxShown is the number of bytes of a line that a finding or an error shows.
const maxShown = 200

// nested judges the lines that follow the first line which starts a known interpreter, in the
// interpreter's language. Shells and programs that read data do not count as interpreters.
func (s *submission) nested(c *danger.Checker) []danger.Finding {
	for i, line := range s.lines[:len(s.lines)-1] {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if lang, ok := programLang(words[0]); ok && lang != danger.Shell && lang != danger.Data {
			return c.CheckLine(lang, strings.Join(s.lines[i+1:], "\n"), s.program.Place)
		}
	}
	return nil
}

// remember records in p what the judgement of later lines depends on: the unfinished lines, and the lines
// that set shell variables.
func (s *submission) remember(p *Past) {
	p.Script = ""
	if s.unfinished && len(s.text) <= maxScript {
		p.Script = s.text
	}
	if s.unfinished || len(s.program.Langs) == 0 || s.program.Langs[0] != danger.Shell {
		return
	}
	for _, set := range danger.Settings(s.text) {
		if len(set) <= maxVarLine {
			others := slices.DeleteFunc(slices.Clone(p.Vars), func(v string) bool { return v == set })
			p.Vars = append(others[max(0, len(others)+1-maxVars):], set)
		}
	}
}

// repeatCommand matches the command r of zsh and ksh, which repeats a line.
var repeatCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)(^\s*|[;&|]\s*)r(?:[ \t]+|$)`) })

// CheckAfter judges the lines that follow the answer to a password prompt in one input. The answer ends
// at the first key that ends a line or may end the program that asked. A program that reads data, such as
// cat, reads all lines up to a key that may end it. The lines are judged for l.Program, for the session's
// shell, because the answer may end l.Program, and for the programs that may start then, as with "sudo
// mysql". CheckAfter returns an error for a dangerous line, or if a key may bring back an unknown line. The
// input is not held for a confirmation, because a held input is shown, and this one contains the password.
func CheckAfter(c *danger.Checker, l *View, keys Keystrokes) error {
	ends := []Effect{Abandons, Discards, HandsOver, MaySubmit}
	switch {
	case len(l.Program.Langs) > 0:
		ends = append(ends, Submits)
	case l.SessionShell == nil:
		return nil
	}
	all := slices.Collect(keys)
	end := slices.IndexFunc(all, func(s Keystroke) bool { return slices.Contains(ends, s.Effect) })
	if end < 0 || end+1 == len(all) {
		return nil
	}
	enter := Keystroke{Effect: Submits, Item: len(all)} // so that an unfinished line is judged, too
	rest := slices.Values(append(all[end+1:], enter))
	after := *l
	after.Line, after.Settled = Line{Known: true}, false
	after.Past.Script, after.Past.RepeatOnEmpty = "", "" // the program that asked has read them
	after.Program.Langs = slices.Concat(l.Program.Langs, l.Program.startable())
	readers := []Program{after.Program}
	if l.SessionShell != nil {
		readers = append(readers, *l.SessionShell)
	}
	for _, reader := range readers {
		view := after
		view.Program = reader
		switch d := view.check(c, rest, false, -1); {
		case len(d.Findings) > 0:
			return fmt.Errorf("%s, because a line after the password %s (%s); send the password, and then that line", notAlone, d.Findings[0].Why, d.Findings[0].Rule)
		case d.Refused != nil:
			return fmt.Errorf("%s, because of a line after the password: %s; send the password, and then that line", notAlone, d.Refused)
		case d.Cut != nil && d.Cut.Keystroke != enter:
			return errors.New(notAlone + ", because a key after the password may bring back any line; send the password, and then the rest")
		}
	}
	// The program that asked may read some of the lines, and the shell only the others.
	if l.SessionShell != nil && after.cutBeforeExit(c, rest) >= 0 {
		return errors.New(notAlone + ", because the shell may read a dangerous line after the password; send the password, and then the rest")
	}
	return nil
}

// notAlone begins the errors of CheckAfter.
const notAlone = "the answer to a password prompt must be sent alone: nothing was typed"
