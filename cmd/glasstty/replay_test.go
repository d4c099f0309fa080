package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/gif"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// demo is an asciicast v2 file with three events.
const demo = `{"version": 2, "width": 20, "height": 4, "title": "demo"}
[0.1, "o", "\u001b[31mone\u001b[m\r\n"]
[0.2, "o", "two 日本\r\n"]
[60.0, "o", "three\u001b]52;c;ZXZpbA==\u0007"]
`

// writeDemo writes demo to a file.
func writeDemo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "demo.cast")
	if err := os.WriteFile(path, []byte(demo), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestReplayInTerminal tests replay in a terminal of ours: pause, speed, the end and a
// signal. The terminal must be restored each time.
func TestReplayInTerminal(t *testing.T) {
	need.Long(t)
	path := writeDemo(t)
	a := connect(t)
	id := a.start("bash", "--norc").SessionID
	before := a.line(id, "stty -g").Output
	done := a.call("send_and_read", args{"session_id": id, "text": binary + " replay --idle-limit 0.2 " + path + "; echo status $?", "press_enter": true, "wait_for": `status \d`, "timeout": 60})
	if !strings.Contains(done.Output, "one\ntwo 日本\nthree\nstatus 0") {
		t.Errorf("played to the end: %q", done.Output)
	}
	r := a.call("send_and_read", args{"session_id": id, "text": binary + " replay --idle-limit 600 " + path, "press_enter": true, "wait_for": "two", "view": "screen", "timeout": 60})
	if !r.FullScreen || !strings.HasPrefix(r.Screen, "one\ntwo 日本") || strings.Contains(r.Screen, "three") {
		t.Errorf("in the pause:\n%s", r.Text)
	}
	// Pause, continue, and reach the end at a hundred times the speed.
	a.finish(a.call("send_keys", args{"session_id": id, "keys": []string{"space", "+", "-", "space", "+*7"}, "wait_for": "three", "timeout": 60, "view": "screen"}))
	a.call("send_and_read", args{"session_id": id, "text": binary + " replay --idle-limit 600 " + path, "press_enter": true, "wait_for": "two", "view": "screen", "timeout": 60})
	r = a.finish(a.call("send_keys", args{"session_id": id, "keys": []string{"q"}, "timeout": callTimeout}))
	if r.FullScreen {
		t.Errorf("after q:\n%s", r.Text)
	}
	if after := a.line(id, "stty -g").Output; after != before {
		t.Errorf("terminal modes %q, want %q", after, before)
	}
	// A signal during playback restores the terminal too.
	a.call("send_and_read", args{"session_id": id, "text": "(while ! pkill -TERM -P $$ glasstty; do :; done) & " + binary + " replay --idle-limit 600 " + path + "; echo status $?", "press_enter": true, "wait_for": `status 143`, "timeout": 60})
	if after := a.line(id, "stty -g").Output; !strings.Contains(after, strings.TrimSpace(before)) {
		t.Errorf("after a signal: terminal modes %q, want %q", after, before)
	}
}

// export runs glasstty export and returns its standard output, or its standard error if it
// fails.
func export(t *testing.T, args ...string) ([]byte, string) {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"export"}, args...)...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return nil, stderr.String()
	}
	return out.Bytes(), ""
}

// TestUnreadPipe checks that a signal ends the wait for a reader of a named pipe.
func TestUnreadPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancelCause(t.Context())
	end(signalError{syscall.SIGINT})
	if err := (outFlags{Output: path}).write(ctx, stdio{}, []byte("text")); !errors.Is(err, signalError{syscall.SIGINT}) {
		t.Errorf("write to a pipe without a reader: %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "text" {
		t.Errorf("pipe's reader got %q, %v", text, err)
	}
}

// TestExportLongLine checks that a recording of one long line is exported row by row. The
// whole history as cells would take a hundred times its size.
func TestExportLongLine(t *testing.T) {
	need.Long(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "long.cast")
	const size = 10 << 20
	line := `{"version": 2, "width": 80, "height": 24}` + "\n" + `[0.1, "o", "` + strings.Repeat("x", size) + `"]` + "\n"
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, hide := range []string{"--no-redact", "--redact"} {
		out := filepath.Join(t.TempDir(), "long.html")
		cmd := exec.Command(binary, "export", "--format", "html", hide, "-o", out, path)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		page, err := os.ReadFile(out)
		if n := bytes.Count(page, []byte("x")); err != nil || n < size {
			t.Errorf("%s: %d of %d characters, %v", hide, n, size, err)
		}
		peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
		if runtime.GOOS == "linux" && !raceEnabled && peak > 500<<10 {
			t.Errorf("%s: peak memory %d MB, want at most 500", hide, peak>>10)
		}
	}
}

func TestExport(t *testing.T) {
	path := writeDemo(t)
	for format, want := range map[string]string{
		"cast":  "{\"version\":3,\"term\":{\"cols\":20,\"rows\":4,\"type\":\"xterm-256color\"},\"title\":\"demo\"}\n[0.100000,\"o\",\"\\u001b[31mone\\u001b[m\\r\\n\"]\n[0.100000,\"o\",\"two 日本\\r\\n\"]\n[59.800000,",
		"cast2": "{\"version\":2,\"width\":20,\"height\":4,\"title\":\"demo\"}\n[0.100000,\"o\",\"\\u001b[31mone\\u001b[m\\r\\n\"]\n[0.200000,\"o\",\"two 日本\\r\\n\"]\n[60.000000,",
		"text":  "one\ntwo 日本\nthree\n",
		"html":  "<",
		"svg":   "<svg",
		"gif":   "GIF89a",
	} {
		if out, failed := export(t, "--format", format, path); !strings.HasPrefix(string(out), want) {
			t.Errorf("%s: %.300q, want %q %s", format, out, want, failed)
		}
	}
	out, failed := export(t, "--format", "gif", path)
	film, err := gif.DecodeAll(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err, failed)
	}
	if fmt.Sprint(film.Delay) != "[10 200 300]" || film.Config.Width != 22*8 || film.Image[1].Bounds().Dy() >= film.Config.Height {
		t.Errorf("delays %v, width %d, the second frame %v", film.Delay, film.Config.Width, film.Image[1].Bounds())
	}
	for want, words := range map[string][]string{
		"there is no file s9, and no log of a session \"s9\"": {"--data-dir", t.TempDir(), "s9"},
		"not an asciicast file":                               {"/etc/passwd"},
		"no such file":                                        {"./none.cast"},
		"not one of cast, cast2":                              {"--format", "png", path},
	} {
		if _, failed := export(t, words...); !strings.Contains(failed, want) {
			t.Errorf("%q: %q, want %q", words, failed, want)
		}
	}
}

// TestExportSession checks the export of a running session, and that the secret number of the
// shell's marks is not in it.
func TestExportSession(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	a := connect(t, "--data-dir", dir)
	id := a.start("bash", "--norc").SessionID
	a.line(id, "echo hello")
	a.line(id, "clear; echo bye")
	eventually(t, "the log to be written", func() bool {
		out, _ := export(t, "--data-dir", dir, "--format", "text", "bash")
		return strings.Contains(string(out), "hello") && strings.Contains(string(out), "\nbye\n")
	})
	out, failed := export(t, "--data-dir", dir, id)
	marks := regexp.MustCompile(`133;[^"]*?nonce=([0-9a-f]+)`).FindAllSubmatch(out, -1)
	if len(marks) < 4 || failed != "" {
		t.Errorf("%d marks of the shell in the recording, want at least 4: %s", len(marks), failed)
	}
	for _, m := range marks {
		if strings.Trim(string(m[1]), "0") != "" {
			t.Errorf("the secret number of the shell's marks is in the recording: %q", m[0])
		}
	}
}

// TestExportRunning checks that export takes a running session, although a session with the same ID and
// name has ended later in another server, and reports that two of them are running.
func TestExportRunning(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	a, b := connect(t, "--data-dir", dir), connect(t, "--data-dir", dir)
	id := a.call("start_process", args{"command": "sh", "args": []any{"-c", "echo runs; cat"}, "name": "x", "wait_for": "runs"}).SessionID
	b.call("start_process", args{"command": "echo", "args": []any{"ended"}, "name": "x", "until": "exit"})
	for _, ref := range []string{"x", id} {
		eventually(t, "the running session to be exported", func() bool {
			out, _ := export(t, "--data-dir", dir, "--format", "text", ref)
			return strings.TrimSpace(string(out)) == "runs"
		})
	}
	b.call("start_process", args{"command": "cat", "name": "x", "until": "none"})
	eventually(t, "both to be named", func() bool {
		_, failed := export(t, "--data-dir", dir, "--format", "text", "x")
		return strings.Contains(failed, `several sessions are "x"; choose one`) && strings.Count(failed, "/sessions/s") == 2
	})
}

// TestExportSettings checks that export reads data-dir and redact from the settings file, and fails
// if the file cannot be read or has an unknown setting.
func TestExportSettings(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	a := connect(t, "--data-dir", dir)
	const secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	a.start("echo", "token "+secret, "end")
	config := filepath.Join(t.TempDir(), "config.toml")
	run := func(settings string) string {
		if err := os.WriteFile(config, []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(binary, "export", "echo", "--format", "text")
		cmd.Env = append(os.Environ(), configVar+"="+config)
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	in := fmt.Sprintf("data-dir = %q\n", dir)
	eventually(t, "the log to be written", func() bool { return strings.Contains(run(in), secret+" end") })
	if out := run(in + "redact = true\n"); !strings.Contains(out, "token ****") || strings.Contains(out, secret[4:]) {
		t.Errorf("with redact: %s", out)
	}
	if out := run(in + "redact = \n"); !strings.Contains(out, config) || strings.Contains(out, "token") {
		t.Errorf("with a broken file: %s", out)
	}
	if out := run(in + "redcat = true\n"); !strings.Contains(out, `no setting "redcat"`) || strings.Contains(out, "token") {
		t.Errorf("with a misspelled setting: %s", out)
	}
}

// TestExportLong checks that all lines of a long recording are exported.
func TestExportLong(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"version":3,"term":{"cols":20,"rows":4}}` + "\n")
	const lines = 30_000
	for i := range lines {
		fmt.Fprintf(&b, "[0.001,\"o\",\"line %d\\r\\n\"]\n", i)
	}
	path := filepath.Join(t.TempDir(), "long.cast")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"text", "html"} {
		out, failed := export(t, "--format", format, path)
		if failed != "" || !strings.Contains(string(out), "line 0\n") || !strings.Contains(string(out), fmt.Sprintf("line %d", lines-1)) {
			t.Errorf("%s: %d bytes, %.200q, %q", format, len(out), out, failed)
		}
	}
}
