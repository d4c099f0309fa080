package session

import (
	"regexp"
	"testing"

	"github.com/glasstty/glasstty/detect"
)

// TestLateLineOnce waits for what a job writes behind the prompt: it is in one reply.
func TestLateLineOnce(t *testing.T) {
	t.Parallel()
	s, _ := launchWith(t, newManager(t), StartOptions{Command: "bash", Args: []string{"--norc"}})
	expect(t, say(t, s, "bash -c \"(sleep 0.3; echo LA''TE) &\""), detect.Prompt, "")
	r := exchange(t, s, Input{}, Wait{Timeout: patience, Pattern: regexp.MustCompile("LATE")})
	expect(t, r, detect.Matched, "LATE")
	expect(t, say(t, s, "echo z"), detect.Prompt, "z")
}
