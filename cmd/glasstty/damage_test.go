package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestDamagedLog damages a session's log while no server runs. It checks that every answer
// of the next server about the session says how many records cannot be read, and that
// export writes the rest and fails.
func TestDamagedLog(t *testing.T) {
	need.Long(t)
	t.Parallel()
	need.Program(t, "bash")
	d := newDaemonRig(t)
	a := d.client(d.home)
	id := a.start("bash", "--norc").SessionID
	for _, word := range []string{"one", "two", "three"} {
		a.line(id, "echo "+word)
	}
	pid := d.server()
	if err := kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	d.await("the daemon is dead", func() bool { return syscall.Kill(pid, 0) != nil })
	dir := filepath.Join(d.home, "data", "sessions", id)
	path := filepath.Join(dir, "000000000000.cast")
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(log, []byte("\n"))
	for _, n := range []int{3, 5} {
		lines[n] = append(bytes.Repeat([]byte{'#'}, len(lines[n])-1), '\n')
	}
	if err := os.WriteFile(path, bytes.Join(lines, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	const want = "2 records of the log cannot be read"
	b := d.client(d.home)
	for tool, in := range map[string]args{
		"list_sessions": {}, "get_session_info": {"session_id": id}, "snapshot": {"session_id": id}, "read_output": {"session_id": id},
	} {
		if r := b.call(tool, in); !strings.Contains(r.Text, want) {
			t.Errorf("%s: %s", tool, r.Text)
		}
	}
	out := filepath.Join(d.home, "out.txt")
	for format, kept := range map[string]string{"text": "three", "cast": "three", "cast2": "three", "html": "three", "svg": "three"} {
		cmd := exec.Command(binary, "export", "--data-dir", filepath.Join(d.home, "data"), "--format", format, "-o", out, id)
		said, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != exitError || !strings.Contains(string(said), want) {
			t.Errorf("export as %s: exit status %d, %s", format, code, said)
		}
		if text, err := os.ReadFile(out); err != nil || !strings.Contains(string(text), kept) {
			t.Errorf("export as %s: %v, %s", format, err, text)
		}
	}
	for _, c := range []*agent{a, b} {
		_ = c.session.Close() // the first one lost its server
	}
}
