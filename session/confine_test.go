package session

import (
	"errors"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/sandbox"
)

// TestScrubbedEnvironment checks which variables a program gets, without a sandbox.
func TestScrubbedEnvironment(t *testing.T) {
	t.Setenv("EXAMPLE_TOKEN", "one")
	t.Setenv("EXAMPLE_KEPT_TOKEN", "two")
	t.Setenv("EXAMPLE_COLOR", "three")
	script := StartOptions{
		Command: "sh", Args: []string{"-c", "echo $EXAMPLE_TOKEN,$EXAMPLE_KEPT_TOKEN,$EXAMPLE_COLOR,$GIVEN_TOKEN"},
		Env: map[string]string{"GIVEN_TOKEN": "four"},
	}
	for want, o := range map[string]Options{
		"one,two,three,four": {},
		",two,three,four":    {Scrub: true, KeepEnv: []string{"EXAMPLE_KEPT_*"}},
	} {
		_, r := launchWith(t, managerOf(t, o), script)
		expect(t, r, detect.Exited, want)
	}
}

// TestSandboxRequests checks what a session may not ask for. Nothing is started.
func TestSandboxRequests(t *testing.T) {
	m := managerOf(t, Options{Sandboxed: true, Sandbox: sandbox.Policy{
		Network: sandbox.NetworkNone, Limits: sandbox.Limits{Memory: 1 << 30}, Gaps: []string{"the moon"},
	}})
	for says, r := range map[string]sandbox.Request{
		"is more than the server allows": {Network: sandbox.NetworkPrivate},
		"memory 2147483648 is more":      {Limits: sandbox.Limits{Memory: 2 << 30}},
		"3 open files; allowed are 16":   {Limits: sandbox.Limits{Files: 3}},
		"not enforced would be":          {Strict: true},
	} {
		_, err := m.Start(t.Context(), StartOptions{Command: "sh", Sandbox: &r})
		if system := sandbox.Probe().System; system != "" {
			says = system
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v; want %q", r, err, says)
		}
		if strings.Contains(says, "more") && !errors.Is(err, ErrArgument) {
			t.Errorf("%+v: %v is not ErrArgument", r, err)
		}
	}
}
