package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session"
)

// evil is output that would harm a terminal that obeyed it. Its visible text contains
// EVIL.
const evil = "\x1b]2;EVIL\x07\x1b]52;c;RVZJTA==\x07\x1b]4;1;rgb:ff/00/00\x07\x1bP$qEVIL\x1b\\\x1b_GEVIL\x1b\\\x1b^EVIL\x1b\\" +
	"\x1b[6n\x1b[c\x1b[>c\x1b[21t\x05\x07\x1b[?1003h\x1b[>1u\x1b(0\x0e" + "\u009d2;EVIL\u009c" +
	"\x1b]8;;javascript:EVIL\x1b\\js\x1b]8;;\x1b\\ \x1b]8;;file:///EVIL\x1b\\file\x1b]8;;\x1b\\ \x0f\x1b(Bthe end"

// harmful matches sequences that must not reach a person's terminal from a program:
// control strings other than links to the web, queries, and the bell.
var harmful = regexp.MustCompile("\x1b\\][0-79][^8]|\x1b\\]8;[^;]*;(?:javascript|file)|\x1bP|\x1b_|\x1b\\^|\x1b\\[[0-9>=?]*[cn]|\x1b\\[21t|[\x05\x0e]|\x1b\\[>1u|\u009d|\u009b")

// TestNothingReachesTheTerminal checks that commands that show a program's output to
// people send no harmful sequences. They run in a terminal of ours that keeps every byte.
func TestNothingReachesTheTerminal(t *testing.T) {
	need.Long(t)
	file := filepath.Join(t.TempDir(), "evil")
	if err := os.WriteFile(file, []byte(evil+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cast := filepath.Join(t.TempDir(), "evil.cast")
	line := fmt.Sprintf("{\"version\":2,\"width\":40,\"height\":5,\"title\":%q}\n[0.1,\"o\",%q]\n", "EVIL", "x")
	line = strings.Replace(line, `"x"`, strings.NewReplacer("\x1b", `\u001b`, "\x07", `\u0007`, "\x05", `\u0005`, "\x0e", `\u000e`, "\x0f", `\u000f`, "\\\x1b", `\\\u001b`).Replace(`"`+strings.ReplaceAll(evil, `\`, `\\`)+`"`), 1)
	if err := os.WriteFile(cast, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	a := newAttached(t, emulator.Size{Rows: 40, Cols: 120}, "bash", "--norc")
	a.exchange(a.inner, session.Input{Text: "cat " + file, Enter: true}, session.Wait{Pattern: regexp.MustCompile("the end"), Timeout: patience / 8})
	reader, err := a.desk.AddReader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	quit := func(keys ...string) { a.at(session.Input{Keys: keysOf(t, keys...)}, "$ ") }
	for _, step := range []struct {
		line, shows string
		keys        []string
	}{
		{binary + " snap -- cat " + file, "the end", nil},
		{binary + " snap --format ansi -- cat " + file, "the end", nil},
		{binary + " ls --socket " + a.socket, "inner", nil},
		{binary + " attach inner --socket " + a.socket, "the end", []string{"ctrl+]"}},
		{binary + " watch --socket " + a.socket, "the end", []string{"q"}},
		{binary + " replay '" + cast + "'", "the end", nil},
		{binary + " call --socket " + a.socket + " register_reader session_id=inner", "reader_id 1", nil},
		{binary + " call --socket " + a.socket + " read_output session_id=inner strip_ansi=false reader_id=1 until=none", "EVIL", nil},
		{binary + " replay \"$(printf 'no\\033]2;EVIL\\007file')\"; echo over", "over", nil},
	} {
		a.at(session.Input{Text: "clear; " + step.line, Enter: true}, step.shows)
		if step.keys != nil {
			quit(step.keys...)
		}
		r := a.wait(a.desk, session.Wait{Reader: reader, Raw: true, Until: session.UntilQuiet, View: session.ViewOutput, Timeout: patience / 8})
		if bad := harmful.FindString(r.Output); bad != "" {
			t.Errorf("%s: %q reached the terminal: %q", step.line, bad, r.Output)
		}
		if len(r.Output) == 0 {
			t.Errorf("%s: nothing reached the terminal", step.line)
		}
	}
}

// TestRedactedRecordings checks that export and replay with --redact hide a secret in a
// recording.
func TestRedactedRecordings(t *testing.T) {
	need.Long(t)
	const secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	cast := filepath.Join(t.TempDir(), "secret.cast")
	text := fmt.Sprintf("{\"version\":2,\"width\":40,\"height\":5,\"title\":\"%s\"}\n[0.1,\"o\",\"use %s\"]\n[0.2,\"i\",\"%s\"]\n[0.3,\"o\",\"%s now\"]\n", secret, secret[:20], secret, secret[20:])
	if err := os.WriteFile(cast, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	hidden := strings.Repeat("*", 36)
	for _, format := range []string{"cast", "cast2", "text", "html", "svg", "gif"} {
		out, failed := export(t, "--redact", "--format", format, cast)
		if failed != "" || strings.Contains(string(out), secret[4:14]) || strings.Contains(string(out), secret[24:]) {
			t.Errorf("%s: %s %q", format, failed, out)
		}
		if open, _ := export(t, "--format", format, cast); slices.Equal(open, out) {
			t.Errorf("%s: export is the same without --redact", format)
		}
		if format == "text" && !strings.Contains(string(out), "use ****"+hidden+" now") {
			t.Errorf("txt: %q", out)
		}
	}
	a := connect(t)
	id := a.start("bash", "--norc").SessionID
	r := a.call("send_and_read", args{"session_id": id, "text": binary + " replay --redact " + cast + "; echo status $?", "press_enter": true, "wait_for": `status \d`, "timeout": 60, "strip_ansi": false})
	if strings.Contains(r.Output, secret[4:14]) || strings.Contains(r.Output, secret[24:]) || !strings.Contains(r.Output, "****") {
		t.Errorf("replayed: %q", r.Output)
	}
}

// TestSecretsAtRest checks that with --redact-recordings no file of the server contains a
// secret.
func TestSecretsAtRest(t *testing.T) {
	t.Parallel()
	const secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	const password = "abcdTr0ub4dor-3"
	script := filepath.Join(t.TempDir(), "script")
	show := "printf 'in two %s' " + secret[:20] + "; sleep 0.3; printf '%s pieces\\n' " + secret[20:] +
		"\nprintf '\\033[1m" + strings.Join(strings.Split(secret, ""), "\\033[31m") + "\\033[m\\n'\n"
	if err := os.WriteFile(script, []byte(show), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "state")
	a := connect(t, "--data-dir", dir, "--redact-recordings")
	id := a.start("bash", "--norc").SessionID
	a.line(id, "echo "+secret)
	a.line(id, "sh "+script)
	a.call("send_and_read", args{"session_id": id, "text": "read -rs answer; echo \"it is $answer\"", "press_enter": true, "timeout": callTimeout})
	if r := a.call("send_and_read", args{"session_id": id, "text": password, "press_enter": true, "wait_for": "it is .*\n", "timeout": callTimeout}); strings.Contains(r.Text, password) {
		t.Errorf("the answer shows the password: %s", r.Text)
	}
	in := filepath.Join(t.TempDir(), secret)
	if err := os.Mkdir(in, 0o700); err != nil {
		t.Fatal(err)
	}
	a.call("start_process", args{"command": "echo", "args": []any{secret}, "name": secret, "cwd": in, "until": "exit", "timeout": callTimeout})
	a.line(id, "echo done")
	read := func() string {
		out, _ := export(t, "--data-dir", dir, "--format", "text", id)
		return string(out)
	}
	eventually(t, "the log to be written", func() bool { return strings.Contains(read(), "\ndone\n") })
	files := 0
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		plain := regexp.MustCompile(`\\u001b\[[0-9;]*m`).ReplaceAllString(string(data), "")
		for i := 4; i+10 <= len(secret); i++ {
			if strings.Contains(plain, secret[i:i+10]) || strings.Contains(plain, password) {
				t.Fatalf("%s contains a secret: %q", path, data)
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files, %v", files, err)
	}
	if out := read(); !strings.Contains(out, "it is *****") {
		t.Errorf("exported log lacks the hidden password: %q", out)
	}
}
