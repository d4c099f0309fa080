package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/need"
)

// connectKillable starts a server and connects to it. The function that it returns kills
// the server.
func connectKillable(t *testing.T, args ...string) (*agent, func()) {
	t.Helper()
	cmd, mark, stderr := server(t, args...)
	client := mcp.NewClient(&mcp.Implementation{Name: "glasstty-test", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &mcp.CommandTransport{Command: cmd, TerminateDuration: patience}, nil)
	if err != nil {
		t.Fatalf("connect: %v\n%s", err, stderr)
	}
	return &agent{t: t, session: session, mark: mark, stderr: stderr}, func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = session.Close() // returns an error, because the server was killed
		eventually(t, "the programs to end with their server", func() bool { return len(leftovers(mark)) == 0 })
	}
}

// TestKilledServer checks that after a server is killed, the next one on the same data
// directory has the session's screen, output, messages and history, and reports the
// session as lost.
func TestKilledServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	a, kill := connectKillable(t, "--data-dir", dir)
	id := a.start("bash", "--norc").SessionID
	a.line(id, "echo first; seq 200")
	last := a.line(id, "printf '\\e[32mse''cond\\n'")
	before := a.call("snapshot", args{"session_id": id})
	path := recordingPath(t, a.call("get_session_info", args{"session_id": id}).Text)
	eventually(t, "the log to be on disk", func() bool {
		data, err := os.ReadFile(path)
		return err == nil && strings.Contains(string(data), "[32msecond")
	})
	kill()

	b := connect(t, "--data-dir", dir)
	list := b.call("list_sessions", nil)
	if len(list.Sessions) != 1 || list.Sessions[0].ID != id || list.Sessions[0].Status != "lost" {
		t.Fatalf("sessions of the next server: %s", list.Text)
	}
	after := b.call("snapshot", args{"session_id": id})
	if after.Screen != before.Screen || after.Revision != before.Revision {
		t.Errorf("the last screen:\n%s\nwant:\n%s", after.Text, before.Text)
	}
	if r := b.call("read_output", args{"session_id": id, "search": "^first$"}); !strings.Contains(r.Text, "first") {
		t.Errorf("search: %s", r.Text)
	}
	messages := b.call("list_messages", args{"session_id": id}).Text
	input, _, _ := strings.Cut(messages[:strings.Index(messages, " input, ")], "\n")
	early := b.call("snapshot", args{"session_id": id, "at": input})
	if strings.Contains(early.Screen, "first") || early.Revision >= last.Revision || strings.Count(messages, " input, ") != 2 {
		t.Errorf("as %s was typed:\n%s\n%s", input, early.Text, messages)
	}
	b.fails("send_and_read", args{"session_id": id, "text": "x"}, "was lost when the process that held its program ended")
	b.fails("snapshot", args{"session_id": id, "at": "m77"}, "no such message or marker", "the latest are")
	b.fails("snapshot", args{"session_id": id, "at": "1e6"}, "in the future", fmt.Sprint("the latest is ", before.Revision))
	history, err := b.session.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: "cli://" + id + "/history"})
	if err != nil || !strings.Contains(history.Contents[0].Text, "echo first") {
		t.Errorf("history: %+v, %v", history, err)
	}
	if fresh := b.start("sh").SessionID; fresh == id {
		t.Error("a new session has the ID of the lost one")
	}
	b.call("delete_session", args{"session_id": id})
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the deleted session's log: %v", err)
	}
}

// recordingPath returns the recording's path in the text of get_session_info.
func recordingPath(t *testing.T, info string) string {
	t.Helper()
	for line := range strings.Lines(info) {
		var path string
		if value, ok := strings.CutPrefix(line, "recording_path: "); ok && json.Unmarshal([]byte(value), &path) == nil {
			return path
		}
	}
	t.Fatalf("no recording path in %s", info)
	return ""
}

// TestDataDirErrors checks that an unusable data directory is an error if it was asked
// for, and a warning otherwise.
func TestDataDirErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	newer := t.TempDir()
	if err := os.WriteFile(filepath.Join(newer, "version"), []byte("9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{file: "not a directory", newer: "written by a newer version"} {
		cmd, _, stderr := server(t, "mcp", "--data-dir", dir)
		if err := cmd.Run(); err == nil || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: %v\n%s", dir, err, stderr)
		}
	}
	// An unusable default directory is not an error, but reported.
	cmd, _, stderr := server(t, "mcp")
	cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+file)
	if err := cmd.Run(); err != nil || !strings.Contains(stderr.String(), "sessions are logged in memory only") {
		t.Errorf("%v\n%s", err, stderr)
	}
}

// TestSweep checks that a starting server removes the socket and the temporary directories
// of a killed server, and leaves those of a running one.
func TestSweep(t *testing.T) {
	need.Program(t, "bash")
	run, tmp := t.TempDir(), t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", run)
	t.Setenv("TMPDIR", tmp)
	names := func(pattern string) []string {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	sockets, dirs := filepath.Join(run, "glasstty", mcpSocket+"*"), filepath.Join(tmp, "glasstty-*-*")
	a, kill := connectKillable(t)
	a.start("bash")
	kill()
	dead := append(names(sockets), names(dirs)...)
	living := connect(t, "mcp")
	id := living.start("bash").SessionID
	if len(dead) < 2 {
		t.Fatalf("files of the killed server: %v, want at least 2", dead)
	}
	hour := time.Now().Add(-time.Hour)
	for _, dir := range names(dirs) {
		if err := os.Chtimes(dir, hour, hour); err != nil {
			t.Fatal(err)
		}
	}
	connect(t, "mcp")
	for _, path := range dead {
		eventually(t, path+" is gone", func() bool { _, err := os.Lstat(path); return os.IsNotExist(err) })
	}
	if left := names(dirs); len(left) != 1 {
		t.Errorf("directories of the running server: %v, want 1", left)
	}
	living.line(id, "echo still here").want(t, "prompt", "still here", "")
}

// TestRelativeDirectories checks that relative paths in XDG variables are ignored, as the
// XDG base directory specification requires.
func TestRelativeDirectories(t *testing.T) {
	for _, name := range []string{"XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, "here")
	}
	file, _ := settingsFile()
	for what, path := range map[string]string{"socket": defaultSocket(), "data": (&dirFlags{}).root(), "settings": file} {
		if !filepath.IsAbs(path) {
			t.Errorf("%s path is relative: %s", what, path)
		}
	}
}
