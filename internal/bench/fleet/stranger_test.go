package fleet

import (
	"bytes"
	"compress/flate"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/glasstty/glasstty/internal/tempdir"
)

// TestRecordingOfStranger checks the recordings of hosts that no server has heard of: a listed
// recording can be read, or the error says why not.
func TestRecordingOfStranger(t *testing.T) {
	t.Parallel()
	url := startNATS(t, withRecords(t)).ClientURL()
	node := startNode(t, url, "node", recording)
	id := "node/" + node.start("")
	node.call("send_and_read", args{"session_id": "s1", "text": "echo $((6*7))", "press_enter": true})
	a := openArchive(t, url)
	a.same(node, "node", "s1")
	node.end(syscall.SIGKILL)
	if err := a.js.DeleteKeyValue("glasstty-nodes"); err != nil {
		t.Fatal(err)
	}
	for _, subject := range []string{"empty.rec._.s3-1.meta.0", "broken.rec._.s4-1.meta.0", "broken.rec._.s4-1.0.0"} {
		var piece bytes.Buffer
		z, err := flate.NewWriter(&piece, flate.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := z.Write([]byte("nonsense\n")); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		msg := nats.NewMsg("glasstty.from." + subject)
		msg.Header.Set("Glasstty-Kind", "piece")
		msg.Data = piece.Bytes()
		if _, err := a.js.PublishMsg(msg); err != nil {
			t.Fatal(err)
		}
	}
	gate := startNode(t, url, "gate", "--gateway", recording)
	list, _ := gate.call("list_sessions", nil)
	for _, want := range []string{id + " lost", "empty/s3 lost", "broken/s4 lost"} {
		if !strings.Contains(list, want) {
			t.Errorf("list_sessions answers\n%s\nwant %q", list, want)
		}
	}
	if text, _ := gate.call("snapshot", args{"session_id": id}); !strings.Contains(text, "\n42\n") || !strings.Contains(text, "host node is lost") {
		t.Errorf("the screen is %s", text)
	}
	gate.fails("send_input", args{"session_id": id, "text": "x"}, "host node is lost", "left the fleet")
	gate.fails("snapshot", args{"session_id": "node/s9"}, "host node is lost", `no log of a session "s9"`)
	gate.fails("snapshot", args{"session_id": "empty/s3"}, "host empty is lost", "cannot be read: no log")
	if text, _ := gate.call("snapshot", args{"session_id": "broken/s4"}); !strings.Contains(text, "1 record of the log cannot be read") {
		t.Errorf("the screen of a broken recording is %s", text)
	}
	gate.fails("snapshot", args{"session_id": "typo/s1"}, "no such host")
	if dirs, err := filepath.Glob(filepath.Join(os.TempDir(), "glasstty-"+tempdir.Recordings+"-*", "typo")); err != nil || len(dirs) > 0 {
		t.Errorf("the cache for a host without recordings contains %q, %v", dirs, err)
	}
	startIn(t, node.home, url, "node", recording) // to end its programs
}
