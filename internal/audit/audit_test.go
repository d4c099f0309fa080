package audit

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// open opens a log that the cleanup closes.
func open(t *testing.T, o Options) *Log {
	t.Helper()
	l, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// write appends lines with these events.
func write(t *testing.T, l *Log, events ...string) {
	t.Helper()
	for _, e := range events {
		if _, err := l.Write(context.Background(), Record{Event: e}); err != nil {
			t.Fatal(err)
		}
	}
}

// lines returns the lines of a file.
func lines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.SplitAfter(string(data), "\n")
	return all[:len(all)-1]
}

// events returns the events of a file's lines.
func events(t *testing.T, path string) string {
	t.Helper()
	var out []string
	for _, text := range lines(t, path) {
		var l line
		if err := json.Unmarshal([]byte(text[strings.LastIndex(text, `{"seq":`):]), &l); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		out = append(out, l.Event)
	}
	return strings.Join(out, " ")
}

// whole checks that the files are a complete log, and returns the report.
func whole(t *testing.T, key []byte, paths ...string) *Report {
	t.Helper()
	r, err := Verify(paths, key)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestChain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	l := open(t, Options{Path: path})
	write(t, l, "a", "b")
	again := open(t, Options{Path: path})
	write(t, again, "c")
	write(t, l, "d")
	if got := events(t, path); got != "a b c d" {
		t.Errorf("events %q", got)
	}
	r := whole(t, nil, path)
	if r.Lines != 4 || r.First != 1 || r.Last != 4 || len(r.Notes) != 0 {
		t.Errorf("%+v", r)
	}
	if seq, hash := l.End(); seq != 4 || hash != r.Hash {
		t.Errorf("end %d %s", seq, hash)
	}
	for _, name := range []string{path, HeadName(path)} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// TestTampered checks that Verify detects every kind of change to a line, and a cut end.
func TestTampered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(all []string) []string
		want   string
	}{
		"a word":           {func(a []string) []string { a[2] = strings.Replace(a[2], `"c"`, `"x"`, 1); return a }, "line 3: its hash is wrong"},
		"a hash":           {func(a []string) []string { a[2] = otherHash(a[2]); return a }, "line 3: its hash is wrong"},
		"a line out":       {func(a []string) []string { return append(a[:2], a[3:]...) }, "line 3: it is line 4 of the log and follows line 2: 1 are missing"},
		"the first out":    {func(a []string) []string { return append([]string{"x\n"}, a[1:]...) }, "line 1: it is not a line"},
		"a line twice":     {func(a []string) []string { return append(a[:3], a[2:]...) }, "line 4: it is line 3 of the log and follows line 3: lines were inserted or moved"},
		"two changed":      {func(a []string) []string { a[1], a[2] = a[2], a[1]; return a }, "line 2: it is line 3"},
		"a foreign line":   {func(a []string) []string { return append(a[:4], "{\"seq\":5}\n") }, "line 5: it is not a line"},
		"an empty line":    {func(a []string) []string { a[1] += "\n"; return a }, "line 3: it is not a line"},
		"the end cut":      {func(a []string) []string { return a[:3] }, "it ends with line 3, and line 5 was written: 2 are missing"},
		"half a line cut":  {func(a []string) []string { a[4] = a[4][:20]; return a }, "it ends with line 4, and line 5 was written"},
		"all of it":        {func([]string) []string { return nil }, "it is empty, and 5 lines were written"},
		"a line too long":  {func(a []string) []string { a[1] = strings.Repeat("x", maxRead+1) + "\n"; return a }, "line 2: it is longer"},
		"a chain of ours":  {func(a []string) []string { return append(a[:4], forged(a[3])) }, "line 5 is not the one that was written"},
		"lines of ours on": {func(a []string) []string { f := forged(a[4]); return append(a, f, forged(f)) }, "it ends with line 7, and the last one that a server wrote is line 5"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.log")
			write(t, open(t, Options{Path: path}), "a", "b", "c", "d", "e")
			if err := os.WriteFile(path, []byte(strings.Join(c.change(lines(t, path)), "")), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Verify([]string{path}, nil)
			if !errors.Is(err, ErrChain) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// otherHash returns a line with another last digit of its hash.
func otherHash(line string) string {
	const end = "\"}\n"
	rest, digit := line[:len(line)-len(end)-1], line[len(line)-len(end)-1]
	if digit == '0' {
		return rest + "1" + end
	}
	return rest + "0" + end
}

// forged returns a valid line to follow another, as anybody can make one for a log without
// a key.
func forged(after string) string {
	l, hash, _, _ := decode([]byte(after), nil)
	data, _, err := encode(Record{Event: "forged"}, link{l.Seq, hash}, "x/1", time.Now(), nil)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// TestKey checks that in a log with a key nobody can make a valid line without the key,
// and that a log cannot be opened or verified with another key.
func TestKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	key := []byte("0123456789abcdef")
	write(t, open(t, Options{Path: path, Key: key}), "a", "b")
	whole(t, key, path)
	for _, other := range [][]byte{nil, []byte("fedcba9876543210")} {
		if _, err := Verify([]string{path}, other); !errors.Is(err, ErrChain) {
			t.Errorf("verified with %q: %v", other, err)
		}
		if _, err := Open(Options{Path: path, Key: other}); !errors.Is(err, ErrKey) {
			t.Errorf("opened with %q: %v", other, err)
		}
	}
	all := lines(t, path)
	if err := os.WriteFile(path, []byte(all[0]+forged(all[0])), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify([]string{path}, key); !errors.Is(err, ErrChain) || !strings.Contains(err.Error(), "line 2: its hash is wrong") {
		t.Error(err)
	}
}

// TestRotated checks that two servers continue writing after the file was renamed or
// compressed, as logrotate does, and that the files together are a complete log.
func TestRotated(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "audit.log")
	a, b := open(t, Options{Path: path}), open(t, Options{Path: path})
	write(t, a, "1")
	write(t, b, "2")
	rename := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	rename(path, path+".1")
	write(t, b, "3")
	write(t, a, "4")
	rename(path+".1", path+".2")
	rename(path, path+".1")
	if err := a.Reopen(context.Background()); err != nil {
		t.Fatal(err)
	}
	write(t, b, "5")
	if got := events(t, path+".2") + "|" + events(t, path+".1") + "|" + events(t, path); got != "1 2|3 4|audit.reopened 5" {
		t.Errorf("events %q", got)
	}
	if r := whole(t, nil, path, path+".1", path+".2"); r.Lines != 6 || r.First != 1 || len(r.Notes) > 0 {
		t.Errorf("%+v", r)
	}
	if r := whole(t, nil, path, path+".1"); r.First != 3 || len(r.Notes) != 1 {
		t.Errorf("%+v", r)
	}
	if r := whole(t, nil, path+".2"); len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "is not known") {
		t.Errorf("%+v", r)
	}
	if _, err := Verify([]string{path, path + ".2"}, nil); err == nil || !strings.Contains(err.Error(), "follows line 2: 2 are missing") {
		t.Errorf("with a file missing: %v", err)
	}
	compress(t, path+".2")
	rename(path, path+".0")
	if err := os.WriteFile(path, nil, 0o600); err != nil { // logrotate's "create"
		t.Fatal(err)
	}
	if r := whole(t, nil, path, path+".0", path+".1", path+".2"); r.Lines != 6 {
		t.Errorf("%+v", r)
	}
	write(t, a, "6")
	if r := whole(t, nil, path, path+".0", path+".1", path+".2"); r.Lines != 7 {
		t.Errorf("%+v", r)
	}
}

// compress replaces a file with its gzip.
func compress(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err = z.Write(data)
	if err := errors.Join(err, z.Close(), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// TestMany checks that several servers can write at once while the log is rotated and
// verified.
func TestMany(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "audit.log")
	const servers, each = 4, 50
	logs := make([]*Log, servers)
	for i := range logs {
		logs[i] = open(t, Options{Path: path, Required: true})
	}
	var run sync.WaitGroup
	for _, l := range logs {
		for range 2 {
			run.Go(func() {
				for range each {
					if _, err := l.Write(context.Background(), Record{Event: "x"}); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	paths := []string{path}
	for i := range 3 {
		if _, err := Verify(paths, nil); err != nil {
			t.Error(err)
		}
		old := fmt.Sprintf("%s.%d", path, i)
		if err := os.Rename(path, old); err == nil {
			paths = append(paths, old)
		}
		write(t, logs[0], "y")
	}
	run.Wait()
	if r := whole(t, nil, paths...); r.Lines != servers*2*each+3 {
		t.Errorf("%+v", r)
	}
}

// TestTorn checks that writing continues after a crash or a full disk has damaged the log
// or its head.
func TestTorn(t *testing.T) {
	for name, c := range map[string]struct {
		harm func(path string) error
		want string
		ok   bool
	}{
		"half a line":    {func(p string) error { return appendTo(p, `{"seq":3,"time":"x`) }, "a b audit.torn c", true},
		"zeros":          {func(p string) error { return appendTo(p, strings.Repeat("\x00", 5000)) }, "a b audit.torn c", true},
		"torn twice":     {func(p string) error { return appendTo(p, `{"seq":3,{"seq":3,"event":"audit.torn"`) }, "a b audit.torn c", true},
		"the head late":  {func(p string) error { return setHead(p, 1) }, "a b c", true},
		"no head":        {func(p string) error { return os.Remove(HeadName(p)) }, "a b audit.headless c", true},
		"an empty head":  {func(p string) error { return os.Truncate(HeadName(p), 0) }, "a b audit.headless c", true},
		"a foreign head": {func(p string) error { return os.WriteFile(HeadName(p), []byte("x"), 0o600) }, "a b audit.broken c", true},
		"the end cut":    {func(p string) error { return cut(p) }, "a audit.broken c", false},
		"emptied":        {func(p string) error { return os.Truncate(p, 0) }, "c", true},
		"all gone":       {func(p string) error { return errors.Join(os.Remove(p), os.Remove(HeadName(p))) }, "c", true},
	} {
		for _, when := range []string{"restarted", "running"} {
			t.Run(name+", "+when, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "audit.log")
				l := open(t, Options{Path: path})
				write(t, l, "a", "b")
				if err := c.harm(path); err != nil {
					t.Fatal(err)
				}
				if when == "restarted" {
					l = open(t, Options{Path: path})
				}
				write(t, l, "c")
				if got := events(t, path); got != c.want && !(name == "all gone" || name == "a foreign head") {
					t.Errorf("events %q, want %q", got, c.want)
				}
				if _, err := Verify([]string{path}, nil); (err == nil) != c.ok && name != "a foreign head" {
					t.Errorf("verified: %v", err)
				}
			})
		}
	}
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// setHead makes line n of the file the log's head.
func setHead(path string, n int) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	l, hash, _, _ := decode(bytes.SplitAfter(data, []byte("\n"))[n-1], nil)
	f, err := os.OpenFile(HeadName(path), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(writeHead(f, link{l.Seq, hash}), f.Close())
}

// cut removes all lines after the first.
func cut(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	first, _, _ := bytes.Cut(data, []byte("\n"))
	return os.Truncate(path, int64(len(first)+1))
}

// TestFailure checks what happens while the file cannot be written: lost lines are counted
// and reported once, and a required log returns an error.
func TestFailure(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "audit.log")
	var said bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&said, nil))
	on, required := open(t, Options{Path: path, Logger: logger}), open(t, Options{Path: path, Required: true})
	write(t, on, "a")
	if err := errors.Join(os.Rename(path, path+".1"), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		write(t, on, "lost")
	}
	if n := strings.Count(said.String(), "level=ERROR"); n != 1 || !strings.Contains(said.String(), path) {
		t.Errorf("log messages %q, want one error with the path", said.String())
	}
	if _, err := required.Write(context.Background(), Record{Event: "stopped"}); !errors.Is(err, ErrWrite) {
		t.Errorf("required: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	write(t, on, "b")
	write(t, required, "c")
	if got := events(t, path); got != "audit.lost b audit.lost c" {
		t.Errorf("events %q", got)
	}
	if !strings.Contains(lines(t, path)[0], `"bytes":3`) {
		t.Error(lines(t, path)[0])
	}
	whole(t, nil, path, path+".1")
}

// TestLocked checks that a call does not wait forever for a lock that another process
// holds.
func TestLocked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	l := open(t, Options{Path: path, Required: true})
	other := &Log{path: path}
	if err := other.lockHead(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Write(context.Background(), Record{Event: "a"}); !errors.Is(err, ErrWrite) || !strings.Contains(err.Error(), "has held the lock") {
		t.Error(err)
	}
	other.unlockHead()
	write(t, l, "b")
	if err := other.closeLocked(); err != nil {
		t.Error(err)
	}
}

// TestFiles checks that Open rejects files that others could have put there.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.Symlink(path("elsewhere"), path("link")),
		os.Mkdir(path("dir"), 0o700),
		os.WriteFile(path("text"), []byte("a text of somebody's\n"), 0o600),
		os.WriteFile(path("wide"), nil, 0o644),
		os.Symlink(path("elsewhere"), HeadName(path("linkedhead"))),
	); err != nil {
		t.Fatal(err)
	}
	wants := map[string]string{"link": "symbolic link", "dir": "directory", "text": "is not an audit log", "linkedhead": "symbolic link", "none/log": "make the directory first"}
	if os.Geteuid() == 0 { // only root can give a file to another user
		if err := errors.Join(os.WriteFile(path("theirs"), nil, 0o600), os.Chown(path("theirs"), 4711, 4711)); err != nil {
			t.Fatal(err)
		}
		wants["theirs"] = "belongs to another user (uid 4711)"
	}
	for name, want := range wants {
		if l, err := Open(Options{Path: path(name)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, errors.Join(err, l.Close()))
		}
	}
	write(t, open(t, Options{Path: path("wide")}), "a")
	if info, err := os.Stat(path("wide")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if _, err := os.Lstat(path("elsewhere")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a link was followed")
	}
}

// TestBounds checks the size limits of a line, with texts that try to end the line.
func TestBounds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	l := open(t, Options{Path: path, Inputs: true})
	nasty := "\x1b[2J\n\"},{\"seq\":9,\"hash\":\"\u202e\x00\xff"
	many := make([]any, 10_000)
	deep := any("x")
	for range 10_000 {
		deep = []any{deep}
	}
	args := map[string]any{"many": many, "deep": deep}
	for i := range many {
		many[i] = nasty
		args[fmt.Sprint(i)] = strings.Repeat(nasty, 100)
	}
	words := make([]string, 10_000)
	for i := range words {
		words[i] = strings.Repeat(nasty, 100)
	}
	r := Record{Event: "call", Actor: Actor{Who: nasty, Client: strings.Repeat(nasty, 1000)}, Args: args, Argv: words, Why: strings.Repeat(nasty, 1000)}
	r.SetInput(strings.Repeat(nasty, 100_000), false)
	if _, err := l.Write(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	write(t, l, "after")
	all := lines(t, path)
	if len(all) != 2 || len(all[0]) > maxLine {
		t.Errorf("%d lines, the first of %d bytes", len(all), len(all[0]))
	}
	if strings.ContainsAny(strings.TrimSuffix(all[0], "\n"), "\x1b\n\x00") {
		t.Error("control characters in a line")
	}
	whole(t, nil, path)
}

// TestTyped checks what is recorded of inputs: text only with Inputs, a hash of long
// texts, and only the length of secrets.
func TestTyped(t *testing.T) {
	for _, texts := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "audit.log")
		l := open(t, Options{Path: path, Inputs: texts})
		var plain, secret, key Record
		plain.Event, secret.Event, key.Event = "input", "input", "input"
		key.SetInput("x", false)
		plain.SetInput("make test", false)
		secret.SetInput("hunter2\r", true)
		for _, r := range []Record{plain, secret, key} {
			if _, err := l.Write(context.Background(), r); err != nil {
				t.Fatal(err)
			}
		}
		all := lines(t, path)
		if strings.Contains(all[0], "make test") != texts || !strings.Contains(all[0], sumOf([]byte("make test"))) {
			t.Errorf("texts %v: %s", texts, all[0])
		}
		if strings.Contains(all[2], sumOf([]byte("x"))) {
			t.Errorf("hash of a single key: %s", all[2])
		}
		for _, part := range []string{"hunter2", sumOf([]byte("hunter2\r")), `"sha256"`} {
			if strings.Contains(all[1], part) {
				t.Errorf("line of the secret contains %s: %s", part, all[1])
			}
		}
		if !strings.Contains(all[1], `"bytes":8,"secret":true`) {
			t.Error(all[1])
		}
	}
}

// TestHide checks that every field of a record passes through the function given to Hide.
func TestHide(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	l := open(t, Options{Path: path, Inputs: true})
	l.Hide(func(s string) string { return strings.ReplaceAll(s, "wombat", "[hidden]") })
	r := Record{Event: "x", Why: "a wombat", Actor: Actor{Client: "wombat 1"}, Session: "wombat", Tool: "wombat", Program: "wombat", Dir: "/wombat", Argv: []string{"wombat"}, Args: map[string]any{"a": []any{map[string]any{"b": "wombat"}}}}
	r.SetInput("see the wombat", false)
	if _, err := l.Write(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	if got := lines(t, path)[0]; strings.Contains(got, "wombat") || strings.Count(got, "[hidden]") != 9 {
		t.Error(got)
	}
}

// TestNil checks that a nil Log does nothing.
func TestNil(t *testing.T) {
	var l *Log
	if _, err := l.Write(context.Background(), Record{}); err != nil || l.Path() != "" || l.Close() != nil {
		t.Error(err)
	}
}

// BenchmarkWrite measures writing one line.
func BenchmarkWrite(b *testing.B) {
	l, err := Open(Options{Path: filepath.Join(b.TempDir(), "audit.log"), Inputs: true})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	for b.Loop() {
		r := Record{Event: "input", Actor: Actor{Via: "http", Who: "ci", Client: "claude-code 2.1"}, Session: "s1"}
		r.SetInput("for f in *.go; do gofmt -l $f; done\r", false)
		if _, err := l.Write(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

// TestNoHeadFile checks that a head that is not a regular file is an error: it does not count as
// missing, and does not mean that somebody has changed the log.
func TestNoHeadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	write(t, open(t, Options{Path: path}), "a")
	head := HeadName(path)
	for name, make := range map[string]func() error{
		"a loop of symbolic links": func() error { return os.Symlink(head, head) },
		"a directory":              func() error { return os.Mkdir(head, 0o700) },
		"a FIFO":                   func() error { return unix.Mkfifo(head, 0o600) },
	} {
		if err := errors.Join(os.Remove(head), make()); err != nil {
			t.Fatal(err)
		}
		if r, err := Verify([]string{path}, nil); err == nil || errors.Is(err, ErrChain) {
			t.Errorf("%s: error %v, report %+v", name, err, r)
		}
	}
}

// TestUnreadableHead checks that a head that cannot be read does not count as empty.
func TestUnreadableHead(t *testing.T) {
	f, err := os.Open(t.TempDir()) // reading a directory fails
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if end, err := readHead(f); err == nil {
		t.Errorf("no error, end %+v", end)
	}
}
