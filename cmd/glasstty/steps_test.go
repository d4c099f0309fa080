package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestStepsSurvive kills the daemon in the middle of a run of steps. It checks that the
// next server does the remaining steps, and that no step is done twice.
func TestStepsSurvive(t *testing.T) {
	need.Program(t, "bash")
	t.Parallel()
	d := newDaemonRig(t)
	a := d.client(d.home)
	id := a.call("start_process", args{"command": "bash", "args": []string{"--norc"}}).SessionID
	file := filepath.Join(t.TempDir(), "done")
	var steps []args
	var want strings.Builder
	for i := range 8 {
		steps = append(steps, args{"expect": `\$ $|# $`, "text": fmt.Sprintf("echo %d >>%s; sleep 0.2", i, file), "press_enter": true, "timeout": 20})
		fmt.Fprintln(&want, i)
	}
	ended := make(chan string, 1)
	go func() {
		r, err := a.try("run_steps", args{"session_id": id, "steps": steps})
		ended <- fmt.Sprint(err, "\n", r.Text)
	}()
	for _, lines := range []int{2, 5} {
		d.await(fmt.Sprintf("%d steps", lines), func() bool {
			text, err := os.ReadFile(file)
			return err == nil && strings.Count(string(text), "\n") >= lines
		})
		if err := kill(d.server(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	text := <-ended
	if err := a.session.Close(); err != nil {
		t.Error(err)
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != want.String() {
		t.Errorf("steps done: %q, %v", got, err)
	}
	if !strings.HasPrefix(text, "<nil>") || strings.Contains(text, "stopped") || !strings.Contains(text, "[step 7 · prompt · ") {
		t.Error(text)
	}
}
