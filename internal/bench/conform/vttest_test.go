package conform

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/need"
)

// screenLimit is the time that vttest may take to draw a screen.
const screenLimit = 20 * time.Second

// TestVttest checks that vttest, driven through the server's tools as in the
// recordings, shows the recorded screens. TestDifferential compares the recorded
// screens with xterm's.
func TestVttest(t *testing.T) {
	need.Program(t, "vttest")
	dirs, err := filepath.Glob(filepath.Join(replayDir, "vttest-*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no vttest recordings in %s: %v", replayDir, err)
	}
	server := startServer(t)
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			driveVttest(t, server, dir)
		})
	}
}

// startServer builds the server and connects a client to it.
func startServer(t *testing.T) *mcp.ClientSession {
	path := filepath.Join(t.TempDir(), "glasstty")
	build := exec.Command("go", "build", "-o", path, "github.com/glasstty/glasstty/cmd/glasstty")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the server: %v\n%s", err, out)
	}
	cmd := exec.Command(path, "--data-dir", t.TempDir())
	cmd.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "vttest", Version: "1"}, nil)
	s, err := client.Connect(context.Background(), &mcp.CommandTransport{Command: cmd, TerminateDuration: time.Minute}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// driveVttest types the answer at each checkpoint of the recording and compares the
// screen that follows.
func driveVttest(t *testing.T, server *mcp.ClientSession, dir string) {
	rec, err := loadCast(dir)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Ours{}.Replay(jobOf(rec))
	if err != nil {
		t.Fatal(err)
	}
	reply := call(t, server, "start_process", map[string]any{
		"command": "vttest", "args": []string{"24x80.132"}, "view": "screen"})
	id := reply["session_id"].(string)
	for i, w := range want {
		if i > 0 {
			args := map[string]any{"session_id": id, "text": answer(w.Label), "press_enter": true, "view": "screen"}
			if strings.Contains(plainText(want[i-1]), "ANSWERBACK MESSAGE") {
				// vttest waits for a reply of the terminal, all of which arrives
				// within 100 ms.
				args["text"], args["paste"], args["press_enter"] = answer(w.Label)+"\r", true, false
			}
			reply = call(t, server, "send_and_read", args)
		}
		waitScreen(t, server, id, w, reply)
		if t.Failed() {
			break // later checkpoints would fail too
		}
	}
	call(t, server, "terminate_process", map[string]any{"session_id": id, "force": true, "delete": true})
}

// answer returns the text typed before Enter to reach a checkpoint: the number of a
// menu entry, or "" if vttest waited for Enter only.
func answer(label string) string {
	_, number, _ := strings.Cut(label, " type ")
	return strings.TrimSpace(number)
}

// waitScreen waits until the session shows the screen w and vttest waits for an
// answer. vttest discards input that is typed earlier.
func waitScreen(t *testing.T, server *mcp.ClientSession, id string, w Screen, reply map[string]any) {
	t.Helper()
	for end := time.Now().Add(screenLimit); ; {
		// A reply folds equal rows; a snapshot does not.
		got, _ := call(t, server, "snapshot", map[string]any{"session_id": id})["screen"].(string)
		if strings.TrimRight(got, "\n") == plainText(w) && reply["is_complete"] == true {
			return
		}
		if time.Now().After(end) {
			t.Errorf("%q, %v:\n%s\nwant:\n%s", w.Label, reply["reason"], got, plainText(w))
			return
		}
		reply = call(t, server, "wait_for", map[string]any{
			"session_id": id, "until": "ready", "timeout": 1, "view": "screen"})
		if strings.TrimRight(got, "\n") != plainText(w) && reply["is_complete"] == true {
			reply = call(t, server, "wait_for", map[string]any{ // vttest may continue by itself
				"session_id": id, "until": "change", "since": reply["revision"], "timeout": 1, "view": "screen"})
		}
	}
}

// plainText returns the screen's text as the tools do.
func plainText(s Screen) string {
	rows := make([]string, len(s.Grid))
	for i, r := range s.Grid {
		rows[i] = r.Text()
	}
	return strings.TrimRight(strings.Join(rows, "\n"), "\n")
}

// call calls a tool that must succeed and returns its structured result.
func call(t *testing.T, s *mcp.ClientSession, tool string, args map[string]any) map[string]any {
	t.Helper()
	res, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	if res.IsError {
		t.Fatalf("%s: %v", tool, res.Content[0].(*mcp.TextContent).Text)
	}
	return res.StructuredContent.(map[string]any)
}
