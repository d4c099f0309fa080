package session

import (
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/confine"
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
		",two,three,four":    {Confine: confine.Rules{Scrub: true, KeepEnv: []string{"EXAMPLE_KEPT_*"}}},
	} {
		_, r := launchWith(t, managerOf(t, o), script)
		expect(t, r, detect.Exited, want)
	}
}
