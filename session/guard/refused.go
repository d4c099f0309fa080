package guard

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/danger"
)

// A Refusal is a person's refusal of submitted lines, or of the start of a program. It also applies to later
// lines or starts that have one of its fingerprints.
type Refusal struct {
	By           string // the person's name
	At           time.Time
	Fingerprints []string
}

// latestRefusal returns the latest refusal with one of these fingerprints, or nil.
func latestRefusal(refused []Refusal, fingerprints []string) *Refusal {
	for _, r := range slices.Backward(refused) {
		if slices.ContainsFunc(r.Fingerprints, func(m string) bool { return slices.Contains(fingerprints, m) }) {
			return &r
		}
	}
	return nil
}

// String says who refused, and when in the server's time zone. It returns "" if r is nil.
func (r *Refusal) String() string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("%s refused it at %s", r.By, r.At.Format(time.TimeOnly))
}

// addRefusal returns the refusals with one more. The oldest is removed if there are too many.
func addRefusal(refused []Refusal, by string, fingerprints []string, now time.Time) []Refusal {
	r := Refusal{By: by, At: now, Fingerprints: fingerprints}
	return append(slices.Clone(refused[max(0, len(refused)+1-MaxRefused):]), r)
}

// withdraw returns the refusals that have none of these fingerprints.
func withdraw(refused []Refusal, fingerprints []string) []Refusal {
	return slices.DeleteFunc(slices.Clone(refused), func(r Refusal) bool { return latestRefusal([]Refusal{r}, fingerprints) != nil })
}

// Limits on fingerprints.
const (
	maxFingerprinted = 64 << 10 // maximum length of a text whose parts get fingerprints, in bytes
	maxFingerprints  = 100      // maximum number of fingerprints of one submission
)

// fingerprintsOf returns the fingerprints of a submission: its text, each part that is dangerous by
// itself, and the parts that the findings are about. All of them are normalized, so that they do
// not depend on how the line is typed.
func fingerprintsOf(c *danger.Checker, s *submission, found []danger.Finding) []string {
	fingerprints := []string{normalized(s.text)}
	add := func(m string) {
		if m != "" && len(fingerprints) < maxFingerprints && !slices.Contains(fingerprints, m) {
			fingerprints = append(fingerprints, m)
		}
	}
	for _, f := range found {
		// A single word is left out: it may be only a program's name.
		if strings.ContainsAny(f.What, "/ ") && !strings.HasSuffix(f.What, "…") {
			add(f.Rule + ": " + normalized(f.What))
		}
	}
	if len(s.text) > maxFingerprinted || len(found) == 0 || len(s.program.Langs) == 0 {
		return fingerprints
	}
	lang, place := s.program.Langs[0], s.program.Place
	for _, part := range parts(s.text) {
		if len(c.CheckLine(lang, part, place)) > 0 {
			add(normalized(part))
		}
	}
	if lang == danger.Shell {
		for _, argv := range danger.Commands([]string{"sh", "-c", s.text}) {
			if line := strings.Join(argv, " "); line != "sh -c "+s.text && len(c.CheckCommand(argv, place)) > 0 {
				add(normalized(line))
			}
		}
	}
	return fingerprints
}

// parts splits a text into commands without parsing its language: at line ends, semicolons,
// && and ||.
func parts(text string) []string {
	return strings.FieldsFunc(strings.NewReplacer("&&", "\n", "||", "\n").Replace(text), func(r rune) bool { return r == '\n' || r == ';' })
}

// normalized returns text without differences that most programs ignore: quotes, backslashes,
// repeated blanks, case, other spellings of a path, and punctuation around a command.
func normalized(text string) string {
	text = strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(strings.ToLower(text))
	words := strings.Fields(text)
	for i, word := range words {
		if strings.HasPrefix(word, "/") || strings.HasPrefix(word, "~") || strings.HasPrefix(word, ".") {
			words[i] = path.Clean(word) // "/a//b/." is /a/b
		}
	}
	return strings.Trim(strings.Join(words, " "), "; (){}")
}
