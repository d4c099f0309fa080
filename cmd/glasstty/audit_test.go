package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/need"
)

// An entry is a line of an audit log, with the fields that the tests use.
type entry struct {
	Seq int64
	audit.Record
}

// entries returns the lines of an audit log.
func entries(t *testing.T, path string) (all []entry) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var e entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, e)
	}
	return all
}

// oneEntry returns the only entry for which ok holds.
func oneEntry(t *testing.T, all []entry, what string, ok func(entry) bool) entry {
	t.Helper()
	found := slices.DeleteFunc(slices.Clone(all), func(e entry) bool { return !ok(e) })
	if len(found) != 1 {
		t.Errorf("%s: %d entries, want 1", what, len(found))
		return entry{}
	}
	return found[0]
}

// verify runs glasstty audit verify and returns its output and its exit status.
func verify(t *testing.T, args ...string) (string, int) {
	t.Helper()
	out, err := exec.Command(binary, append([]string{"audit", "verify"}, args...)...).CombinedOutput()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return string(out), exit.ExitCode()
	case err != nil:
		t.Fatal(err)
	}
	return string(out), 0
}

// TestAudit checks the audit log of an agent's session, from the server's start to its
// end: who called what, what was typed, held and confirmed, and that secrets are not in
// it. It also checks that audit verify detects a changed line.
func TestAudit(t *testing.T) {
	need.Long(t)
	log := filepath.Join(t.TempDir(), "audit.log")
	t.Run("agent", func(t *testing.T) {
		a := connect(t, "--audit-log", log, "--audit=required", "--log-inputs")
		id := a.start("sh", "-i").SessionID
		a.line(id, "echo one")
		a.call("snapshot", args{"session_id": id})
		a.fails("send_and_read", args{"session_id": id, "text": "rm -rf /data", "press_enter": true}, "held")
		a.fails("send_and_read", args{"session_id": id, "bogus": 1}, "bogus")
		a.fails("send_keys", args{"session_id": id, "keys": []any{"hunter2"}}, "hunter2")
		a.line(id, "stty -echo; IFS= read -r x; stty echo")
		a.call("send_and_read", args{"session_id": id, "text": "correct-horse", "press_enter": true})
		a.call("confirm_dangerous_command", args{"session_id": id, "input": "rm -rf /data", "justification": "it is not there"})
		a.call("resize_pty", args{"session_id": id, "rows": 30})
		a.call("terminate_process", args{"session_id": id})
	})
	all := entries(t, log)
	if first, last := all[0], all[len(all)-1]; first.Event != "server.start" || last.Event != "server.stop" {
		t.Errorf("first event %s, last event %s; want server.start and server.stop", first.Event, last.Event)
	}
	is := func(event, tool, verdict string) func(entry) bool {
		return func(e entry) bool { return e.Event == event && e.Tool == tool && e.Verdict == verdict }
	}
	began := oneEntry(t, all, "the start of sh", func(e entry) bool { return e.Event == "session.start" })
	if began.Session != "s1" || filepath.Base(began.Program) == "" || strings.Join(began.Argv, " ") != "sh -i" || began.Dir == "" {
		t.Errorf("%+v", began)
	}
	if by := began.Actor; by.Via != "stdio" || by.Who != fmt.Sprintf("uid %d", os.Getuid()) || by.Client != "glasstty-test 1" || by.Call == 0 {
		t.Errorf("%+v", by)
	}
	typed := oneEntry(t, all, "the typed line", func(e entry) bool { return e.Event == "input" && e.Input == "echo one\r" })
	call := all[typed.Call-1]
	if call.Event != "call" || call.Tool != "send_and_read" || call.Session != "s1" || call.Seq > typed.Seq {
		t.Errorf("%+v", call)
	}
	if held := oneEntry(t, all, "the held line", is("call.done", "send_and_read", "held")); held.Input != "rm -rf /data" || held.Why != "the danger check found: delete" {
		t.Errorf("%+v", held)
	}
	oneEntry(t, all, "the refused argument", is("call.done", "send_and_read", "refused"))
	oneEntry(t, all, "the refused key", is("call.done", "send_keys", "refused"))
	if c := oneEntry(t, all, "the confirmed call", is("call", "confirm_dangerous_command", "")); c.Args["justification"] != "it is not there" {
		t.Errorf("%+v", c)
	}
	oneEntry(t, all, "what was confirmed", is("call.done", "confirm_dangerous_command", "confirmed"))
	oneEntry(t, all, "what it typed", func(e entry) bool { return e.Event == "input" && e.Verdict == "confirmed" })
	if s := oneEntry(t, all, "the secret", func(e entry) bool { return e.Secret }); s.Bytes != len("correct-horse\r") || s.Sum != "" || s.Input != "" {
		t.Errorf("%+v", s)
	}
	oneEntry(t, all, "the look", is("call", "snapshot", ""))
	if r := oneEntry(t, all, "the new size", is("call", "resize_pty", "")); r.Args["rows"] != 30.0 {
		t.Errorf("%+v", r)
	}
	if end := oneEntry(t, all, "the exit", func(e entry) bool { return e.Event == "session.exit" }); end.Exit == nil {
		t.Errorf("%+v", end)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"correct-horse", "hunter2"} {
		if strings.Contains(string(data), secret) {
			t.Errorf("%s is in the audit log", secret)
		}
	}
	if said, status := verify(t, log); status != 0 || !strings.Contains(said, fmt.Sprintf("whole: %d lines", len(all))) {
		t.Errorf("%d: %s", status, said)
	}
	changed := strings.Replace(string(data), "echo one", "echo two", 1)
	if err := os.WriteFile(log, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, status := verify(t, log); status != exitTampered || !strings.Contains(said, fmt.Sprintf("line %d: its hash is wrong", typed.Seq)) {
		t.Errorf("%d: %s", status, said)
	}
	if said, status := verify(t, log+".none"); status != exitError || !strings.Contains(said, "no such file") {
		t.Errorf("%d: %s", status, said)
	}
}

// TestAuditHashes checks that without --log-inputs the log contains hashes of typed text,
// and never the text itself.
func TestAuditHashes(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "audit.log")
	t.Run("agent", func(t *testing.T) {
		a := connect(t, "--audit-log", log)
		id := a.call("start_process", args{"command": "sh", "args": []string{"-i"}, "text": ": wombat", "press_enter": true, "env": args{"ZOO": "wombat"}}).SessionID
		a.line(id, ": wombat")
		a.call("send_input", args{"session_id": id, "text": ": wombat\n"})
		a.keys(id, args{"text": ": wombat"}, "enter")
		a.fails("send_keys", args{"session_id": id, "keys": []any{"wombat"}}, "wombat")
		a.fails("send_and_read", args{"session_id": id, "text": "rm -rf /wombat", "press_enter": true}, "held")
		a.fails("confirm_dangerous_command", args{"session_id": id, "input": "wombat", "justification": "x"}, "wombat")
		a.fails("send_input", args{"session_id": id, "text": []string{"wombat"}}, "text")
		a.fails("send_input", args{"session_id": id, "txet": "wombat"}, "txet")
	})
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, "wombat") {
			t.Errorf("typed text in the log: %s", line)
		}
	}
	if !strings.Contains(string(data), `"sha256"`) || !strings.Contains(string(data), `"env":["ZOO"]`) {
		t.Errorf("no sha256, or no variable names:\n%s", data)
	}
}

// TestAuditRequired checks that with --audit=required nothing is done while the log cannot
// be written, and that the server continues when it can be written again.
func TestAuditRequired(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "audit.log")
	a := connect(t, "--audit-log", log, "--audit=required")
	id := a.start("sh", "-i").SessionID
	block := func() {
		t.Helper()
		if err := os.Rename(log, log+".1"); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(log, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	block()
	file := filepath.Join(dir, "done")
	for tool, in := range map[string]args{
		"send_and_read": {"session_id": id, "text": "echo x > " + file, "press_enter": true},
		"send_input":    {"session_id": id, "text": "echo x > " + file + "\n"},
		"send_keys":     {"session_id": id, "keys": []any{args{"text": "echo x > " + file}, "enter"}},
		"start_process": {"command": "touch", "args": []string{file}},
		"snapshot":      {"session_id": id},
	} {
		a.fails(tool, in, "the audit log cannot be written", "tell the person who runs it")
	}
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	a.line(id, "echo back")
	if _, err := os.Stat(file); err == nil {
		t.Error("a command ran without a line in the audit log")
	}
	if all := entries(t, log); all[0].Event != "audit.lost" || all[0].Bytes != 5 {
		t.Errorf("%+v", all[0])
	}
	if said, status := verify(t, log, log+".1"); status != 0 {
		t.Error(said)
	}
}

// TestAuditServed checks the audit log of a served server: tokens, links, people, a
// rotation with SIGHUP, and the end.
func TestAuditServed(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "audit.log")
	key := filepath.Join(dir, "key")
	if err := os.WriteFile(key, []byte("0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("server", func(t *testing.T) {
		s := serveHTTP(t, "--audit-log", log, "--audit-key", key)
		a := s.agent(httpToken, newest, nil)
		id := a.start("sh", "-i").SessionID
		reader := s.agent(readToken, sessions, nil)
		reader.fails("send_input", args{"session_id": id, "text": "x"}, "only watch")
		res, err := (&http.Client{Transport: withToken("guessed-and-wrong-token")}).Get(s.url + "/mcp")
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		s.person(id)
		if err := os.Rename(log, log+".1"); err != nil {
			t.Fatal(err)
		}
		if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the log is reopened", func() bool { _, err := os.Stat(log); return err == nil })
		// Anna has left an unfinished line, which must not be run with the agent's text.
		a.fails("send_and_read", args{"session_id": id, "text": "echo after", "press_enter": true}, "Anna has begun a line", ": anna", "ctrl+u")
		a.call("send_keys", args{"session_id": id, "keys": []string{"ctrl+u"}})
		a.line(id, "echo after")
	})
	all := append(entries(t, log+".1"), entries(t, log)...)
	event := func(name string) func(entry) bool { return func(e entry) bool { return e.Event == name } }
	if e := oneEntry(t, all, "the refused tool", func(e entry) bool { return e.Event == "refused" && strings.HasPrefix(e.Why, "scope") }); e.Via != "http" || e.Who == "" || e.From == "" {
		t.Errorf("%+v", e)
	}
	oneEntry(t, all, "the guessed token", func(e entry) bool { return e.Event == "refused" && e.Why == "token: the token is not known here" })
	if e := oneEntry(t, all, "the start", event("session.start")); e.Via != "http" || !strings.HasPrefix(e.From, "127.0.0.1:") {
		t.Errorf("%+v", e)
	}
	oneEntry(t, all, "the link that was used", event("link.used"))
	for _, do := range []string{"take", "give"} {
		if e := oneEntry(t, all, do, func(e entry) bool {
			return e.Event == "person" && e.Tool == do && (do == "take" || e.Args["note"] == "go on")
		}); e.Via != "attach" || e.Who != "Anna" || e.Session != "s1" {
			t.Errorf("%+v", e)
		}
	}
	if e := oneEntry(t, all, "what the person typed", func(e entry) bool { return e.Event == "input" && e.Who == "Anna" }); e.Bytes != len(": anna") || e.Sum == "" {
		t.Errorf("%+v", e)
	}
	oneEntry(t, all, "the person's refused action", func(e entry) bool { return e.Event == "person.done" && e.Verdict == "refused" })
	oneEntry(t, all, "the new file", event("audit.reopened"))
	if e := oneEntry(t, all, "the end", event("server.stop")); !strings.Contains(e.Why, "terminated") {
		t.Errorf("%+v", e)
	}
	if said, status := verify(t, "--key", key, log, log+".1"); status != 0 {
		t.Error(said)
	}
	if said, status := verify(t, log, log+".1"); status != exitTampered {
		t.Error(said)
	}
}

// person takes over a session, types, releases it, and uses a link. Its first action,
// releasing a session that nobody holds, is refused.
func (s *served) person(id string) {
	s.t.Helper()
	ctx := s.t.Context()
	c, err := live.Dial(ctx, overSocket(s.socket), pagePath, "", "test", "Anna")
	if err != nil {
		s.t.Fatal(err)
	}
	for n, act := range []live.Action{
		{Do: "give", ID: id}, {Do: "take", ID: id}, {Do: "paste", ID: id, Text: ": anna"}, {Do: "give", ID: id, Text: "go on"},
	} {
		act.N = int64(n + 1)
		if err := c.Send(ctx, act); err != nil {
			s.t.Fatal(err)
		}
		for {
			m, err := c.Next(ctx)
			if err != nil {
				s.t.Fatal(err)
			}
			if m.N == act.N {
				break
			}
		}
	}
	if err := c.Close(); err != nil {
		s.t.Error(err)
	}
	link, err := ask(ctx, http.MethodPost, s.socket, "/link", url.Values{"scope": {"watch"}, "name": {"Bert"}})
	if err != nil {
		s.t.Fatal(err)
	}
	res, err := http.Get(strings.TrimSpace(link))
	if err != nil {
		s.t.Fatal(err)
	}
	res.Body.Close()
}

// TestLogHides checks that the log hides a typed secret in an attribute, a message and an
// error.
func TestLogHides(t *testing.T) {
	var f serverFlags
	f.LogLevel, f.Redact = "info", true
	var b bytes.Buffer
	log := f.logger(&b)
	const secret = "correct-horse-7714-battery"
	f.mask().Learn(secret)
	log.With("input", secret).WithGroup("g").Info("typed "+secret, "err", errors.New("no "+secret))
	if text := b.String(); strings.Contains(text, secret) || !strings.Contains(text, "g.err=") || !strings.Contains(text, "level=INFO") {
		t.Error(text)
	}
}
