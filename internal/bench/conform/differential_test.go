package conform

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

const replayDir = "../../../emulator/testdata/replay"

var (
	withOracles = flag.Bool("oracles", false, "replay the recordings through the oracles again")
	update      = flag.Bool("update", false, "store what the oracles show; implies -oracles")
)

// TestDifferential checks that the emulator shows each recording as the oracles
// did.
func TestDifferential(t *testing.T) {
	dirs, err := recordings(replayDir)
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no recordings in %s: %v", replayDir, err)
	}
	rules := loadRules(t)
	fresh := func(Job) Expect { return nil }
	if *withOracles || *update || os.Getenv(need.RequireVar) == "1" {
		fresh = startOracles(t)
	}
	var table strings.Builder
	total := tally{}
	ran := 0 // may be fewer than all with -run
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			ran++
			sum := differ(t, dir, rules, fresh)
			fmt.Fprintf(&table, "%-20s %v\n", filepath.Base(dir), sum)
			total.add(sum)
		})
	}
	t.Logf("differences from xterm and @xterm/headless:\n%s%d recordings: %v", table.String(), ran, total)
	for _, r := range rules {
		t.Logf("known.txt:%d explains %d: %s", r.line, r.used, r.Reason)
		if r.used == 0 && ran == len(dirs) {
			t.Errorf("known.txt:%d no longer explains anything; delete it", r.line)
		}
	}
}

// differ compares one recording with the oracles.
func differ(t *testing.T, dir string, rules []*Rule, fresh func(Job) Expect) tally {
	rec, err := loadCast(dir)
	if err != nil {
		t.Fatal(err)
	}
	expect, err := loadExpect(dir)
	if err != nil {
		t.Fatal(err)
	}
	if now := fresh(jobOf(rec)); now != nil {
		expect = checkStored(t, dir, expect, now)
	}
	if expect == nil {
		t.Fatalf("no %s; run with -args -update", expectFile)
	}
	ours, err := Ours{}.Replay(jobOf(rec))
	if err != nil {
		t.Fatal(err)
	}
	if len(ours) != len(expect) || len(ours) == 0 {
		t.Fatalf("got %d checkpoints, but %d are stored", len(ours), len(expect))
	}
	sum := tally{checkpoints: len(ours)}
	resized := resizedBefore(rec, ours)
	for i := range ours {
		found, lines := map[string][]Difference{}, map[string]bool{}
		for _, name := range []string{"xterm", "headless"} { // tmux is only used by rules
			p := place{filepath.Base(dir), resized[i], name, ours[i], expect[i], found, lines}
			sum.add(report(t, p, rules))
		}
	}
	return sum
}

// report compares with one oracle at one checkpoint and reports the unexplained
// differences.
func report(t *testing.T, p place, rules []*Rule) tally {
	var sum tally
	for _, d := range p.differences(p.oracle) {
		if r := p.explain(d, rules); r != nil {
			sum.known++
			continue
		}
		sum.unexplained++
		t.Errorf("%q, %s: %v", p.ours.Label, p.oracle, d)
	}
	return sum
}

// checkStored compares what the oracles show now with what is stored.
func checkStored(t *testing.T, dir string, stored, now Expect) Expect {
	if *update {
		if err := saveExpect(dir, now); err != nil {
			t.Fatal(err)
		}
		return now
	}
	a, _ := json.Marshal(stored)
	b, _ := json.Marshal(now)
	if string(a) != string(b) {
		t.Errorf("the oracles no longer show what %s contains; run with -args -update and review the change", expectFile)
	}
	return now
}

// startOracles starts the oracles and returns a function that replays a Job in all
// of them.
func startOracles(t *testing.T) func(Job) Expect {
	node, xterm := need.Program(t, "node"), need.Program(t, "xterm")
	xvfb, tmux := need.Program(t, "Xvfb"), need.Program(t, "tmux")
	h := startHeadless(t, node)
	x, err := StartXServer(xvfb)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	tm, err := StartTmux(tmux)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tm.Close() })
	return func(j Job) Expect {
		xt, err := StartXTerm(xterm, x, j.Rows, j.Cols)
		if err != nil {
			t.Fatal(err)
		}
		defer xt.Close()
		return ask(t, j, map[string]Terminal{"headless": h, "xterm": xt, "tmux": tm})
	}
}

// startHeadless starts @xterm/headless, which must be installed with npm ci.
func startHeadless(t *testing.T, node string) *Headless {
	if _, err := os.Stat("oracle/node_modules"); err != nil {
		if os.Getenv(need.RequireVar) == "1" {
			t.Fatal("@xterm/headless is not installed; run npm ci in internal/bench/conform/oracle")
		}
		t.Skip("@xterm/headless is not installed; run npm ci in internal/bench/conform/oracle")
	}
	h, err := StartHeadless(node, "oracle")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// ask replays j in all oracles.
func ask(t *testing.T, j Job, oracles map[string]Terminal) Expect {
	var out Expect
	for name, o := range oracles {
		screens, err := o.Replay(j)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if out == nil {
			out = make(Expect, len(screens))
		}
		for i, s := range screens {
			if out[i] == nil {
				out[i] = map[string]Screen{}
			}
			out[i][name] = s
		}
	}
	return out
}

func loadRules(t *testing.T) []*Rule {
	text, err := os.ReadFile("testdata/known.txt")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := ParseRules(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// A tally counts a recording's checkpoints and differences.
type tally struct{ checkpoints, known, unexplained int }

func (a tally) String() string {
	return fmt.Sprintf("%4d checkpoints, %5d known differences, %4d unexplained", a.checkpoints, a.known, a.unexplained)
}

func (a *tally) add(b tally) {
	a.checkpoints += b.checkpoints
	a.known += b.known
	a.unexplained += b.unexplained
}
