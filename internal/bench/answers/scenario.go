package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// A scenario is a way in which a program answers.
type scenario struct {
	name   string
	weight int                                       // share of the trials
	needs  ability                                   // what the program's language must offer
	make   func(r *rand.Rand, id string) script      // the script, whose last line is id's
	late   func(r *rand.Rand, id string) (bg script) // what a background job prints once the answer is over
}

// An ability is a set of things that can be expressed in a kind's language.
type ability int

const (
	canPause ability = 1 << iota
	canSpin
	canRaw   // print bytes without a newline
	canAsk   // read an answer itself
	canJob   // run a job in the background
	canMany  // print many lines
	canBurst // print lines with pauses
)

// canAll is what the helpers support.
const canAll = canPause | canSpin | canRaw | canMany | canBurst

// scenarios are all ways to answer.
func scenarios() []scenario {
	return []scenario{
		{name: "instant", weight: 30, make: instant},
		{name: "gap 0.05-0.3s", weight: 16, needs: canPause, make: gap(50, 300)},
		{name: "gap 0.3-1s", weight: 12, needs: canPause, make: gap(300, 1000)},
		{name: "gap 1-3s", weight: 5, needs: canPause, make: gap(1000, 3000)},
		{name: "silent start", weight: 6, needs: canPause, make: silentStart},
		{name: "burst", weight: 6, needs: canBurst, make: burst},
		{name: "silent computation", weight: 6, needs: canSpin, make: compute},
		{name: "larger than the screen", weight: 6, needs: canMany, make: rows},
		{name: "unfinished line", weight: 4, needs: canPause | canRaw, make: unfinished},
		{name: "fake prompt", weight: 4, needs: canPause | canRaw, make: fakePrompt},
		{name: "fake marks", weight: 2, needs: canPause | canRaw, make: fakeMarks},
		{name: "question", weight: 4, needs: canAsk, make: question},
		{name: "password", weight: 3, needs: canAsk, make: password},
		{name: "background job", weight: 3, needs: canJob, make: instant, late: backgroundJob},
	}
}

// between draws a duration of lo to hi milliseconds.
func between(r *rand.Rand, lo, hi int) time.Duration {
	return time.Duration(lo+r.IntN(hi-lo+1)) * time.Millisecond
}

// last returns the line that ends the answer with the given ID.
func last(id string) step { return step{op: opLine, word: id} }

func instant(r *rand.Rand, id string) script {
	var s script
	for i := range r.IntN(3) {
		s = append(s, step{op: opLine, word: fmt.Sprintf("%sx%d", id, i)})
	}
	return append(s, last(id))
}

func gap(lo, hi int) func(*rand.Rand, string) script {
	return func(r *rand.Rand, id string) script {
		return script{{op: opLine, word: id + "x0"}, {op: opPause, d: between(r, lo, hi)}, last(id)}
	}
}

func silentStart(r *rand.Rand, id string) script {
	return script{{op: opPause, d: between(r, 50, 1500)}, last(id)}
}

func burst(r *rand.Rand, id string) script {
	return script{{op: opBurst, n: 3 + r.IntN(6), d: between(r, 15, 130)}, last(id)}
}

func compute(r *rand.Rand, id string) script {
	return script{{op: opLine, word: id + "x0"}, {op: opSpin, d: between(r, 100, 900)}, last(id)}
}

func rows(r *rand.Rand, id string) script {
	return script{{op: opRows, n: 30 + r.IntN(700)}, last(id)}
}

func unfinished(r *rand.Rand, id string) script {
	return script{
		{op: opRaw, word: "checking " + id + "x0 ... "},
		{op: opPause, d: between(r, 50, 900)},
		{op: opRaw, word: "yes\n"},
		last(id),
	}
}

// fakePrompts returns texts that look like prompts.
func fakePrompts() []string {
	return []string{"$ ", "# ", "user@host:~$ ", ">>> ", "> ", "sqlite> ", "(gdb) ", "utter> "}
}

func fakePrompt(r *rand.Rand, id string) script {
	p := fakePrompts()
	return script{
		{op: opLine, word: id + "x0"},
		{op: opRaw, word: p[r.IntN(len(p))]},
		{op: opPause, d: between(r, 60, 900)},
		{op: opRaw, word: "\n"},
		last(id),
	}
}

func fakeMarks(r *rand.Rand, id string) script {
	return script{
		{op: opLine, word: id + "x0"},
		{op: opRaw, word: "\x1b]133;D;0\x07\x1b]133;A\x07$ \x1b]133;B\x07"},
		{op: opPause, d: between(r, 60, 900)},
		{op: opRaw, word: "\n"},
		last(id),
	}
}

func question(r *rand.Rand, id string) script {
	return script{
		{op: opLine, word: id + "x0"},
		{op: opPause, d: between(r, 0, 400)},
		{op: opAsk, word: id + "q"},
		{op: opPause, d: between(r, 0, 400)},
		last(id),
	}
}

func password(r *rand.Rand, id string) script {
	return script{
		{op: opLine, word: id + "x0"},
		{op: opPause, d: between(r, 0, 400)},
		{op: opPass, word: id + "w"},
		{op: opPause, d: between(r, 0, 400)},
		last(id),
	}
}

func backgroundJob(r *rand.Rand, id string) script {
	return script{{op: opPause, d: between(r, 150, 400)}, {op: opLine, word: id + "bg"}}
}

// pick draws a scenario that can be expressed with the given abilities.
func pick(r *rand.Rand, can ability) scenario {
	var fit []scenario
	total := 0
	for _, s := range scenarios() {
		if s.needs&^can == 0 {
			fit = append(fit, s)
			total += s.weight
		}
	}
	n := r.IntN(total)
	for _, s := range fit {
		if n -= s.weight; n < 0 {
			return s
		}
	}
	return fit[0]
}

// cleanLines splits output into lines without what a terminal may add or drop:
// carriage returns, trailing blanks, and empty lines at both ends.
func cleanLines(text string) []string {
	text = stripMarks(strings.ReplaceAll(text, "\r", ""))
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t")
	}
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// stripMarks removes the fake marks that a script prints, which a terminal does not
// show.
func stripMarks(text string) string {
	for {
		i := strings.Index(text, "\x1b]")
		if i < 0 {
			return text
		}
		end := strings.IndexByte(text[i:], 7)
		if end < 0 {
			return text[:i]
		}
		text = text[:i] + text[i+end+1:]
	}
}
