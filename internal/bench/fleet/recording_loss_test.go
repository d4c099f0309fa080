package fleet

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/session/eventlog"
)

// TestRecordingDeleted checks that no piece of a deleted session's recording remains, whether the
// session is deleted while NATS is up, or while it is down and the node's server restarts before
// NATS does.
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
	node.await("the removal of the deleted recording", func() bool { return empty(one) })

	o.Port = portOf(nats1)
	nats1.Shutdown()
	nats1.WaitForShutdown()
	node.call("terminate_process", args{"session_id": two, "delete": true})
	node.end(syscall.SIGKILL)
	node = startIn(t, home, url, "node", recording)
	startNATS(t, o)
	node.await("the removal of the recording that was deleted while NATS was down", func() bool { return empty(two) })
	a.same(node, "node", three)
	node.await("the removal of all unshipped entries", func() bool {
		left, err := os.ReadDir(filepath.Join(home, ".local", "state", "glasstty", "unshipped"))
		return err == nil && len(left) == 0
	})
}

// TestRecordingCut checks the recordings of a log that another program truncated and of one whose
// file was removed: they continue after a gap.
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
		for i := range 5 { // enough for a new segment
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
		t.Errorf("the node's log does not report the gap: %s", node.said())
	}
}

// TestNoRecordings checks a NATS server without JetStream: the node logs a warning, its sessions
// work, and commands that need what is missing name it.
func TestNoRecordings(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	node := startNode(t, url, "node", recording)
	id := node.start("")
	node.await("the warning", func() bool { return strings.Contains(node.said(), "recordings are not shipped") })
	if !strings.Contains(node.said(), "it needs JetStream") {
		t.Errorf("the node logs %s", node.said())
	}
	if _, data := node.call("send_and_read", args{"session_id": id, "text": "echo $((6*7))", "press_enter": true}); data["output"] != "42" {
		t.Errorf("the session answers %v", data)
	}
	node.call("terminate_process", args{"session_id": id, "delete": true})
	for _, words := range [][]string{
		{"serve", "--fleet", url, recording, "--data-dir", "none"},
		{"serve", recording},
	} {
		out, err := command(words...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), recording) {
			t.Errorf("%v: %v: %s", words, err, out)
		}
	}
	for want, words := range map[string][]string{
		"a gateway with --fleet-recordings": {"export", "--fleet", url, "node/s1"},
		"a gateway with --audit-log":        {"fleet", "audit", "--fleet", url},
		"--fleet URL or GLASSTTY_FLEET":     {"export", "node/s1"},
	} {
		if out, err := command(words...).CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: %v: %s", words, err, out)
		}
	}
}

// TestNATSLosesAll checks a NATS server that restarts without its stored data: the gateway
// creates the streams again, and the node writes its record, ships the new part of its recording,
// and ships its audit log again.
func TestNATSLosesAll(t *testing.T) {
	t.Parallel()
	o := withRecords(t)
	nats1 := startNATS(t, o)
	url := nats1.ClientURL()
	log := filepath.Join(t.TempDir(), "log")
	gate := startNode(t, url, "gate", "--gateway", recording, "--audit-log", filepath.Join(t.TempDir(), "log"))
	node := startNode(t, url, "node", recording, "--audit-log", log)
	gate.knows("node")
	id := gate.start("node")
	record := records(t, url)
	node.await("the record", func() bool { s, ok := record("node"); return ok && s.Sessions == 1 })
	a := openArchive(t, url)
	a.same(node, "node", "s1")

	o.Port, o.StoreDir = portOf(nats1), t.TempDir()
	nats1.Shutdown()
	nats1.WaitForShutdown()
	startNATS(t, o)
	node.await("the record", func() bool { s, ok := record("node"); return ok && s.Sessions == 1 })
	node.call("send_and_read", args{"session_id": "s1", "text": "echo la''ter", "press_enter": true})
	node.await("the recording of what is new", func() bool {
		got, _, err := a.fetch("node", "s1")
		return err == nil && bytes.Contains(bytes.Join(slices.Collect(maps.Values(segments(t, got))), nil), []byte("later"))
	})
	node.await("the audit records, old ones too", func() bool { return auditStream(url, "node") == auditFile(t, log) })
	if _, _, err := gate.invoke(t.Context(), "snapshot", args{"session_id": id}); err != nil {
		t.Error(err)
	}
}

// TestReadPurged checks that reading a recording ends without an error if its pieces are purged
// while it is read.
func TestReadPurged(t *testing.T) {
	t.Parallel()
	a := openArchive(t, startNATS(t, withRecords(t)).ClientURL())
	streamOf(t, a.js, nats.DiscardOld, 64<<20)
	const pieces = 40 // more than the few MB that NATS sends ahead
	noise := make([]byte, a.m.MaxPiece()-1<<10)
	rand.Read(noise)
	for i := range pieces {
		p := fleet.Piece{Recording: fleet.Recording{Name: "s1-1"}, File: "0", Offset: int64(i * len(noise)), Data: noise}
		if _, err := a.m.Ship(t.Context(), p, 0); err != nil {
			t.Fatal(err)
		}
	}
	all, err := a.m.Recordings("reader", "0")
	if err != nil || len(all) != 1 {
		t.Fatalf("Recordings = %v, %v, want one recording", all, err)
	}
	read := 0
	err = a.m.ReadRecording(t.Context(), all[0], func(fleet.Piece) error {
		if read++; read > 1 {
			return nil
		}
		return a.js.PurgeStream("glasstty-recordings")
	})
	if err != nil || read == 0 || read == pieces {
		t.Errorf("read %d pieces, %v, want some of the pieces and no error", read, err)
	}
}
