package session

import (
	"fmt"
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/need"
)

// ticking is a program that waits for its terminal alone, never longer than a tick, and answers a
// line at the first tick that is 0.6 s after it. With "raw" it echoes its input itself.
const ticking = `
import os, select, sys, time, tty
tick, raw, prompt = float(sys.argv[1]), sys.argv[2] == "raw", sys.argv[3]
if raw: tty.setraw(0)
def put(s): os.write(1, s.replace("\n", "\r\n" if raw else "\n").encode())
put("ready\n" + prompt)
line, due = "", None
while True:
    if select.select([0], [], [], tick)[0]:
        for c in os.read(0, 1000).decode():
            if raw: put("\n" if c == "\r" else c)
            if c in "\r\n": asked, line, due = line, "", time.monotonic() + 0.6
            else: line += c
    if due and time.monotonic() > due:
        put("ANSWER " + asked + "\n" + prompt)
        due = None
`

// TestTickingProgram checks that each line gets its own answer from programs that poll their
// terminal and answer later.
func TestTickingProgram(t *testing.T) {
	linuxOnly(t)
	for _, mode := range []string{"lines", "raw"} {
		for _, tick := range []string{"0.05", "0.2", "1.0"} {
			t.Run(mode+" "+tick, func(t *testing.T) {
				t.Parallel()
				s, r := launch(t, newManager(t), need.Program(t, "python3"), "-c", ticking, tick, mode, "> ")
				expect(t, r, detect.Prompt, "ready")
				for i := range 3 {
					expect(t, say(t, s, fmt.Sprintf("q%d", i)), detect.Prompt, fmt.Sprintf("ANSWER q%d", i))
				}
			})
		}
	}
}

// TestTickingWithoutPrompt checks that no reply of a program that polls its terminal and shows no
// prompt claims that an answer is complete.
func TestTickingWithoutPrompt(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	s, _ := launch(t, newManager(t), need.Program(t, "python3"), "-c", ticking, "0.05", "lines", "")
	for i := range 3 {
		if r := say(t, s, fmt.Sprintf("q%d", i)); r.Reason.Complete() {
			t.Errorf("reason %s, output %q, %+v", r.Reason, r.Output, r.Explain)
		}
	}
}
