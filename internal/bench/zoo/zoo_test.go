package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestScripts checks that every script can be parsed and says what a person sees.
func TestScripts(t *testing.T) {
	programs, err := readScripts("scripts")
	if err != nil {
		t.Fatal(err)
	}
	if len(programs) < 30 {
		t.Errorf("got %d programs, want at least 30", len(programs))
	}
	for _, p := range programs {
		if p.about == "" || len(p.needs) == 0 {
			t.Errorf("%s lacks its description or what it needs", p.name)
		}
		for i := range p.steps {
			s := &p.steps[i]
			if len(s.see)+len(s.shows)+len(s.not)+len(s.keys)+len(s.text) == 0 && !s.end {
				t.Errorf("%s.txt:%d: the step neither types nor expects anything", p.name, s.line)
			}
		}
	}
}

// TestJudge checks each verdict on a reply.
func TestJudge(t *testing.T) {
	one := step{verb: "line", text: "go", see: []expect{{text: "chosen: two"}}, not: []expect{{text: "loading"}}}
	end := one
	end.end = true
	for _, c := range []struct {
		name  string
		s     step
		r     reply
		v     sight
		want  verdict
		about string
	}{
		{"right", one, reply{text: "chosen: two", output: "chosen: two", reason: "prompt"}, sight{now: "chosen: two"}, right, ""},
		{"nothing", one, reply{reason: "prompt"}, sight{now: "chosen: two"}, lost, "missing: chosen: two"},
		{"a row", one, reply{text: "chosen: two", reason: "prompt"}, sight{was: "a", before: "a\nb\nchosen: two", now: "a\nb\nchosen: two"}, lost, "left out: b"},
		{"a row that has just come", one, reply{text: "chosen: two", reason: "prompt"}, sight{was: "a", before: "a", now: "a\nb\nchosen: two"}, right, ""},
		{"echo and prompt", one, reply{text: "chosen: two\n$ ", output: "chosen: two", prompt: "$ ", reason: "prompt"},
			sight{before: "$ go\nchosen: two\n$", now: "$ go\nchosen: two\n$", echo: []string{"go"}}, right, ""},
		{"echo in two rows", one, reply{text: "chosen: two", output: "chosen: two", reason: "prompt"},
			sight{before: "$ go o\nn\nchosen: two", now: "$ go o\nn\nchosen: two", echo: []string{"goon"}, prompt: "$ "}, right, ""},
		{"loading", one, reply{text: "chosen: two (loading)", reason: "prompt"}, sight{}, falsely, "not on the screen: loading"},
		{"twice", one, reply{text: "chosen: two", output: "chosen: two\nchosen: two", reason: "prompt"}, sight{now: "chosen: two"}, twice, "twice: chosen: two"},
		{"again", one, reply{text: "menu\nchosen: two", output: "menu\nchosen: two", reason: "prompt"},
			sight{was: "menu", before: "menu", now: "menu\nchosen: two"}, twice, "again: menu"},
		{"again, in another colour", one, reply{text: "menu\nchosen: two", output: "menu\nchosen: two", reason: "prompt"},
			sight{was: "menu", before: "menu", now: "menu\nchosen: two", restyled: []bool{true}}, right, ""},
		{"a status bar", one, reply{text: "chosen: two", output: "chosen: two", reason: "prompt"},
			sight{before: "chosen: two\n[F4] Emacs 2/2", now: "chosen: two\n[F4] Emacs 2/2", bars: []string{"[F4] Emacs"}}, right, ""},
		{"a wrapped line", one, reply{text: "chosen: two", output: "chosen: two", reason: "prompt"}, sight{now: "chosen:\ntwo"}, right, ""},
		{"timeout", one, reply{text: "chosen: two", output: "chosen: two", reason: "timeout"}, sight{now: "chosen: two"}, reason, ""},
		{"not ended", end, reply{text: "chosen: two", output: "chosen: two", reason: "settled"}, sight{now: "chosen: two"}, reason, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, about := judge(inBash, c.s, c.r, c.v, true)
			if got != c.want || strings.Join(about, "; ") != c.about {
				t.Errorf("got verdict %s %q, want %s %q", got, about, c.want, c.about)
			}
		})
	}
}

// TestPresses checks the key presses of a step, with repeats and key names, and
// those of a patient person.
func TestPresses(t *testing.T) {
	s := step{verb: "keys", keys: []string{"down*2", "a*2", ":wq", "ctrl+x"}}
	down, a := press{name: "down"}, press{text: "a"}
	want := []press{down, down, a, a, {text: ":"}, {text: "w"}, {text: "q"}, {name: "ctrl+x"}}
	if got := single(s.presses()); !slices.Equal(got, want) {
		t.Errorf("got presses %v, want %v", got, want)
	}
	args := keyArguments([]string{"down*2", "j*3", "*", ":wq"})
	if got := fmt.Sprint(args); got != "[down*2 j*3 * map[text::wq]]" {
		t.Errorf("the arguments of send_keys are %s", got)
	}
	s = step{verb: "line", text: "x\ny"}
	if got := single(s.presses()); !slices.Equal(got, []press{{text: "x\ny", paste: true}, {name: "enter"}}) {
		t.Errorf("several lines: got %v", got)
	}
}
