package guard

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/danger"
)

// A Refusal is a submission that a person has refused. It is recognised by its marks: one
// of them is enough.
type Refusal struct {
	By    string // the person's name
	At    time.Time
	Marks []string
}

// refusedBefore returns the latest refusal with one of these marks, or nil.
func refusedBefore(refused []Refusal, marks []string) *Refusal {
	for _, r := range slices.Backward(refused) {
		if slices.ContainsFunc(r.Marks, func(m string) bool { return slices.Contains(marks, m) }) {
			return &r
		}
	}
	return nil
}

// String returns who refused the submission, and the time in the server's time zone, or ""
// if r is nil.
func (r *Refusal) String() string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("%s refused it at %s", r.By, r.At.Format(time.TimeOnly))
}

// refuse returns the refusals with one more. The oldest is removed if there are too many.
func refuse(refused []Refusal, by string, marks []string, now time.Time) []Refusal {
	r := Refusal{By: by, At: now, Marks: marks}
	return append(slices.Clone(refused[max(0, len(refused)+1-MaxRefused):]), r)
}

// takeBack returns the refusals that have none of these marks.
func takeBack(refused []Refusal, marks []string) []Refusal {
	return slices.DeleteFunc(slices.Clone(refused), func(r Refusal) bool { return refusedBefore([]Refusal{r}, marks) != nil })
}

// Limits on marks.
const (
	maxMarked = 64 << 10 // bytes of a text whose parts are judged
	maxMarks  = 100      // of one submission
)

// marksOf returns the marks of a submission: its text, each part that is dangerous by
// itself, and the parts that the findings are about. All of them are without quotes, so
// that they do not depend on how the line is typed.
func marksOf(c *danger.Checker, s *submission, found []danger.Finding) []string {
	marks := []string{plain(s.text)}
	add := func(m string) {
		if m != "" && len(marks) < maxMarks && !slices.Contains(marks, m) {
			marks = append(marks, m)
		}
	}
	for _, f := range found {
		// A single word may be just a program's name.
		if strings.ContainsAny(f.What, "/ ") && !strings.HasSuffix(f.What, "…") {
			add(f.Rule + ": " + plain(f.What))
		}
	}
	if len(s.text) > maxMarked || len(found) == 0 || len(s.program.Langs) == 0 {
		return marks
	}
	lang, place := s.program.Langs[0], s.program.Place
	for _, part := range parts(s.text) {
		if len(c.CheckLine(lang, part, place)) > 0 {
			add(plain(part))
		}
	}
	if lang == danger.Shell {
		for _, argv := range danger.Commands([]string{"sh", "-c", s.text}) {
			if line := strings.Join(argv, " "); line != "sh -c "+s.text && len(c.CheckCommand(argv, place)) > 0 {
				add(plain(line))
			}
		}
	}
	return marks
}

// parts splits a text into commands without parsing its language: at line ends, semicolons,
// && and ||.
func parts(text string) []string {
	return strings.FieldsFunc(strings.NewReplacer("&&", "\n", "||", "\n").Replace(text), func(r rune) bool { return r == '\n' || r == ';' })
}

// plain returns text without differences that most programs ignore: quotes, backslashes,
// repeated blanks, case, other spellings of a path, and punctuation around a command.
func plain(text string) string {
	text = strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(strings.ToLower(text))
	words := strings.Fields(text)
	for i, word := range words {
		if strings.HasPrefix(word, "/") || strings.HasPrefix(word, "~") || strings.HasPrefix(word, ".") {
			words[i] = path.Clean(word) // "/a//b/." is /a/b
		}
	}
	return strings.Trim(strings.Join(words, " "), "; (){}")
}
