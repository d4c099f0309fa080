package fleet

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/session/eventlog"
)

// TestRecordingDeleted deletes sessions: while the link is there, and while it is away and
// the node's server is restarted before it comes back. No piece of them stays.
func TestRecordingDeleted(t *testing.T) {
	t.Parallel()
	o := withRecords(t)
	nats1 := startNATS(t, o)
	url := nats1.ClientURL()
	a := openArchive(t, url)
	home := t.TempDir()
	node := startIn(t, home, url, "node", recording)
	one, two, three := node.start(""), node.start(""), node.start("")
	for _, id := range []string{one, two, three} {
		node.noise(id, 60<<10, "some")
		a.same(node, "node", id)
	}
	empty := func(id string) bool {
		t.Helper()
		found := 0
		err := a.m.ReadRecording(t.Context(), a.named("node", id), func(fleet.Piece) error { found++; return nil })
		if err != nil {
			t.Log(err)
		}
		return err == nil && found == 0
	}
	a.named("node", one)
	a.named("node", two)
	node.call("terminate_process", args{"session_id": one})
	node.call("delete_session", args{"session_id": one})
	node.await("the end of the deleted recording", func() bool { return empty(one) })

	o.Port = portOf(nats1)
	nats1.Shutdown()
	nats1.WaitForShutdown()
	node.call("terminate_process", args{"session_id": two, "delete": true})
	node.end(syscall.SIGKILL)
	node = startIn(t, home, url, "node", recording)
	startNATS(t, o)
	node.await("the end of the recording that was deleted before", func() bool { return empty(two) })
	a.same(node, "node", three)
	node.await("that nothing is to be forgotten", func() bool {
		left, err := os.ReadDir(filepath.Join(home, ".local", "state", "glasstty", "unshipped"))
		return err == nil && len(left) == 0
	})
}

// TestRecordingCut has a log that is cut by another program, and one whose file goes.
func TestRecordingCut(t *testing.T) {
	t.Parallel()
	url := startNATS(t, withRecords(t)).ClientURL()
	a := openArchive(t, url)
	node := startNode(t, url, "node", recording, "--log-size", "1")
	cut, removed := node.start(""), node.start("")
	for _, id := range []string{cut, removed} {
		node.noise(id, 40<<10, "before")
		a.same(node, "node", id)
	}
	first := func(id string) string {
		return filepath.Join(string(node.logOf(id)), eventlog.SegmentName(0))
	}
	if err := os.Truncate(first(cut), 20<<10); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(first(removed)); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{cut, removed} {
		for i := range 5 { // until another segment has begun
			node.noise(id, 100<<10, fmt.Sprint("after", i))
		}
		node.await("what comes after the gap", func() bool {
			got, gaps, err := a.fetch("node", id)
			if err != nil || !strings.Contains(gaps, "in the middle are missing") {
				return false
			}
			for _, data := range segments(t, got) {
				if bytes.Contains(data, []byte("after4-done")) {
					return true
				}
			}
			return false
		})
	}
	if !strings.Contains(node.said(), "a recording has a gap") {
		t.Errorf("the log of the node is %s", node.said())
	}
}

// TestNoRecordings has NATS keep nothing, and a server that has nothing to ship.
func TestNoRecordings(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	node := startNode(t, url, "node", recording)
	id := node.start("")
	node.await("that it says so", func() bool { return strings.Contains(node.said(), "recordings are not shipped") })
	if !strings.Contains(node.said(), "it needs JetStream") {
		t.Errorf("the node says %s", node.said())
	}
	if _, data := node.call("send_and_read", args{"session_id": id, "text": "echo $((6*7))", "press_enter": true}); data["output"] != "42" {
		t.Errorf("the session answers %v", data)
	}
	node.call("terminate_process", args{"session_id": id, "delete": true})
	for _, words := range [][]string{
		{"serve", "--fleet", url, recording, "--data-dir", "none"},
		{"serve", recording},
	} {
		out, err := exec.Command(binary, words...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), recording) {
			t.Errorf("%v: %v: %s", words, err, out)
		}
	}
	if out, err := exec.Command(binary, "export", "--fleet", url, "node/s1").CombinedOutput(); err == nil || !strings.Contains(string(out), "recordings") {
		t.Errorf("export without JetStream: %v: %s", err, out)
	}
}
