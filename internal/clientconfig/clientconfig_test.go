package clientconfig

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the goldens")

var server = Server{Name: "glasstty", Command: "/opt/glasstty/bin/glasstty", Args: []string{"mcp"}}

// TestMerge merges the "before" of each golden file, whose name begins with the
// client's, and expects its "after" or its "error". What was merged stays as it
// is when merged again.
func TestMerge(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		id, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txtar"), "_")
		seen[id] = true
		t.Run(filepath.Base(file), func(t *testing.T) { golden(t, id, file) })
	}
	for _, c := range Clients() {
		if !seen[c.ID] {
			t.Errorf("%s has no golden file", c.ID)
		}
	}
}

func golden(t *testing.T, id, file string) {
	c, err := Find(id)
	if err != nil {
		t.Fatal(err)
	}
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]byte{}
	for _, f := range ar.Files {
		want[f.Name] = f.Data
	}
	got, err := c.Merge(want["before"], server)
	name, out := "after", got
	if err != nil {
		name, out = "error", []byte(err.Error()+"\n")
	}
	if *update {
		ar.Files = []txtar.File{{Name: name, Data: out}}
		if want["before"] != nil {
			ar.Files = append([]txtar.File{{Name: "before", Data: want["before"]}}, ar.Files...)
		}
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want[name] == nil || !bytes.Equal(out, want[name]) {
		t.Fatalf("%s:\n%s\nwant after:\n%s\nwant error:\n%s", name, out, want["after"], want["error"])
	}
	if err != nil {
		return
	}
	again, err := c.Merge(got, server)
	if err != nil || !bytes.Equal(again, got) {
		t.Errorf("again: %v\n%s", err, again)
	}
}

// TestBytes checks what a golden file cannot hold.
func TestBytes(t *testing.T) {
	for _, tt := range []struct{ name, client, in, want string }{
		{"CRLF", "cursor", "{\r\n\t\"a\": 1\r\n}\r\n", "{\r\n\t\"a\": 1,\r\n\t\"mcpServers\": {\r\n\t\t\"glasstty\": {\r\n\t\t\t\"command\": \"/opt/glasstty/bin/glasstty\",\r\n\t\t\t\"args\": [\"mcp\"]\r\n\t\t}\r\n\t}\r\n}\r\n"},
		{"byte order mark", "cursor", "\ufeff{}", "\ufeff{\n  \"mcpServers\": {\n    \"glasstty\": {\n      \"command\": \"/opt/glasstty/bin/glasstty\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}"},
		{"no last newline", "codex", "a = 1", "a = 1\n\n[mcp_servers.glasstty]\ncommand = \"/opt/glasstty/bin/glasstty\"\nargs = [\"mcp\"]\n"},
		{"CRLF in TOML", "codex", "a = 1\r\n", "a = 1\r\n\r\n[mcp_servers.glasstty]\r\ncommand = \"/opt/glasstty/bin/glasstty\"\r\nargs = [\"mcp\"]\r\n"},
	} {
		c, err := Find(tt.client)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Merge([]byte(tt.in), server)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %v\ngot  %q\nwant %q", tt.name, err, got, tt.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		client, in string
		want       error
	}{
		{"cursor", `{"mcpServers": `, ErrSyntax},
		{"cursor", `[]`, ErrSyntax},
		{"cursor", "\xff\xfe{\x00}\x00", ErrSyntax},
		{"claude-code", "{} // mine", ErrSyntax},
		{"windsurf", `{"a": [1,]}`, ErrSyntax},
		{"cursor", `{"mcpServers": []}`, ErrByHand},
		{"cursor", `{"mcpServers": null}`, ErrByHand},
		{"cursor", `{"mcpServers": {}, "mcpServers": {}}`, ErrByHand},
		{"cursor", `{"mcpServers": {"glasstty": {"command": "a"}, "glasstty": {"command": "b"}}}`, ErrByHand},
		{"cursor", `{"mcpServers": {"glasstty": 1}}`, ErrTaken},
		{"cursor", `{"mcpServers": {"glasstty": {"url": "http://localhost"}}}`, ErrTaken},
		{"cursor", `{"mcpServers": {"glasstty": {"command": "npx", "args": ["other"]}}}`, ErrTaken},
		{"cursor", `{"mcpServers": {"glasstty": {"command": "npx", "args": "mcp"}}}`, ErrTaken},
		{"codex", "a = ", ErrSyntax},
		{"codex", "mcp_servers = 1\n", ErrByHand},
		{"codex", "mcp_servers = {}\n", ErrByHand},
		{"codex", "[mcp_servers]\nglasstty = { command = \"a\" }\n", ErrByHand},
		{"codex", "[mcp_servers]\nglasstty = 1\n", ErrTaken},
		{"codex", "[mcp_servers.glasstty]\nurl = \"http://localhost\"\n", ErrTaken},
	} {
		c, err := Find(tt.client)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.Merge([]byte(tt.in), server); !errors.Is(err, tt.want) {
			t.Errorf("%s %q: %v, want %v\n%s", tt.client, tt.in, err, tt.want, got)
		}
	}
	c, err := Find("cursor")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Merge(nil, Server{Name: "a.b"}); err == nil {
		t.Error("a name with a dot is taken")
	}
	if _, err := Find("emacs"); err == nil || !strings.Contains(err.Error(), "claude-code") {
		t.Errorf("unknown client: %v", err)
	}
}

func TestWrite(t *testing.T) {
	now := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	c, err := Find("cursor")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	real := filepath.Join(dir, "dotfiles", "mcp.json")
	link := filepath.Join(dir, "home", "mcp.json")
	for _, d := range []string{filepath.Dir(real), filepath.Dir(link)} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const old = "{\"a\": 1}\n"
	if err := errors.Join(os.WriteFile(real, []byte(old), 0o640), os.Symlink(real, link)); err != nil {
		t.Fatal(err)
	}
	res, err := c.Write(link, server, now)
	if err != nil || !res.Changed || res.Path != real || res.Backup != real+".20260203-040506.bak" {
		t.Fatalf("%+v, %v", res, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if b, err := os.ReadFile(res.Backup); err != nil || string(b) != old {
		t.Errorf("backup %q, %v", b, err)
	}
	for _, f := range []string{real, res.Backup} {
		if info, err := os.Stat(f); err != nil || info.Mode() != 0o640 {
			t.Errorf("%s has mode %v, %v", f, info.Mode(), err)
		}
	}
	if res, err = c.Write(link, server, now); err != nil || res.Changed || res.Backup != "" {
		t.Errorf("again: %+v, %v", res, err)
	}
	if files, _ := filepath.Glob(filepath.Dir(real) + "/*"); len(files) != 2 {
		t.Errorf("files %v", files)
	}
}

func TestWriteNew(t *testing.T) {
	c, err := Find("codex")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a", "config.toml")
	res, err := c.Write(path, server, time.Now())
	if err != nil || !res.Changed || res.Backup != "" {
		t.Fatalf("%+v, %v", res, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != newFileMode {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestWriteNothing checks that errors leave everything as it was.
func TestWriteNothing(t *testing.T) {
	c, err := Find("cursor")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	now := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	broken, taken := put("broken", "{"), put("taken", "{}")
	put("taken.20260203-040506.bak", "older")
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(filepath.Join(dir, "nowhere"), loop); err != nil {
		t.Fatal(err)
	}
	huge := put("huge", "")
	if err := os.Truncate(huge, MaxFile+1); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		broken: "not valid JSON", taken: "backup", loop: "leads nowhere", dir: "no regular file",
		huge: "at most", filepath.Join(broken, "x"): "not a directory",
	} {
		if res, err := c.Write(path, server, now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", path, res, err)
		}
	}
	for path, want := range map[string]string{broken: "{", taken: "{}"} {
		if b, err := os.ReadFile(path); err != nil || string(b) != want {
			t.Errorf("%s holds %q, %v", path, b, err)
		}
	}
	if err := replaceFile(taken, []byte("{ }"), []byte("new"), 0o600); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("a file that has changed: %v", err)
	}
	if files, _ := filepath.Glob(dir + "/*"); len(files) != 5 {
		t.Errorf("files %v", files)
	}
}

func TestPaths(t *testing.T) {
	linux := Env{OS: "linux", Home: "/home/ann", Getenv: func(string) string { return "" }}
	mac := Env{OS: "darwin", Home: "/home/ann", Getenv: linux.Getenv}
	moved := Env{OS: "linux", Home: "/home/ann", Getenv: func(name string) string { return "/etc/" + strings.ToLower(name) }}
	for _, tt := range []struct {
		id   string
		env  Env
		want string
	}{
		{"claude-code", linux, "/home/ann/.claude.json"},
		{"claude-code", moved, "/etc/claude_config_dir/.claude.json"},
		{"cursor", linux, "/home/ann/.cursor/mcp.json"},
		{"vscode", linux, "/home/ann/.config/Code/User/mcp.json"},
		{"vscode", mac, "/home/ann/Library/Application Support/Code/User/mcp.json"},
		{"windsurf", linux, "/home/ann/.codeium/windsurf/mcp_config.json"},
		{"codex", linux, "/home/ann/.codex/config.toml"},
		{"codex", moved, "/etc/codex_home/config.toml"},
		{"gemini-cli", linux, "/home/ann/.gemini/settings.json"},
		{"zed", linux, "/home/ann/.config/zed/settings.json"},
		{"zed", moved, "/etc/xdg_config_home/zed/settings.json"},
		{"zed", mac, "/home/ann/.config/zed/settings.json"},
	} {
		c, err := Find(tt.id)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.UserFile(tt.env); err != nil || got != tt.want {
			t.Errorf("%s: %s, %v, want %s", tt.id, got, err, tt.want)
		}
	}
	c, _ := Find("codex")
	if _, err := c.UserFile(Env{}); err == nil {
		t.Error("no home is no error")
	}
	if _, err := c.ProjectFile("/p"); err == nil {
		t.Error("codex has a project file")
	}
}
