package session

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// eachShell runs a test in several shells, with and without marks.
func eachShell(t *testing.T, test func(t *testing.T, s *Session, open func())) {
	t.Parallel()
	linuxOnly(t)
	for _, o := range []StartOptions{
		{Command: "bash", Args: []string{"--norc"}}, {Command: "bash", Args: []string{"--norc"}, NoMarks: true}, {Command: "zsh"}, {Command: "fish"}, {Command: "dash"},
	} {
		name := o.Command
		if o.NoMarks {
			name += " without marks"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var open func()
			o.Dir, open = newGate(t)
			s, _ := launchWith(t, newManager(t), o)
			say(t, s, "true")
			test(t, s, open)
		})
	}
}

// TestJobInTypedLine checks that what a job writes into the row of a prompt where a line was begun,
// or begun and deleted again, is not taken for the line's echo.
func TestJobInTypedLine(t *testing.T) {
	for name, keys := range map[string][]string{"begun": {"text:echo h"}, "deleted": {"text:echo other", "ctrl+u"}} {
		t.Run(name, func(t *testing.T) {
			eachShell(t, func(t *testing.T, s *Session, open func()) {
				got := say(t, s, `sh -c "read x <gate; echo j''ob" &`).Output
				for _, key := range keys {
					got += exchange(t, s, Input{Keys: keysOf(t, key)}, Wait{Timeout: patience}).Output
				}
				open()
				for limit := time.Now().Add(patience); !strings.Contains(s.Snapshot(0).Text(), "job"); time.Sleep(time.Millisecond) {
					if time.Now().After(limit) {
						t.Fatalf("screen %q", s.Snapshot(0).Text())
					}
				}
				time.Sleep(100 * time.Millisecond) // the shell may show that the job is done
				rest := map[string]string{"begun": "i", "deleted": "echo hi"}[name]
				got += "\n" + say(t, s, rest).Output
				if regexp.MustCompile(`(?m)^job$`).FindAllString(got, -1) == nil || strings.Count(got, "hi") != 1 || strings.Contains(got, "echo hi") {
					t.Errorf("output %q, screen %q", got, s.Snapshot(0).Text())
				}
			})
		})
	}
}

// TestTrapAtPrompt checks that what the shell itself writes at its prompt, before the echo comes,
// is output once.
func TestTrapAtPrompt(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	for _, shell := range []string{"bash", "zsh"} {
		t.Run(shell, func(t *testing.T) {
			s, _ := launch(t, newManager(t), shell)
			say(t, s, "trap 'echo trap''ped' WINCH")
			if _, err := s.Resize(30, 90); err != nil {
				t.Fatal(err)
			}
			got := say(t, s, "echo B2").Output
			r, _ := read(t, s, ReadOptions{}, Wait{Until: UntilNone})
			if got += r.Output; strings.Count(got, "trapped") != 1 || strings.Count(got, "B2") != 1 {
				t.Errorf("output %q, screen %q", got, s.Snapshot(0).Text())
			}
		})
	}
}

// TestOverwrittenEcho checks that rows with a prompt and an echo are output as they stand if a
// program has written into them.
func TestOverwrittenEcho(t *testing.T) {
	eachShell(t, func(t *testing.T, s *Session, _ func()) {
		for i, tt := range []struct{ writes, want string }{
			{`\033[1A\rTOKEN1\n`, `^TOKEN1.`},
			{`\033[1A\033[60GTOKEN2\n`, `^ *TOKEN2$`},
			{`\033[1A\rTOKEN3\033[K\n`, `^TOKEN3$`},
			{`\0337\033[H\033[70GTOKEN4\0338`, ` TOKEN4$`},
		} {
			file := string(rune('a' + i))
			if err := os.WriteFile(s.opt.Dir+"/"+file, []byte("printf '"+tt.writes+"'\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if r := say(t, s, "sh "+file+" # a long command"); !regexp.MustCompile(tt.want).MatchString(r.Output) {
				t.Errorf("%s: output %q, screen %q", tt.writes, r.Output, s.Snapshot(0).Text())
			}
		}
		if r, _ := read(t, s, ReadOptions{}, Wait{Until: UntilNone}); r.Output != "" {
			t.Errorf("output again: %q", r.Output)
		}
	})
}
