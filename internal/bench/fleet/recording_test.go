package fleet

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/internal/tempdir"
	"github.com/glasstty/glasstty/session/archive"
	"github.com/glasstty/glasstty/session/eventlog"
)

// recording is the flag under test.
const recording = "--fleet-recordings"

// An archived reads the recordings in the stream.
type archived struct {
	t   testing.TB
	m   fleet.RecordingStream
	js  nats.JetStreamContext
	was map[string]fleet.Recording // recordings found so far, by node and session
}

// openArchive opens the recordings on a NATS server.
func openArchive(t testing.TB, url string) *archived {
	t.Helper()
	conn, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := conn.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	m, err := fleet.Join(t.Context(), fleet.Options{URL: url, Name: "reader"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return &archived{t, m.Recordings(), js, map[string]fleet.Recording{}}
}

// named returns the recording of a session. It remembers recordings, so it also finds those
// deleted since the last call.
func (a *archived) named(node, id string) fleet.Recording {
	a.t.Helper()
	if r, ok := a.was[node+id]; ok {
		return r
	}
	k, err := archive.Find(a.m, node, id)
	if err != nil {
		a.t.Fatal(err)
	}
	a.was[node+id] = k.Recording
	return k.Recording
}

// fetch returns the recording of a session as a log, and its gaps.
func (a *archived) fetch(node, id string) (dir eventlog.DirStore, gaps string, err error) {
	a.t.Helper()
	k, err := archive.Find(a.m, node, id)
	if err != nil {
		return "", "", err
	}
	dir = eventlog.DirStore(a.t.TempDir())
	gaps, err = archive.Fetch(a.t.Context(), a.m, k, dir)
	return dir, gaps, err
}

// logOf waits until a session's log on the node has its metadata, which a goroutine writes, and
// returns the log's directory.
func (p *process) logOf(id string) (dir eventlog.DirStore) {
	p.t.Helper()
	p.await("the log of "+id, func() bool {
		var err error
		dir, err = eventlog.Find(filepath.Join(p.home, ".local", "state", "glasstty"), id)
		return err == nil
	})
	return dir
}

// segments returns the contents of a log's segments by their offsets.
func segments(t testing.TB, dir eventlog.DirStore) map[int64][]byte {
	t.Helper()
	offsets, _, err := eventlog.Offsets(dir)
	out := map[int64][]byte{}
	for _, o := range offsets {
		if out[o], err = os.ReadFile(filepath.Join(string(dir), eventlog.SegmentName(o))); err != nil {
			t.Fatal(err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// same waits until the recording of a session equals its log byte for byte.
func (a *archived) same(p *process, node, id string) {
	a.t.Helper()
	want := p.logOf(id)
	p.await("the recording of "+id, func() bool {
		got, gaps, err := a.fetch(node, id)
		if err != nil || gaps != "" {
			return false
		}
		have := segments(a.t, got)
		for offset, data := range segments(a.t, want) {
			if !bytes.Equal(have[offset], data) {
				return false
			}
		}
		return true
	})
}

// fitting checks that the existing parts of a recording equal the log, and that the missing ones
// are listed as gaps. It returns the number of missing bytes.
func (a *archived) fitting(log map[int64][]byte, node, id string) (missing int64) {
	a.t.Helper()
	got, gaps, err := a.fetch(node, id)
	if err != nil {
		a.t.Fatal(err)
	}
	have := segments(a.t, got)
	var at int64
	var all []byte
	for _, offset := range slices.Sorted(mapKeys(log)) {
		if int64(len(all)) != offset {
			a.t.Fatalf("the log has a gap before offset %d", offset)
		}
		all = append(all, log[offset]...)
	}
	for _, offset := range slices.Sorted(mapKeys(have)) {
		data := have[offset]
		missing += offset - at
		at = offset + int64(len(data))
		if log[offset] == nil { // it starts after a gap, so it has a new header
			head := bytes.IndexByte(data, '\n') + 1
			offset, data = offset+int64(head), data[head:]
		}
		if int64(len(all)) < offset+int64(len(data)) || !bytes.Equal(all[offset:offset+int64(len(data))], data) {
			a.t.Errorf("the recording differs from the log at offset %d", offset)
		}
	}
	if missing > 0 && !strings.Contains(gaps, "bytes") {
		a.t.Errorf("%d bytes are missing, but the gaps are %q", missing, gaps)
	}
	return missing
}

// mapKeys returns an iterator over the keys of a map.
func mapKeys(m map[int64][]byte) func(func(int64) bool) {
	return func(yield func(int64) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// noise makes a session print n bytes that compress poorly, followed by word and "-done".
func (p *process) noise(id string, n int, word string) {
	p.t.Helper()
	text := fmt.Sprintf("head -c %d /dev/urandom | base64; echo %s-do''ne", n*3/4, word)
	p.call("send_input", args{"session_id": id, "text": text, "press_enter": true})
	p.call("wait_for", args{"session_id": id, "pattern": word + "-done", "timeout": patience.Seconds()})
}

// TestRecordings checks that a gateway can read the shipped part of a node's sessions after the
// node was killed, after it is marked as lost, and after it is back.
func TestRecordings(t *testing.T) {
	t.Parallel()
	url := startNATS(t, withRecords(t)).ClientURL()
	gate := startNode(t, url, "gate", "--gateway", recording)
	home := t.TempDir()
	node := startIn(t, home, url, "node", recording)
	gate.knows("node")
	id := gate.start("node")
	gate.call("send_and_read", args{"session_id": id, "text": "echo one; echo $((6*7))", "press_enter": true})
	gate.call("send_and_read", args{"session_id": id, "text": "read -s -p 'Password: ' secret", "press_enter": true})
	gate.call("send_and_read", args{"session_id": id, "text": "hunter2", "press_enter": true})
	gate.call("send_and_read", args{"session_id": id, "text": "clear; echo two", "press_enter": true})
	a := openArchive(t, url)
	a.same(node, "node", "s1")
	a.named("node", "s1")
	for _, data := range segments(t, node.logOf("s1")) {
		if bytes.Contains(data, []byte("hunter2")) {
			t.Error("the log contains the secret")
		}
	}
	_, before := gate.call("snapshot", args{"session_id": id})
	node.end(syscall.SIGKILL)

	late := startNode(t, url, "late", "--gateway", recording)
	late.await("the session's recording", func() bool {
		text, data := late.call("list_sessions", nil)
		return strings.Contains(text, "node/s1 unreachable") && strings.Contains(text, "its recording can be read") && strings.Contains(fmt.Sprint(data), "recorded_until")
	})
	reads := func(p *process, state string) {
		t.Helper()
		text, after := p.call("snapshot", args{"session_id": id})
		if after["screen"] != before["screen"] || after["revision"] != before["revision"] || after["session_id"] != id {
			t.Errorf("the screen was\n%v\nand is\n%v", before, after)
		}
		if !strings.Contains(text, "host node "+state) || !strings.Contains(text, "from its recording") {
			t.Errorf("the snapshot does not name its source: %s", text)
		}
		if _, data := p.call("snapshot", args{"session_id": id, "at": "m1"}); !strings.Contains(fmt.Sprint(data["screen"]), "echo one") {
			t.Errorf("the screen after the first input is %v", data["screen"])
		}
		if text, _ := p.call("read_output", args{"session_id": id, "tail": 100}); !strings.Contains(text, "42") {
			t.Errorf("the history is %s", text)
		}
	}
	reads(late, "does not answer")
	if text, data := late.call("read_output", args{"session_id": id}); data["status"] != "unreachable" || data["is_complete"] != false || strings.Contains(text, "start_process") || !strings.Contains(text, "[node/s1 unreachable ·") || strings.Contains(text, "[node/s1 lost") {
		t.Errorf("read_output of a session that may still run: %v\n%s", data, text)
	}
	if text, data := late.call("get_session_info", args{"session_id": id}); data["recording_path"] != nil || strings.Contains(text, "recording_path: ") {
		t.Errorf("the answer names a temporary file of the gateway: %v\n%s", data, text)
	} else if data["status"] != "unreachable" || data["reason"] != nil || data["recorded_until"] == nil || strings.Contains(text, `reason: "exited"`) || !strings.Contains(text, "[node/s1 unreachable]") {
		t.Errorf("a session that may still run: %v\n%s", data, text)
	}
	late.fails("snapshot", args{"session_id": "nosuchhost/s1"}, "no such host")
	for name, want := range map[string]bool{"node": true, "nosuchhost": false} {
		dirs, err := filepath.Glob(filepath.Join(os.TempDir(), "glasstty-"+tempdir.Recordings+"-*", name))
		if err != nil || len(dirs) > 0 != want {
			t.Errorf("the cache for host %s contains %q, %v", name, dirs, err)
		}
	}
	late.fails("wait_for", args{"session_id": id, "until": "exit"}, "node is unreachable")
	late.fails("send_input", args{"session_id": id, "text": "x"}, "node is unreachable")
	late.fails("delete_session", args{"session_id": id}, "node is unreachable")
	late.fails("snapshot", args{"session_id": "node/s7"}, "node is unreachable (", "(list_sessions lists them)")

	out, err := command("export", "--fleet", url, "--format", "text", "node/s1").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "42") || strings.Contains(string(out), "hunter2") {
		t.Errorf("export: %v: %s", err, out)
	}
	if out, err := natsCommand(late, "forget", "node"); err != nil {
		t.Fatal(out, err)
	}
	late.await("the lost session", func() bool {
		text, _ := late.call("list_sessions", nil)
		return strings.Contains(text, "node/s1 lost")
	})
	reads(late, "is lost")
	reads(gate, "is lost")
	late.call("delete_session", args{"session_id": id})
	if text, _ := late.call("list_sessions", nil); strings.Contains(text, "node/s1") {
		t.Errorf("a deleted session is listed: %s", text)
	}
	if a.left("node", "s1") {
		t.Error("a part of the deleted session's recording remains")
	}
	startIn(t, home, url, "node", recording) // with its program still running
	late.await("the node", func() bool {
		_, data, err := late.invoke(t.Context(), "snapshot", args{"session_id": id})
		return err == nil && data["screen"] == before["screen"]
	})
}

// streamOf creates the recordings stream as an operator might.
func streamOf(t *testing.T, js nats.JetStreamContext, discard nats.DiscardPolicy, size int64) {
	t.Helper()
	_, err := js.AddStream(&nats.StreamConfig{Name: "glasstty-recordings", Subjects: []string{"glasstty.from.*.rec.*.*.*.*"},
		MaxMsgsPerSubject: 1, MaxBytes: size, Discard: discard})
	if err != nil {
		t.Fatal(err)
	}
}

// left reports whether any part remains of a recording that was found before.
func (a *archived) left(node, id string) (some bool) {
	a.t.Helper()
	err := a.m.ReadRecording(a.t.Context(), a.named(node, id), func(fleet.Piece) error { some = true; return nil })
	if err != nil {
		a.t.Fatal(err)
	}
	return some
}

// resize sets the size limit of the stream.
func (a *archived) resize(size int64) {
	a.t.Helper()
	info, err := a.js.StreamInfo("glasstty-recordings")
	if err == nil {
		info.Config.MaxBytes = size
		_, err = a.js.UpdateStream(&info.Config)
	}
	if err != nil {
		a.t.Fatal(err)
	}
}

// TestFullStream checks that after a full stream gets more room, the recordings equal the logs
// byte for byte. After the stream is deleted and created again, the gap is reported.
func TestFullStream(t *testing.T) {
	t.Parallel()
	url := startNATS(t, withRecords(t)).ClientURL()
	a := openArchive(t, url)
	const room = 300 << 10
	streamOf(t, a.js, nats.DiscardNew, room)
	node := startNode(t, url, "node", recording)
	one, two := node.start(""), node.start("")
	for i := range 3 {
		node.noise(one, 200<<10, fmt.Sprint("first", i))
		node.noise(two, 20<<10, fmt.Sprint("second", i))
	}
	node.await("the warning about the full stream", func() bool { return strings.Contains(node.said(), "recordings are not shipped") })
	for i := range 10 { // small pieces; the full stream has room for some of them
		node.noise(one, 3<<10, fmt.Sprint("third", i))
		node.noise(two, 300, fmt.Sprint("fourth", i))
	}
	a.resize(64 << 20)
	a.same(node, "node", one)
	a.same(node, "node", two)

	if err := a.js.PurgeStream("glasstty-recordings"); err == nil {
		t.Error("the stream can be purged: NATS would take its own acknowledgement for a purge request")
	}
	if err := a.js.DeleteStream("glasstty-recordings"); err != nil {
		t.Fatal(err)
	}
	streamOf(t, a.js, nats.DiscardNew, 64<<20)
	node.noise(one, 100<<10, "later")
	node.await("what comes after the loss", func() bool {
		got, _, err := a.fetch("node", one)
		if err != nil {
			return false
		}
		for _, data := range segments(t, got) {
			if bytes.Contains(data, []byte("later-done")) {
				return true
			}
		}
		return false
	})
	if missing := a.fitting(segments(t, node.logOf(one)), "node", one); missing < 500<<10 {
		t.Errorf("%d bytes are missing after the loss, want at least 500 KB", missing)
	}
}

// TestDiscardedStream checks a recording whose old pieces the stream discards: the beginning is
// reported as missing, and a gateway can show the last screen.
func TestDiscardedStream(t *testing.T) {
	t.Parallel()
	url := startNATS(t, withRecords(t)).ClientURL()
	a := openArchive(t, url)
	streamOf(t, a.js, nats.DiscardOld, 1<<20)
	node := startNode(t, url, "node", recording)
	id := node.start("")
	for i := range 8 {
		node.noise(id, 400<<10, fmt.Sprint("part", i))
	}
	node.await("the end of the recording", func() bool {
		got, gaps, err := a.fetch("node", id)
		if err != nil || !strings.Contains(gaps, "its first") {
			return false
		}
		for _, data := range segments(t, got) {
			if bytes.Contains(data, []byte("part7-done")) {
				return true
			}
		}
		return false
	})
	if missing := a.fitting(segments(t, node.logOf(id)), "node", id); missing < 1<<20 {
		t.Errorf("%d bytes are missing, want at least 1 MB", missing)
	}
	_, before := node.call("snapshot", args{"session_id": id})
	gate := startNode(t, url, "gate", "--gateway", recording)
	gate.knows("node")
	node.end(syscall.SIGKILL)
	gate.await("the recording", func() bool {
		_, data, err := gate.invoke(t.Context(), "snapshot", args{"session_id": "node/" + id})
		return err == nil && data["screen"] == before["screen"]
	})
	startIn(t, node.home, url, "node", recording) // to end its programs
}

// TestRecordingStop checks that after a node was stopped with SIGTERM, its recordings say that the
// programs have exited, even after the node was restarted and killed.
func TestRecordingStop(t *testing.T) {
	t.Parallel()
	url := startNATS(t, withRecords(t)).ClientURL()
	gate := startNode(t, url, "gate", recording, "--gateway")
	node := startNode(t, url, "node", recording)
	gate.knows("node")
	id := gate.start("node")
	gate.call("send_and_read", args{"session_id": id, "text": "echo $((6*7))", "press_enter": true})
	ended := func(when string) {
		t.Helper()
		text, _ := gate.call("list_sessions", args{"host": "node"})
		if !strings.Contains(text, id+" exited") {
			t.Errorf("%s, list_sessions answers %s", when, text)
		}
	}
	node.end(syscall.SIGTERM)
	ended("after the stop")
	again := startIn(t, node.home, url, "node", recording)
	gate.knows("node")
	again.end(syscall.SIGKILL)
	gate.fails("start_process", args{"command": "cat", "host": "node"}, "unreachable")
	ended("after the second server was killed")
}

// TestRecordingRestart checks the recording of a node whose server is killed in the middle of
// segments, and of one whose log drops old output while NATS is down.
func TestRecordingRestart(t *testing.T) {
	t.Parallel()
	o := withRecords(t)
	nats1 := startNATS(t, o)
	url := nats1.ClientURL()
	a := openArchive(t, url)
	home := t.TempDir()
	flags := []string{recording, "--log-size", "1"}
	node := startIn(t, home, url, "node", flags...)
	id := node.start("")
	for i := range 3 {
		node.noise(id, 100<<10, fmt.Sprint("before", i))
		node.call("send_input", args{"session_id": id, "text": "head -c 60000 /dev/urandom | base64; echo mid''dle", "press_enter": true})
		node.end(syscall.SIGKILL)
		node = startIn(t, home, url, "node", flags...)
		node.call("wait_for", args{"session_id": id, "pattern": "middle", "timeout": patience.Seconds()})
	}
	a.same(node, "node", id)

	o.Port = portOf(nats1)
	nats1.Shutdown()
	nats1.WaitForShutdown()
	for i := range 20 {
		node.noise(id, 100<<10, fmt.Sprint("away", i))
	}
	startNATS(t, o)
	node.noise(id, 1<<10, "again")
	node.await("the recording after the gap", func() bool {
		got, gaps, err := a.fetch("node", id)
		if err != nil || !strings.Contains(gaps, "bytes in the middle are missing") {
			return false
		}
		have := segments(t, got)
		for offset, data := range segments(t, node.logOf(id)) {
			if !bytes.Equal(have[offset], data) {
				return false
			}
		}
		return true
	})
}

// end returns the log offset at which a recording ends in the stream, or 0 if metadata came last.
func (a *archived) end(r fleet.Recording) int64 {
	a.t.Helper()
	p, err := a.m.Last(r, "*")
	segment, ok := strconv.ParseInt(p.File, 10, 64)
	if err != nil || ok != nil {
		return 0 // metadata came last
	}
	return segment + p.Offset + int64(len(p.Data))
}

// BenchmarkRecordings measures how long a program takes to print 100 MB on a node that ships
// recordings and on one that does not, and how long it takes afterwards until everything is in
// the stream.
func BenchmarkRecordings(b *testing.B) {
	const size = 100 << 20
	run := func(b *testing.B, flags ...string) {
		o := withRecords(b)
		url := startNATS(b, o).ClientURL()
		node := startNode(b, url, "node", append(flags, "--log-size", "512")...)
		a := openArchive(b, url)
		for i := range b.N {
			id := node.start("")
			var r fleet.Recording
			if len(flags) > 0 {
				node.await("the recording", func() bool { _, err := archive.Find(a.m, "node", id); return err == nil })
				r = a.named("node", id)
			}
			begun := time.Now()
			node.call("send_input", args{"session_id": id, "press_enter": true,
				"text": fmt.Sprintf("seq -f 'src/%d/main.go:%%.0f: a line as a build prints it, with a word or two more' 9999999 | head -c %d; echo al''l-done", i, size)})
			node.call("wait_for", args{"session_id": id, "pattern": "all-done", "timeout": patience.Seconds()})
			printed := time.Since(begun)
			b.ReportMetric(size/1e6/printed.Seconds(), "printed-MB/s")
			if len(flags) == 0 {
				continue
			}
			var log int64
			for offset, data := range segments(b, node.logOf(id)) {
				log = max(log, offset+int64(len(data)))
			}
			node.await("the end", func() bool { return a.end(r) >= log })
			b.ReportMetric(float64(log)/1e6/time.Since(begun).Seconds(), "shipped-MB/s")
			b.ReportMetric((time.Since(begun) - printed).Seconds(), "behind-s")
			begun = time.Now()
			node.call("send_and_read", args{"session_id": id, "text": "echo x", "press_enter": true})
			node.await("a line", func() bool { return a.end(r) > log })
			b.ReportMetric(time.Since(begun).Seconds(), "lag-of-a-line-s")
		}
	}
	b.Run("without", func(b *testing.B) { run(b) })
	b.Run("recorded", func(b *testing.B) { run(b, recording) })
	b.Run("behind", func(b *testing.B) { // a log that exists already
		url, home := startNATS(b, withRecords(b)).ClientURL(), b.TempDir()
		node := startIn(b, home, url, "node", "--log-size", "512")
		id := node.start("")
		node.call("send_input", args{"session_id": id, "press_enter": true,
			"text": fmt.Sprintf("seq -f 'src/cmd/main.go:%%.0f: a line as a build prints it, with a word or two more' 9999999 | head -c %d; echo al''l-done", size)})
		node.call("wait_for", args{"session_id": id, "pattern": "all-done", "timeout": patience.Seconds()})
		node.end(syscall.SIGKILL)
		node = startIn(b, home, url, "node", "--log-size", "512", recording)
		begun := time.Now()
		a := openArchive(b, url)
		var log int64
		for offset, data := range segments(b, node.logOf(id)) {
			log = max(log, offset+int64(len(data)))
		}
		node.await("the recording", func() bool { _, err := archive.Find(a.m, "node", id); return err == nil })
		r := a.named("node", id)
		node.await("the end", func() bool { return a.end(r) >= log })
		b.ReportMetric(float64(log)/1e6/time.Since(begun).Seconds(), "shipped-MB/s")
	})
}
