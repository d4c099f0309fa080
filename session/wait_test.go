package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
)

// TestPattern checks that a pattern matches what was drawn after the input was read, including the
// prompt but not the echo.
func TestPattern(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	for _, tt := range []struct {
		name, line, pattern string
		until               Until
		want                detect.Reason
		output              string // what must have been output by then
	}{
		{"plain", "echo one; sleep 0.2; echo two; sleep 0.2", "two", "", detect.Matched, "two"},
		{"a pause does not end it", "sleep 0.6; echo here", "(?m)^here$", "", detect.Matched, "here"},
		{"not the echo", "sleep 0.2; echo marker", "marker", "", detect.Matched, "marker"},
		{"not the echo, and never", "echo x # marker", "marker", "", detect.Timeout, "x"},
		{"prompt with its blank", "echo y", `\$ $`, "", detect.Matched, "y"},
		{"across wrapped rows", "printf '%0100d\\n' 7", "0{99}7", "", detect.Matched, "7"},
		{"several lines", "echo p; echo q", "p\nq", "", detect.Matched, "q"},
		{"match of anything", "sleep 0.2; echo w", "(?s).*", "", detect.Matched, "w"},
		{"match of blanks", "echo v", "\\s+", "", detect.Timeout, "v"},
		{"empty match", "echo z", "x*", "", detect.Timeout, "z"},
		{"ready beside it", "echo done", "never", UntilReady, detect.Prompt, "done"},
		{"start of line", "echo ab; echo b", "(?m)^b", "", detect.Matched, "b"},
	} {
		timeout := patience
		if tt.want == detect.Timeout {
			timeout = 500 * time.Millisecond
		}
		r := exchange(t, s, Input{Text: tt.line, Enter: true}, Wait{Pattern: regexp.MustCompile(tt.pattern), Until: tt.until, Timeout: timeout, Explain: true})
		output := r.Output
		if tt.want == detect.Timeout && !strings.Contains(output, tt.output) {
			// The shell has not run the line in that time.
			output = exchange(t, s, Input{}, Wait{Pattern: literal(tt.output), Timeout: patience}).Output
		}
		if r.Reason != tt.want || !strings.Contains(output, tt.output) {
			t.Errorf("%s: reason %s, output %q, %+v; want %s and %q", tt.name, r.Reason, output, r.Explain, tt.want, tt.output)
		}
		exchange(t, s, Input{Text: ":", Enter: true}, Wait{Timeout: patience})
	}
}

// TestPatternScreen checks that a pattern matches the screen of a program that owns it.
func TestPatternScreen(t *testing.T) {
	s, _ := launch(t, newManager(t), "vim", "-N", "-u", "NONE", "-n")
	r := exchange(t, s, Input{Text: "ihello"}, Wait{Pattern: regexp.MustCompile("-- INSERT --"), Timeout: patience})
	if r.Reason != detect.Matched || r.Screen == nil {
		t.Errorf("reason %s", r.Reason)
	}
	r = exchange(t, s, Input{}, Wait{Pattern: literal("hello"), Timeout: patience})
	if r.Reason != detect.Matched {
		t.Errorf("without typing: reason %s", r.Reason)
	}
}

func TestUntil(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "sh", "-c", "stty -echo; echo up; read x; echo changed; sleep 0.3; echo more; read x; exit 2")
	before := s.Snapshot(0).Revision
	if r := exchange(t, s, Input{}, Wait{Until: UntilNone}); r.Reason != detect.Returned {
		t.Errorf("none: %s", r.Reason)
	}
	if r := exchange(t, s, Input{}, Wait{Until: UntilChange, Timeout: MinTimeout}); r.Reason != detect.Timeout {
		t.Errorf("change, without one: %s", r.Reason)
	}
	r := exchange(t, s, Input{Text: "\n"}, Wait{Until: UntilChange, Timeout: patience})
	if r.Reason != detect.Changed || r.Revision <= before {
		t.Errorf("change: %s, revision %d after %d", r.Reason, r.Revision, before)
	}
	if r := exchange(t, s, Input{}, Wait{Until: UntilChange, Since: &before, Timeout: patience}); r.Reason != detect.Changed || r.Elapsed > patience/2 {
		t.Errorf("change since then: %s after %s", r.Reason, r.Elapsed)
	}
	if r := exchange(t, s, Input{}, Wait{Until: UntilQuiet, Timeout: patience}); r.Reason != detect.Settled {
		t.Errorf("quiet: %s", r.Reason)
	}
	awaitText(t, s, "more")
	r = exchange(t, s, Input{Text: "\n"}, Wait{Until: UntilExit, Timeout: patience})
	if r.Reason != detect.Exited || r.ExitCode == nil || *r.ExitCode != 2 {
		t.Errorf("exit: %s, code %v", r.Reason, r.ExitCode)
	}
}

// TestProgress checks that a long wait reports about every second that it waits.
func TestProgress(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "sh", "-c", "echo up; exec sleep 1000")
	inForeground(t, s, "sleep")
	ctx, cancel := context.WithCancel(t.Context())
	var said []time.Duration
	_, err := s.Exchange(ctx, Input{}, Wait{Until: UntilExit, Timeout: patience}, func(d time.Duration, note string) {
		if !strings.Contains(note, "sleep") {
			t.Errorf("note %q does not name the program", note)
		}
		if said = append(said, d); len(said) == 2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || len(said) != 2 || said[0] < progressEvery || said[1] < 2*progressEvery {
		t.Errorf("%v, progress %v", err, said)
	}
}

// TestFlood checks that the output of a child that writes without end delays neither an interrupt
// nor other calls.
func TestFlood(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	r := exchange(t, s, Input{Text: "yes", Enter: true}, Wait{Timeout: 500 * time.Millisecond})
	if r.Reason != detect.Timeout {
		t.Errorf("yes: reason %s", r.Reason)
	}
	r = exchange(t, s, Input{Keys: []KeyPress{ctrl('c')}}, Wait{Timeout: patience, Explain: true})
	if r.Reason != detect.Prompt || r.Prompt != "$ " {
		stacks := make([]byte, 64<<10)
		t.Fatalf("ctrl+c: reason %s, prompt %q, %+v, unsent %t\n%s", r.Reason, r.Prompt, r.Explain, s.ready.Unsent(), stacks[:runtime.Stack(stacks, true)])
	}
	expect(t, say(t, s, "echo on"), detect.Prompt, "on")
}

// TestCarriesOn checks that the end of a command can be awaited again after a timeout.
func TestCarriesOn(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	r := exchange(t, s, Input{Text: "echo a; cat " + fifo + "; echo b", Enter: true}, Wait{Pattern: regexp.MustCompile("(?m)^a$"), Timeout: patience})
	expect(t, r, detect.Matched, "a")
	expect(t, exchange(t, s, Input{}, Wait{Timeout: MinTimeout}), detect.Timeout, "")
	if err := os.WriteFile(fifo, nil, 0); err != nil { // lets cat end
		t.Fatal(err)
	}
	r = exchange(t, s, Input{}, Wait{Timeout: patience})
	expect(t, r, detect.Prompt, "b")
	// At the prompt, nothing is left to wait for.
	r = exchange(t, s, Input{}, Wait{Timeout: patience})
	expect(t, r, detect.Prompt, "")
}
