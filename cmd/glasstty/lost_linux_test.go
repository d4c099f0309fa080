package main

import (
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestTerminateLost kills the keeper, alone and with its server. It checks that
// terminate_process ends the programs left behind and reports no exit code, and that
// answers say how the session was lost.
func TestTerminateLost(t *testing.T) {
	need.Program(t, "bash")
	need.Program(t, "setsid")
	for name, both := range map[string]bool{"keeper": false, "keeper and server": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDaemonRig(t)
			a := d.client(d.home)
			id := a.start("bash", "--norc").SessionID
			a.line(id, "nohup sleep 1335 >/dev/null 2>&1 & setsid sleep 1336 </dev/null >/dev/null 2>&1 & true")
			// Count only processes that already run sleep, which a hangup does not end.
			asleep := regexp.MustCompile(`(?m)^\d+ sleep 133`)
			sleeping := func() int { return len(asleep.FindAllString(strings.Join(leftovers(d.mark), "\n"), -1)) }
			d.await("both sleep", func() bool { return sleeping() == 2 })
			keeper, server := d.keeperPID(), d.server()
			if both {
				if err := kill(server, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
			}
			if err := kill(keeper, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			if both {
				d.await("both are dead", func() bool { return syscall.Kill(server, 0) != nil && syscall.Kill(keeper, 0) != nil })
			}
			b := d.client(d.home)
			d.await("the session is lost", func() bool {
				list := b.call("list_sessions", nil)
				return len(list.Sessions) == 1 && list.Sessions[0].Status == "lost"
			})
			if n := sleeping(); n != 2 {
				t.Fatalf("%d programs left behind, want 2", n)
			}
			if r := b.call("read_output", args{"session_id": id}); !strings.Contains(r.Text, "lost when the process that held its program ended without warning") {
				t.Errorf("read_output: %s", r.Text)
			}
			r := b.call("terminate_process", args{"session_id": id})
			if strings.Contains(r.Text, "exited") || !strings.Contains(r.Text, "lost") || r.Status != "lost" || r.ExitCode != nil {
				t.Errorf("terminate_process: %s, status %s, exit code %v", r.Text, r.Status, r.ExitCode)
			}
			if n := sleeping(); n > 0 {
				t.Errorf("%d programs still run after terminate_process", n)
			}
			b.fails("send_and_read", args{"session_id": id, "text": "x"}, "lost when the process that held its program ended without warning")
			b.call("delete_session", args{"session_id": id})
			for _, c := range []*agent{a, b} {
				if err := c.session.Close(); err != nil && !both {
					t.Error(err)
				}
			}
		})
	}
}
