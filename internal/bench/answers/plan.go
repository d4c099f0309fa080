package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// A trial is one command, or one action on a screen, with the expected answer.
type trial struct {
	id        string
	scenario  string
	in        input
	want      []string      // the lines of the answer
	end       string        // the line of want that is the program's last
	lasts     time.Duration // the answer takes at least this long
	stop      *step         // the question at which the answer stops
	then      *trial        // the answer to that question
	late      string        // the word that a background job prints afterwards
	lateLasts time.Duration // how long that job takes at least
	endless   bool          // the screen changes by itself
	rush      bool          // the next trial follows the reply at once
	secret    string        // typed, and never to be shown
}

// A batch is the trials of one session.
type batch struct {
	kind   kind
	trials []*trial
}

// batchSize is the number of trials in a session.
const batchSize = 12

// plan draws n trials over the kinds. The same seed gives the same trials.
func plan(ks []kind, n int, seed uint64) []batch {
	total := 0
	for _, k := range ks {
		total += max(1, int(k.weight))
	}
	var out []batch
	given, sum := 0, 0
	for i, k := range ks {
		sum += max(1, int(k.weight))
		upTo := n * sum / total
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		for given < upTo {
			size := min(batchSize, upTo-given)
			out = append(out, batch{kind: k, trials: drawBatch(r, k, given, size)})
			given += size
		}
	}
	rand.New(rand.NewPCG(seed, 1<<32)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// drawBatch draws size trials, numbered from first.
func drawBatch(r *rand.Rand, k kind, first, size int) []*trial {
	out := make([]*trial, size)
	for i := range out {
		id := fmt.Sprintf("T%d", first+i)
		if k.tui != nil {
			out[i] = screenTrial(k.tui(id), id)
		} else {
			out[i] = commandTrial(r, k.lang, id)
			out[i].rush = out[i].then == nil && r.IntN(4) == 0
		}
	}
	return out
}

// screenTrial returns the trial for an action in a full-screen program.
func screenTrial(a tuiTrial, id string) *trial {
	t := &trial{
		id: id, scenario: "screen: " + a.name, want: []string{a.want}, end: a.want, endless: a.endless,
		in: input{text: a.text, enter: a.enter, tui: true},
	}
	if a.then != nil {
		t.then = screenTrial(*a.then, id)
	}
	return t
}

// commandTrial draws a scenario and renders it in the language.
func commandTrial(r *rand.Rand, l lang, id string) *trial {
	sc := pick(r, l.can)
	s := sc.make(r, id)
	if l.short {
		s = s[len(s)-1:]
	}
	head, rest := s.split()
	t := &trial{id: id, scenario: sc.name, want: head.lines(), lasts: head.lasts()}
	t.end = t.want[len(t.want)-1]
	line := l.render(r, s)
	if sc.late != nil {
		job := sc.late(r, id)
		line = l.job(job) + line
		t.late, t.lateLasts = job[len(job)-1].word, job.lasts()
	}
	t.in = input{text: line, enter: true}
	if len(head) == len(s) && rest == nil {
		t.want = append(t.want, l.tail...)
		return t
	}
	t.stop = &head[len(head)-1]
	t.then = reply(r, t, rest)
	t.then.want = append(t.then.want, l.tail...)
	return t
}

// reply returns the trial that answers t's question; rest is what the program does
// then.
func reply(r *rand.Rand, t *trial, rest script) *trial {
	text, secret := "y", ""
	if t.stop.op == opPass {
		secret = fmt.Sprintf("hunter%d", r.IntN(1_000_000))
		text = secret
	}
	lines := append([]string{t.stop.answered(text)}, rest.lines()...)
	return &trial{
		id: t.id, scenario: t.scenario + ", answered", want: lines, end: lines[len(lines)-1], lasts: rest.lasts(), secret: secret,
		in: input{text: text, enter: true},
	}
}
