package clientconfig

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the goldens")

var server = Server{Command: "/opt/glasstty/bin/glasstty", Args: []string{"mcp"}}

// TestMerge checks the golden files, whose names begin with the client's. Merging into
// "before" must give "after" or "error". A file may set the server's "command". Merging
// again must change nothing. Removing the server must give "removed", or "before" if the
// file has no "removed".
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
	s := server
	if line := strings.Fields(string(want["command"])); len(line) > 0 {
		s.Command, s.Args = line[0], line[1:]
	}
	before := want["before"]
	got, err := c.edit(bytes.Clone(before), s, false)
	outcome := []txtar.File{{Name: "after", Data: got}}
	if err != nil {
		outcome = []txtar.File{{Name: "error", Data: []byte(err.Error() + "\n")}}
	} else {
		again, err := c.edit(got, s, false)
		if err != nil || !bytes.Equal(again, got) {
			t.Errorf("merged again: %v\n%s", err, again)
		}
		removed, err := c.edit(bytes.Clone(got), s, true)
		if err != nil {
			removed = []byte(err.Error() + "\n")
		}
		if !bytes.Equal(removed, before) {
			outcome = append(outcome, txtar.File{Name: "removed", Data: removed})
		}
	}
	if *update {
		kept := slices.DeleteFunc(ar.Files, func(f txtar.File) bool { return f.Name != "before" && f.Name != "command" })
		ar.Files = append(kept, outcome...)
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, f := range outcome {
		if old, there := want[f.Name]; !there || !bytes.Equal(old, f.Data) {
			t.Errorf("%s:\n%s\nwant:\n%s", f.Name, f.Data, old)
		}
		delete(want, f.Name)
	}
	delete(want, "before")
	delete(want, "command")
	for name, data := range want {
		t.Errorf("no %s, want\n%s", name, data)
	}
}

// TestBytes checks line endings, which a golden file cannot contain.
func TestBytes(t *testing.T) {
	for _, tt := range []struct{ name, client, in, want string }{
		{"CRLF", "cursor", "{\r\n\t\"a\": 1\r\n}\r\n", "{\r\n\t\"a\": 1,\r\n\t\"mcpServers\": {\r\n\t\t\"glasstty\": {\r\n\t\t\t\"command\": \"/opt/glasstty/bin/glasstty\",\r\n\t\t\t\"args\": [\r\n\t\t\t\t\"mcp\"\r\n\t\t\t]\r\n\t\t}\r\n\t}\r\n}\r\n"},
		{"no last newline", "codex", "a = 1", "a = 1\n\n[mcp_servers.glasstty]\ncommand = \"/opt/glasstty/bin/glasstty\"\nargs = [\"mcp\"]\n"},
		{"CRLF in TOML", "codex", "a = 1\r\n", "a = 1\r\n\r\n[mcp_servers.glasstty]\r\ncommand = \"/opt/glasstty/bin/glasstty\"\r\nargs = [\"mcp\"]\r\n"},
	} {
		c, err := Find(tt.client)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.edit([]byte(tt.in), server, false)
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
		{"cursor", "\ufeff{}", ErrSyntax},
		{"claude-code", "{} // mine", ErrSyntax},
		{"windsurf", `{"a": [1,]}`, ErrSyntax},
		{"cursor", `{"mcpServers": []}`, ErrNotEditable},
		{"cursor", `{"mcpServers": null}`, ErrNotEditable},
		{"cursor", `{"mcpServers": {}, "mcpServers": {}}`, ErrNotEditable},
		{"cursor", `{"mcpServers": {"glasstty": {"command": "a"}, "glasstty": {"command": "b"}}}`, ErrNotEditable},
		{"cursor", `{"mcpServers": {"glasstty": 1}}`, ErrTaken},
		{"cursor", `{"mcpServers": {"glasstty": {"url": "http://localhost"}}}`, ErrTaken},
		{"cursor", `{"mcpServers": {"glasstty": {"command": "npx", "args": ["other"]}}}`, ErrTaken},
		{"cursor", `{"mcpServers": {"glasstty": {"command": "npx", "args": "mcp"}}}`, ErrTaken},
		{"codex", "a = ", ErrSyntax},
		{"codex", "mcp_servers = 1\n", ErrNotEditable},
		{"codex", "mcp_servers = {}\n", ErrNotEditable},
		{"codex", "[mcp_servers]\nglasstty = { command = \"a\" }\n", ErrNotEditable},
		{"codex", "[mcp_servers]\nglasstty = 1\n", ErrTaken},
		{"codex", "[mcp_servers.glasstty]\nurl = \"http://localhost\"\n", ErrTaken},
	} {
		c, err := Find(tt.client)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.edit([]byte(tt.in), server, false); !errors.Is(err, tt.want) {
			t.Errorf("%s %q: %v, want %v\n%s", tt.client, tt.in, err, tt.want, got)
		}
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
	res, err := c.Write(link, server, false, now)
	if err != nil || !res.Changed || res.Path != real || res.Backup != real+".20260203-040506.000.bak" {
		t.Fatalf("%+v, %v", res, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("mode of the link: %v, %v", info.Mode(), err)
	}
	if b, err := os.ReadFile(res.Backup); err != nil || string(b) != old {
		t.Errorf("backup %q, %v", b, err)
	}
	for _, f := range []string{real, res.Backup} {
		if info, err := os.Stat(f); err != nil || info.Mode() != 0o640 {
			t.Errorf("%s has mode %v, %v", f, info.Mode(), err)
		}
	}
	if res, err = c.Write(link, server, false, now); err != nil || res.Changed || res.Backup != "" {
		t.Errorf("again: %+v, %v", res, err)
	}
	if files, _ := filepath.Glob(filepath.Dir(real) + "/*"); len(files) != 2 {
		t.Errorf("files %v", files)
	}
	if res, err = c.Write(link, server, true, now.Add(time.Millisecond)); err != nil || !res.Changed || res.Backup != real+".20260203-040506.001.bak" {
		t.Errorf("delete: %+v, %v", res, err)
	}
	if b, err := os.ReadFile(link); err != nil || string(b) != old {
		t.Errorf("after Delete: %q, %v", b, err)
	}
}

func TestWriteNew(t *testing.T) {
	c, err := Find("codex")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a", "config.toml")
	res, err := c.Write(path, server, false, time.Now())
	if err != nil || !res.Changed || res.Backup != "" {
		t.Fatalf("%+v, %v", res, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != newFileMode {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestWriteNothing checks that errors leave all files unchanged.
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
	put("taken.20260203-040506.000.bak", "older")
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(filepath.Join(dir, "nowhere"), loop); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		broken: "not valid JSON", taken: "backup", loop: "leads nowhere", dir: "not a regular file",
		filepath.Join(broken, "x"): "not a directory",
	} {
		if res, err := c.Write(path, server, false, now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", path, res, err)
		}
	}
	for path, want := range map[string]string{broken: "{", taken: "{}"} {
		if b, err := os.ReadFile(path); err != nil || string(b) != want {
			t.Errorf("%s holds %q, %v", path, b, err)
		}
	}
	if err := c.replaceFile(taken, []byte("{ }"), []byte("new"), 0o600); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("replacing a file that another program has changed: %v", err)
	}
	if files, _ := filepath.Glob(dir + "/*"); len(files) != 4 {
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
		{"claude-desktop", linux, "/home/ann/.config/Claude/claude_desktop_config.json"},
		{"claude-desktop", mac, "/home/ann/Library/Application Support/Claude/claude_desktop_config.json"},
		{"opencode", linux, "/home/ann/.config/opencode/opencode.json"},
		{"cline", linux, "/home/ann/.cline/data/settings/cline_mcp_settings.json"},
		{"cline", moved, "/etc/cline_dir/data/settings/cline_mcp_settings.json"},
		{"jetbrains", mac, "/home/ann/.junie/mcp/mcp.json"},
		{"goose", mac, "/home/ann/.config/goose/config.yaml"},
		{"copilot-cli", linux, "/home/ann/.copilot/mcp-config.json"},
		{"copilot-cli", moved, "/etc/copilot_home/mcp-config.json"},
		{"skill", linux, "/home/ann/.agents/skills/glasstty/SKILL.md"},
		{"claude-skill", linux, "/home/ann/.claude/skills/glasstty/SKILL.md"},
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
		t.Error("no error without a home directory")
	}
	if got, err := c.ProjectFile("/p"); err != nil || got != "/p/.codex/config.toml" {
		t.Errorf("codex's project: %s, %v", got, err)
	}
	if c, _ = Find("windsurf"); c.ID == "" {
		t.Fatal("windsurf is gone")
	}
	if _, err := c.ProjectFile("/p"); err == nil {
		t.Error("windsurf has a project file")
	}
	if c, _ = Find("agents-md"); c.ID == "" {
		t.Fatal("agents-md is gone")
	}
	if _, err := c.UserFile(linux); err == nil || !strings.Contains(err.Error(), "--project") {
		t.Errorf("agents-md of a user: %v", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "opencode.jsonc"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, _ = Find("opencode"); c.ID == "" {
		t.Fatal("opencode is gone")
	}
	if got, err := c.ProjectFile(dir); err != nil || filepath.Base(got) != "opencode.jsonc" {
		t.Errorf("opencode's project: %s, %v", got, err)
	}
}

// TestFindNearest checks the suggestions for misspelled names of clients.
func TestFindNearest(t *testing.T) {
	for in, want := range map[string]string{
		"curser": `did you mean "cursor"?`, "claudecode": `did you mean "claude-code"?`, "vs-code": `did you mean "vscode"?`,
		"open-code": `did you mean "opencode"?`, "emacs": `unknown client "emacs"; known are claude-code, `,
	} {
		if _, err := Find(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", in, err, want)
		}
	}
}

// TestRemoveByHand checks that an entry that cannot be edited safely is left alone, with
// an error that says so.
func TestRemoveByHand(t *testing.T) {
	c, err := Find("codex")
	if err != nil {
		t.Fatal(err)
	}
	text := "[mcp_servers]\nglasstty = { command = \"/opt/glasstty/bin/glasstty\", args = [\"mcp\"] }\n"
	if got, err := c.edit([]byte(text), server, true); !errors.Is(err, ErrNotEditable) {
		t.Errorf("%q, %v", got, err)
	}
	for client, texts := range map[string][]string{
		"cursor": {
			`{"mcpServers": {}, "mcpServers": {"glasstty": {"command": "glasstty"}}}`,
			`{"mcpServers": {"a": 1, "b": 2}, "mcpServers": {"glasstty": {"command": "glasstty"}, "c": 3}}`,
			`{"mcpServers": 1, "mcpServers": {"glasstty": {"command": "glasstty"}, "c": 3}}`,
		},
		"goose": {
			"a: &a {glasstty: {cmd: glasstty}, b: 1}\nextensions: *a\n",
			"a: &a {glasstty: {cmd: glasstty}}\nextensions: {<<: *a, b: 1}\n",
		},
	} {
		c, err := Find(client)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			for _, remove := range []bool{false, true} {
				if got, err := c.edit([]byte(text), server, remove); !errors.Is(err, ErrNotEditable) {
					t.Errorf("%s: %q, %v", text, got, err)
				}
			}
		}
	}
}
