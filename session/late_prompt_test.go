package session

import (
	"regexp"
	"testing"

	"github.com/glasstty/glasstty/detect"
)

// TestLateLineOnce checks that a line that a job writes after the prompt is in one reply only.
func TestLateLineOnce(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	dir, open := newGate(t)
	s, _ := launchWith(t, m, StartOptions{Command: "bash", Args: []string{"--norc"}, Dir: dir})
	expect(t, say(t, s, "bash -c \"(read <gate; echo LA''TE) &\""), detect.Prompt, "")
	open()
	r := exchange(t, s, Input{}, Wait{Timeout: patience, Pattern: regexp.MustCompile("LATE")})
	expect(t, r, detect.Matched, "LATE")
	expect(t, say(t, s, "echo z"), detect.Prompt, "z")
}
