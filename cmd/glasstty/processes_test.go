package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

func TestChildThatExits(t *testing.T) {
	need.Program(t, "sh")
	t.Parallel()
	a := connect(t)
	r := a.start("sh", "-c", "printf 'bye\nno newline'; exit 3")
	id := r.SessionID
	r.want(t, "exited", "bye\nno newline", "")
	if r.Status != "exited" || r.IsAlive || r.ExitCode == nil || *r.ExitCode != 3 {
		t.Errorf("%+v", r)
	}
	// Its screen and output can still be read, and no call waits.
	if r = a.call("snapshot", args{"session_id": id}); r.Screen != "bye\nno newline" {
		t.Errorf("the screen after the exit: %q", r.Screen)
	}
	if r = a.call("read_output", args{"session_id": id, "timeout": callTimeout}); r.Output != "" || r.Reason != "exited" {
		t.Errorf("reading after the exit: %+v", r)
	}
	if r = a.call("read_output", args{"session_id": id, "tail": 1}); r.Output != "no newline" {
		t.Errorf("the last line after the exit: %q", r.Output)
	}
	a.fails("send_and_read", args{"session_id": id, "text": "x"}, id, "exited")
	a.fails("send_input", args{"session_id": id, "text": "x"}, id, "exited")
	a.fails("send_keys", args{"session_id": id, "keys": []string{"enter"}}, id, "exited")
	a.fails("resize_pty", args{"session_id": id, "rows": 30}, id, "exited")
	a.call("delete_session", args{"session_id": id})
	a.fails("snapshot", args{"session_id": id}, id, "list_sessions")
}

func TestExitBySignal(t *testing.T) {
	need.Program(t, "sh")
	t.Parallel()
	a := connect(t)
	r := a.start("sh", "-c", "kill -KILL $$")
	if r.Reason != "exited" || r.ExitCode == nil || *r.ExitCode != 128+9 {
		t.Errorf("reason %q, exit code %v", r.Reason, r.ExitCode)
	}
}

func TestChildThatIgnoresSIGTERM(t *testing.T) {
	need.Program(t, "sh")
	t.Parallel()
	a := connect(t)
	const script = "trap '' TERM HUP INT; echo ready; while :; do sleep 1; done"
	r := a.call("start_process", args{"command": "sh", "args": []string{"-c", script}, "wait_for": "ready", "timeout": callTimeout})
	id := r.SessionID
	a.fails("delete_session", args{"session_id": id}, id, "running", "terminate_process")
	r = a.call("terminate_process", args{"session_id": id, "grace_period": 1})
	if r.ExitCode == nil || *r.ExitCode != 128+9 {
		t.Errorf("exit code %v, want that of SIGKILL", r.ExitCode)
	}
	a.call("delete_session", args{"session_id": id})

	// Leave another one running when the server ends: the cleanup of connect checks that
	// it is gone.
	a.call("start_process", args{"command": "sh", "args": []string{"-c", script}, "wait_for": "ready", "timeout": callTimeout})
}

// strays is a shell command that starts processes outside the shell's process group and
// session. One is a grandchild whose parent has ended, so only a subreaper can find it.
const strays = `(setsid sh -c 'trap "" TERM HUP; sleep 1000 & wait' &) ; setsid sleep 1000 & echo started`

func TestTerminateLeavesNoDescendant(t *testing.T) {
	need.Program(t, "bash")
	need.Program(t, "setsid")
	t.Parallel()
	a := connect(t)
	before := len(leftovers(a.mark)) // the server itself
	r := a.call("start_process", args{"command": "bash", "args": []string{"-c", strays + "; sleep 1000"}, "wait_for": "started", "timeout": callTimeout})
	a.call("terminate_process", args{"session_id": r.SessionID, "grace_period": 1})
	if left := leftovers(a.mark); len(left) != before {
		t.Errorf("processes after terminate_process, including the server: %q", left)
	}
}

// TestServerExitLeavesNoDescendant checks that a server whose input ends leaves no strays.
// The cleanup of connect looks for them.
func TestServerExitLeavesNoDescendant(t *testing.T) {
	need.Program(t, "bash")
	need.Program(t, "setsid")
	t.Parallel()
	a := connect(t)
	// One session still runs. Of the other only the strays are left.
	a.call("start_process", args{"command": "bash", "args": []string{"-c", strays + "; sleep 1000"}, "wait_for": "started", "timeout": callTimeout})
	a.call("start_process", args{"command": "bash", "args": []string{"-c", strays}, "wait_for": "started", "timeout": callTimeout})
}

// TestTwentySessions checks that twenty shells at once each give their own answers.
func TestTwentySessions(t *testing.T) {
	need.Program(t, "bash")
	t.Parallel()
	a := connect(t)
	var wg sync.WaitGroup
	for n := range 20 {
		wg.Go(func() {
			r, err := a.try("start_process", args{"command": "bash", "name": fmt.Sprintf("shell-%d", n), "timeout": callTimeout})
			for round := 0; err == nil && round < 5; round++ {
				word := fmt.Sprintf("answer-%d-%d", n, round)
				r, err = a.try("send_and_read", args{"session_id": fmt.Sprintf("shell-%d", n),
					"text": "echo " + word, "press_enter": true, "wait_for": "^" + word + "$", "timeout": callTimeout})
				if err == nil && (r.Reason != "matched" || strings.Count(r.Output, "answer-") != 1 || !strings.Contains(r.Output, word)) {
					t.Errorf("shell %d, round %d: reason %q, output %q", n, round, r.Reason, r.Output)
				}
			}
			if err != nil {
				t.Errorf("shell %d: %v", n, err)
			}
		})
	}
	wg.Wait()
	if got := len(a.call("list_sessions", nil).Sessions); got != 20 {
		t.Errorf("list_sessions shows %d sessions, want 20", got)
	}
}
