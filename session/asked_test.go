package session

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/internal/need"
)

// TestQuestionOverRestart checks that, after a password question was answered or timed out and the
// server has restarted, the session no longer asks and the next line is checked.
func TestQuestionOverRestart(t *testing.T) {
	need.Program(t, "bash")
	linuxOnly(t)
	checker, err := danger.New(strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		shell    []string
		question string
		answer   bool
	}{
		"answered":                   {[]string{"bash", "--norc"}, "read -sp 'Password: ' p; echo; echo over", true},
		"timed out":                  {[]string{"bash", "--norc"}, "read -t 1 -sp 'Password: ' p; echo; echo over", false},
		"answered, terminal inside":  {[]string{need.Program(t, "script"), "-qfc", "bash --norc", "/dev/null"}, "read -sp 'Password: ' p; echo; echo over", true},
		"timed out, terminal inside": {[]string{need.Program(t, "script"), "-qfc", "bash --norc", "/dev/null"}, "read -t 1 -sp 'Password: ' p; echo; echo over", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.opt.Danger, h.m.opt.Danger = checker, checker
			s, err := h.m.Start(t.Context(), StartOptions{Command: tt.shell[0], Args: tt.shell[1:]})
			if err != nil {
				t.Fatal(err)
			}
			exchange(t, s, Input{}, Wait{Timeout: patience})
			r := exchange(t, s, Input{Text: tt.question, Enter: true}, Wait{Timeout: patience})
			if r.Reason != detect.Password || !s.AsksSecret() {
				t.Fatalf("reason %s, output %q", r.Reason, r.Output)
			}
			if tt.answer {
				if err := s.As(ann).TypeSecret(t.Context(), "hunter2"); err != nil {
					t.Fatal(err)
				}
			}
			// No call looks at the program in the meantime.
			over := func() bool {
				p := s.state.Raw.Since(0)
				return strings.Contains(string(p), "\nover")
			}
			for limit := time.Now().Add(patience); !locked(s, over); time.Sleep(10 * time.Millisecond) {
				if time.Now().After(limit) {
					t.Fatal("the question is not over")
				}
			}
			s = h.restart(s.ID())
			if s.AsksSecret() {
				t.Error("the session still asks for a password after the restart")
			}
			if _, err := s.Exchange(t.Context(), Input{Text: "git push --force origin main", Enter: true}, Wait{Timeout: MinTimeout}, nil); !errors.As(err, new(*HeldError)) {
				t.Errorf("the next line: %v", err)
			}
		})
	}
}
