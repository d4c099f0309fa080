package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// recorded runs a session that writes characters in pieces and invalid bytes, and changes
// its size. It returns the session's log file, the data directory and the session's ID.
func recorded(t *testing.T) (file, dir, id string) {
	t.Helper()
	need.Program(t, "bash")
	dir = filepath.Join(t.TempDir(), "state")
	a := connect(t, "--data-dir", dir)
	id = a.start("bash", "--norc").SessionID
	a.line(id, `printf '\346'; sleep 0.1; printf '\227\245\346\234\254 \377\376 \e[1;3'; sleep 0.1; printf '2mgreen\e[m\n'`)
	a.call("resize_pty", args{"session_id": id, "rows": 30, "cols": 100})
	a.line(id, "echo played to the 'end'")
	file = recordingPath(t, a.call("get_session_info", args{"session_id": id}).Text)
	eventually(t, "the log to be on disk", func() bool {
		data, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(data), "played to the end")
	})
	return file, dir, id
}

// wantPlayed lists texts that a player shows of the recorded session.
var wantPlayed = []string{"日本 \uFFFD", "\x1b[1;32mgreen\x1b[m\r\n", "played to the end\r\n"}

// TestAsciinemaPlayer checks that the engine of npm's asciinema-player plays a log file
// from disk and its exports.
func TestAsciinemaPlayer(t *testing.T) {
	checker(t, "player.mjs") // skips the test without the player
	file, dir, id := recorded(t)
	for _, format := range []string{"", "cast", "cast2"} {
		path := file
		if format != "" {
			out, failed := export(t, "--data-dir", dir, "--format", format, id)
			path = filepath.Join(t.TempDir(), "x.cast")
			if err := os.WriteFile(path, out, 0o600); err != nil || failed != "" {
				t.Fatal(err, failed)
			}
		}
		cmd := checker(t, "player.mjs", path)
		out, err := cmd.CombinedOutput()
		var seen struct {
			Output   string
			Sizes    []string
			Duration float64
		}
		if err != nil || json.Unmarshal(out, &seen) != nil {
			t.Fatalf("%q: %v\n%s", format, err, out)
		}
		for _, want := range wantPlayed {
			if !strings.Contains(seen.Output, want) {
				t.Errorf("format %q: player output lacks %q: %q", format, want, seen.Output)
			}
		}
		if fmt.Sprint(seen.Sizes) != "[80x24 100x30]" || seen.Duration < 0.2 {
			t.Errorf("%q: sizes %v, %v s", format, seen.Sizes, seen.Duration)
		}
	}
}

// TestAsciinema checks that Debian's asciinema plays the v2 export, as text and in a
// terminal.
func TestAsciinema(t *testing.T) {
	t.Parallel()
	program := need.Program(t, "asciinema")
	_, dir, id := recorded(t)
	path := filepath.Join(t.TempDir(), "x.cast")
	if _, failed := export(t, "--data-dir", dir, "--format", "cast2", "-o", path, id); failed != "" {
		t.Fatal(failed)
	}
	a := connect(t)
	for _, words := range [][]string{{"cat", path}, {"play", "--idle-time-limit", "0.1", path}} {
		r := a.call("start_process", args{"command": program, "args": words, "until": "exit", "timeout": 60})
		if r.ExitCode == nil || *r.ExitCode != 0 {
			t.Errorf("%s: %s", words[0], r.Text)
		}
		for _, want := range []string{"日本 \uFFFD", "green\n", "played to the end\n"} {
			if !strings.Contains(r.InitialOutput, want) {
				t.Errorf("asciinema %s: output lacks %q: %q", words[0], want, r.InitialOutput)
			}
		}
	}
}
