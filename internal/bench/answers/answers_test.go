package main

import (
	"bufio"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestScriptRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, sc := range scenarios() {
		for range 20 {
			s := sc.make(r, "T7")
			got, err := parseScript(s.String())
			if err != nil {
				t.Fatalf("%s: parse %q: %v", sc.name, s, err)
			}
			if got.String() != s.String() {
				t.Errorf("%s: %q was parsed and printed as %q", sc.name, s, got)
			}
		}
	}
}

func TestParseScriptRejects(t *testing.T) {
	for _, in := range []string{"z1", "sx", "hzz", "n", "b3xx"} {
		if s, err := parseScript(in); err == nil {
			t.Errorf("parseScript(%q) = %q, want an error", in, s)
		}
	}
}

func TestEmitPrintsItsLines(t *testing.T) {
	in := script{
		{op: opLine, word: "T1x0"}, {op: opRaw, word: "a b"}, {op: opRaw, word: "\n"},
		{op: opRows, n: 3}, {op: opBurst, n: 2, d: time.Millisecond}, {op: opSpin, d: time.Millisecond}, {op: opLine, word: "T1"},
	}
	var out strings.Builder
	if err := emitScript(in.String(), bufio.NewReader(strings.NewReader("")), &out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(in.lines(), cleanLines(out.String())); diff != "" {
		t.Errorf("printed lines differ from the expected ones (-want +got):\n%s", diff)
	}
}

func TestEmitAsks(t *testing.T) {
	var out strings.Builder
	s := script{{op: opAsk, word: "T1q"}, {op: opLine, word: "T1"}}
	if err := emitScript(s.String(), bufio.NewReader(strings.NewReader("y\n")), &out); err != nil {
		t.Fatal(err)
	}
	if want := "T1q? [Y/n] <=y>\n<T1>\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

// TestEchoIsNoAnswer checks that the echo of a command alone never contains the
// command's last line.
func TestEchoIsNoAnswer(t *testing.T) {
	p := place{dir: "/d", home: "/h"}
	for _, k := range kinds(p) {
		if k.tui != nil || k.lang.short {
			continue
		}
		for _, tr := range drawBatch(rand.New(rand.NewPCG(3, 4)), k, 100, 200) {
			for ; tr != nil; tr = tr.then {
				if holds([]string{tr.in.text, "$ " + tr.in.text}, tr) {
					t.Errorf("%s: the echo of %q contains %q", k.name, tr.in.text, tr.end)
				}
			}
		}
	}
}

func TestPlan(t *testing.T) {
	ks := []kind{{name: "a", lang: posix(), weight: 3}, {name: "b", lang: dc()}}
	got := plan(ks, 100, 1)
	count, ids := map[string]int{}, map[string]bool{}
	for _, b := range got {
		for _, tr := range b.trials {
			count[b.kind.name]++
			ids[tr.id] = true
		}
	}
	if want := map[string]int{"a": 75, "b": 25}; !cmp.Equal(count, want) {
		t.Errorf("trials by kind: %v, want %v", count, want)
	}
	if len(ids) != 100 {
		t.Errorf("%d different ids for 100 trials", len(ids))
	}
	again := plan(ks, 100, 1)
	for i := range got {
		if got[i].trials[0].in.text != again[i].trials[0].in.text {
			t.Fatal("the same seed gave different trials")
		}
	}
}

func TestJudge(t *testing.T) {
	at := func(ms int) time.Time { return time.Unix(0, 0).Add(time.Duration(ms) * time.Millisecond) }
	tr := func() *trial {
		return &trial{id: "T5", want: []string{"<T5x0>", "<T5>"}, end: "<T5>", lasts: 100 * time.Millisecond, in: input{text: "run", enter: true}}
	}
	done := func(text string) answer { return answer{text: text, claim: complete} }
	ob := func(text string, returned int, writes ...int) observation {
		o := observation{sent: at(0), returned: at(returned), tapped: true, ans: done(text)}
		for _, w := range writes {
			o.writes = append(o.writes, at(w))
		}
		return o
	}
	noisy := func(o observation) observation { o.noisy = true; return o }
	cases := []struct {
		name    string
		trial   *trial
		ob      observation
		others  []string
		early   bool
		wrong   string
		mixed   string
		latency time.Duration
	}{
		{name: "right", trial: tr(), ob: ob("<T5x0>\r\n<T5>\n", 103, 1, 101), latency: 2 * time.Millisecond},
		{name: "cut", trial: tr(), ob: ob("<T5x0>", 50, 1, 101), early: true},
		{name: "cut, no terminal", trial: tr(), ob: observation{sent: at(0), returned: at(50), ans: done("<T5x0>")}, early: true},
		{name: "late, no terminal", trial: tr(), ob: observation{sent: at(0), returned: at(450), ans: done("<T5x0>\n<T5>")}, latency: 350 * time.Millisecond},
		{name: "prompt still to come", trial: tr(), ob: ob("<T5x0>\n<T5>", 102, 1, 101, 104), early: true},
		{name: "lost line", trial: tr(), ob: ob("<T5x0>", 103, 1, 101), wrong: "lacks <T5>", latency: 2 * time.Millisecond},
		{name: "echo", trial: tr(), ob: ob("run\n<T5x0>\n<T5>", 103, 101), wrong: "has more: run", latency: 2 * time.Millisecond},
		{name: "prompt", trial: tr(), ob: ob("<T5x0>\n<T5>\n$", 103, 101), wrong: "has more: $", latency: 2 * time.Millisecond},
		{name: "another call's line", trial: tr(), ob: ob("<T4>\n<T5x0>\n<T5>", 103, 101), wrong: "has more: <T4>", mixed: "<T4>", latency: 2 * time.Millisecond},
		{name: "an earlier call's job still to write", trial: tr(), ob: noisy(ob("<T5x0>\n<T5>", 102, 1, 101, 130)), others: []string{"T4bg"}, latency: time.Millisecond},
		{name: "an earlier call's job in the middle", trial: tr(), ob: noisy(ob("<T5<T4bg>\nx0>\n<T5>", 103, 101)), others: []string{"T4bg"}, latency: 2 * time.Millisecond},
		{name: "background line", trial: tr(), ob: ob("<T4bg>\n<T5x0>\n<T5>", 103, 101), others: []string{"T4bg"}, latency: 2 * time.Millisecond},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := judge(kind{name: "k"}, c.trial, c.ob, c.others)
			if o.early != c.early || o.wrong != c.wrong || o.mixed != c.mixed || o.latency != c.latency {
				t.Errorf("early %v, wrong %q, mixed %q, latency %v; want %v, %q, %q, %v",
					o.early, o.wrong, o.mixed, o.latency, c.early, c.wrong, c.mixed, c.latency)
			}
		})
	}
}

func TestJudgeRepainting(t *testing.T) {
	at := func(ms int) time.Time { return time.Unix(0, 0).Add(time.Duration(ms) * time.Millisecond) }
	tr := &trial{id: "T5", want: []string{"found"}, end: "found", endless: true, in: input{tui: true}}
	ob := observation{
		sent: at(0), returned: at(20), tapped: true, ans: answer{text: "x\nfound it\n", claim: complete},
		writes: []time.Time{at(10), at(12), at(300)},
	}
	o := judge(kind{}, tr, ob, nil)
	if o.early || o.wrong != "" || o.latency != 8*time.Millisecond {
		t.Errorf("early %v, wrong %q, latency %v; want false, none, 8ms", o.early, o.wrong, o.latency)
	}
	ob.ans.text = "x"
	if o := judge(kind{}, tr, ob, nil); !o.early {
		t.Error("a screen without the effect, before a repaint, was not judged early")
	}
}

func TestPercentile(t *testing.T) {
	var d []time.Duration
	if got := percentile(d, 50); got != 0 {
		t.Errorf("percentile of no values = %v", got)
	}
	for i := 1; i <= 200; i++ {
		d = append(d, time.Duration(i))
	}
	if got := []time.Duration{percentile(d, 50), percentile(d, 99), percentile(d, 100)}; !slices.Equal(got, []time.Duration{100, 198, 200}) {
		t.Errorf("p50, p99, p100 of 1..200 = %v", got)
	}
}

func TestCount(t *testing.T) {
	n := count([]outcome{
		{claim: complete, timed: true, latency: 2},
		{claim: complete, early: true},
		{claim: incomplete, early: true},
		{claim: silent, wrong: "x"},
		{skipped: "cannot"},
		{failed: "gone"},
	})
	got := []int{n.trials, n.skipped, n.failed, n.early, n.earlyComplete, n.unclaimed, n.wrong, len(n.latencies)}
	if want := []int{5, 1, 1, 2, 1, 2, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
