package main

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/glasstty/glasstty/internal/bench/peer"
	"github.com/glasstty/glasstty/internal/clientconfig"
	"github.com/glasstty/glasstty/internal/need"
)

// TestJobs does each job with glasstty, as the benchmark does, and checks that it is done, and
// that the replies for the manual page have at most 10 % more tokens than the page.
func TestJobs(t *testing.T) {
	if testing.Short() {
		t.Skip("this test runs sixteen programs")
	}
	scratch := t.TempDir()
	b := &runner{scratch: scratch, o: options{rounds: 1, glasstty: filepath.Join(scratch, "glasstty")}}
	var err error
	if b.count, err = newCounter(); err != nil {
		t.Fatal(err)
	}
	if err := peer.Build(t.Context(), b.o.glasstty); err != nil {
		t.Fatal(err)
	}
	for _, j := range slices.Concat(jobs(), menuJobs()) {
		t.Run(j.name, func(t *testing.T) {
			for _, p := range j.needs {
				need.Program(t, p)
			}
			if j.whole != nil && exec.Command("man", "-w", manualPage).Run() != nil {
				t.Skipf("the manual page of %s is not installed: containers leave them out", manualPage)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			bill, err := b.once(ctx, peer.Glasstty, j)
			if err != nil {
				t.Fatal(err)
			}
			if bill.calls == 0 || bill.written == 0 || bill.read == 0 || bill.waited == 0 {
				t.Errorf("a count is missing: %+v", bill)
			}
			if bill.whole > 0 && bill.read > bill.whole*11/10 {
				t.Errorf("the replies have %d tokens for a text of %d", bill.read, bill.whole)
			}
		})
	}
}

// fake is a driver that returns its answers one by one.
type fake struct{ answers []string }

func (f *fake) next() (string, error) {
	if len(f.answers) == 0 {
		return "", errors.New("no answer left")
	}
	text := f.answers[0]
	f.answers = f.answers[1:]
	return text, nil
}

func (f *fake) start(context.Context, program) (string, error)       { return f.next() }
func (f *fake) line(context.Context, string) (string, error)         { return f.next() }
func (f *fake) keys(context.Context, bool, []string) (string, error) { return f.next() }
func (f *fake) batch(context.Context, []exchange) (string, error)    { return f.next() }
func (f *fake) more(context.Context) (string, error)                 { return f.next() }

// TestTogether checks that an agent makes one call if the server supports several
// inputs in a call, and otherwise one call for each input.
func TestTogether(t *testing.T) {
	list := []exchange{say("a", "one"), press("two", "b")}
	f := &fake{answers: []string{"one", "and two", "left"}}
	a := &agent{ctx: t.Context(), d: f}
	if a.together(list...); a.err != nil || len(f.answers) != 1 {
		t.Errorf("in one call: %v, left %q", a.err, f.answers)
	}
	f.answers = []string{"one", "two", "left"}
	a = &agent{ctx: t.Context(), d: struct{ driver }{f}}
	if a.together(list...); a.err != nil || len(f.answers) != 1 {
		t.Errorf("in separate calls: %v, left %q", a.err, f.answers)
	}
}

func TestAgentReadsOn(t *testing.T) {
	f := &fake{answers: []string{"half", "an answer", "left"}}
	a := &agent{ctx: t.Context(), d: f}
	if got := a.line("x", "answer"); got != "half\nan answer" || a.err != nil || len(f.answers) != 1 {
		t.Errorf("read %q, error %v, left %q", got, a.err, f.answers)
	}
	a.line("y", "never")
	if a.err == nil {
		t.Error("no error when the answer never came")
	}
	f.answers = []string{"never"}
	if got := a.line("z", "never"); got != "" || len(f.answers) != 1 {
		t.Errorf("after an error: read %q", got)
	}
	patient := &agent{ctx: t.Context(), d: &fake{answers: make([]string, 100)}}
	if patient.line("x", "never"); patient.err == nil || !strings.Contains(patient.err.Error(), "never came") {
		t.Errorf("after %d empty answers: %v", maxMore, patient.err)
	}
}

func TestCount(t *testing.T) {
	c, err := newCounter()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"": 0, "hello world": 2, "<|endoftext|>": 7} {
		if got := c.text(text); got != want {
			t.Errorf("%q has %d tokens, want %d", text, got, want)
		}
	}
	line, err := compact(map[string]any{"b": "a && b", "a": 1})
	if err != nil || line != `{"a":1,"b":"a && b"}` {
		t.Errorf("arguments as %s, error %v", line, err)
	}
}

func TestStatusID(t *testing.T) {
	for text, want := range map[string]string{
		"out\n[s1 running · prompt]": "s1", "[k3f9 exited 0 · 3 ms]": "k3f9", "[s1 running]\nmore": "", "no status": "",
	} {
		if got := statusID(text); got != want {
			t.Errorf("statusID(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestMatching(t *testing.T) {
	var names []string
	for _, j := range peer.Pick(jobs(), nameOf, "vim, git") {
		names = append(names, j.name)
	}
	if diff := cmp.Diff([]string{"edit in vim", "git add -p"}, names); diff != "" {
		t.Error(diff)
	}
	if len(jobs()) != 10 || len(peer.Pick(jobs(), nameOf, "")) != 10 {
		t.Errorf("got %d jobs", len(jobs()))
	}
}

func TestReport(t *testing.T) {
	ours := bill{calls: 2, written: 10, read: 90, waited: 50 * time.Millisecond, whole: 80}
	dear := bill{calls: 3, written: 20, read: 200, waited: 2 * time.Second}
	r := report{cores: 2, rounds: 1, columns: []column{
		{server: peer.Glasstty, list: 100, results: []result{{job: "a", bill: ours, done: 1, rounds: 1}, {job: "b", bill: dear, done: 1, rounds: 1}, {job: "c", bill: ours, done: 1, rounds: 1}}},
		{server: peer.Amol, list: 50, results: []result{{job: "a", bill: dear, done: 1, rounds: 3}, {job: "b", bill: ours, done: 3, rounds: 3}, {job: "c", rounds: 3, err: errors.New("it broke")}}},
		{server: peer.Desktop, list: 70, results: []result{{job: "a", bill: ours, done: 1, rounds: 1, other: true}, {job: "b", bill: dear, done: 1, rounds: 1}, {job: "c", bill: dear, done: 1, rounds: 1}}},
	}}
	var b strings.Builder
	r.print(&b)
	for _, want := range []string{
		"| a | 10 + 90 · 2 · 0.05 | 20 + 200 · 3 · 2.00 (1 of 3) | 10 + 90 · 2 · 0.05 † |",
		"| c | 10 + 90 · 2 · 0.05 | not done |",
		"| its tools' list, once | 100 | 50 | 70 |",
		"mcp-interactive-terminal, c: done in 0 of 3: it broke",
		"a: the text itself has 80 tokens; glasstty reads 12.5 % more",
		`behind mcp-interactive-terminal in "b": tokens (220, goal 100)`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), `in "a": tokens`) {
		t.Errorf("the report says behind for a job where glasstty is the cheapest:\n%s", b.String())
	}
	if r.verdict() != nil {
		t.Errorf("verdict: %v", r.verdict())
	}
	r.columns[0].results[0].err = io.EOF
	if r.verdict() == nil {
		t.Error("no error where a job was not done")
	}
}

func TestMedian(t *testing.T) {
	got := median([]bill{{calls: 3, read: 10}, {calls: 1, read: 30}, {calls: 2, read: 20}})
	if got.calls != 2 || got.read != 20 {
		t.Errorf("got median %+v", got)
	}
	if median(nil) != (bill{}) {
		t.Error("median of no results is not zero")
	}
}

// TestSkillTokens checks that the instructions for agents with only a shell have
// less than 600 tokens each.
func TestSkillTokens(t *testing.T) {
	count, err := newCounter()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"skill", "claude-skill", "agents-md"} {
		c, err := clientconfig.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		text, err := c.Snippet(clientconfig.Server{Command: "/usr/local/bin/glasstty", Args: []string{"mcp"}})
		if err != nil {
			t.Fatal(err)
		}
		n := count.text(text)
		t.Logf("%s has %d tokens", id, n)
		if n >= 600 {
			t.Errorf("%s has %d tokens, want fewer than 600", id, n)
		}
	}
}
