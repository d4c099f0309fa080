package mcpserver

import (
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session"
)

// typedWord is typed in all sessions of TestHistories. oldWord is in the histories
// beforehand.
const (
	typedWord = "4711001"
	oldWord   = "4711000"
)

// homeWith creates a home directory with these files.
func homeWith(t *testing.T, files map[string]string) string {
	t.Helper()
	home := t.TempDir()
	for name, text := range files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// written returns the names of the files below dir that contain typedWord.
func written(t *testing.T, dir string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), typedWord) {
			found = append(found, d.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestHistories checks that shells and REPLs write nothing of what was typed to history
// files in the user's home, unless WriteHistory is set, and that shells and Python can
// recall the user's earlier history.
func TestHistories(t *testing.T) {
	linuxOnly(t)
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	bashrc := map[string]string{".bashrc": "PS1='$ '\nHISTFILE=~/.mine\nPROMPT_COMMAND='history -a'\n", ".mine": "echo " + oldWord + "\n"}
	zshrc := map[string]string{".zshrc": "PS1='$ '\nHISTFILE=~/.zsh_history HISTSIZE=100 SAVEHIST=100\nsetopt inc_append_history\n", ".zsh_history": "echo " + oldWord + "\n"}
	for _, tt := range []struct {
		name    string
		command string
		args    []any
		home    map[string]string
		recalls bool   // whether it recalls the user's history
		line    string // the lines to type
		quit    string // the key that ends the program
		want    string // the user's file that is written with WriteHistory
	}{
		{"bash", "bash", nil, map[string]string{".bashrc": "PS1='$ '\n", ".bash_history": "echo " + oldWord + "\n"}, true, "echo " + typedWord, "ctrl+d", ".bash_history"},
		{"bash with its own file", "bash", nil, bashrc, true, "echo " + typedWord, "ctrl+d", ".mine"},
		{"bash, posix", "bash", []any{"--posix"}, map[string]string{".bash_history": "echo " + oldWord + "\n"}, false, "echo " + typedWord, "ctrl+d", ""},
		{"bash without marks", "bash", []any{"--norc", "--noprofile"}, nil, false, "echo " + typedWord, "ctrl+d", ".bash_history"},
		{"bash in bash", "bash", nil, nil, false, "bash -i\necho " + typedWord, "ctrl+d", ".bash_history"},
		{"zsh", "zsh", nil, zshrc, true, "echo " + typedWord, "ctrl+d", ".zsh_history"},
		{"bash in zsh", "zsh", nil, zshrc, false, "bash\necho " + typedWord, "ctrl+d", ".bash_history"},
		{"fish", "fish", nil, nil, false, "echo " + typedWord, "ctrl+d", "fish_history"},
		{"ksh", "ksh", nil, nil, false, "echo " + typedWord, "ctrl+d", ""},
		{"python3", "python3", nil, map[string]string{".python_history": "print(" + oldWord + ")\n"}, true, "print(" + typedWord + ")", "ctrl+d", ".python_history"},
		{"python3 in bash", "bash", nil, map[string]string{".bashrc": "PS1='$ '\n"}, false, "python3 -q\nprint(" + typedWord + ")", "ctrl+d", ".python_history"},
		{"node", "node", nil, nil, false, typedWord, "ctrl+d", ".node_repl_history"},
		{"sqlite3", "sqlite3", nil, nil, false, "select " + typedWord + ";", "ctrl+d", ""},
		{"irb", "irb", nil, map[string]string{".irbrc": "puts 'mine is read'\n"}, false, typedWord, "ctrl+d", ".irb_history"},
		{"gdb", "gdb", nil, map[string]string{".config/gdb/gdbearlyinit": "set startup-quietly on\n", ".gdbinit": "set history save on\n"}, false, "print " + typedWord, "ctrl+d", ""},
		{"redis-cli", "redis-cli", nil, nil, false, "help " + typedWord, "ctrl+d", ""},
		{"less", "less", []any{"/etc/services"}, nil, false, "/" + typedWord, "q", ".lesshst"},
	} {
		for _, keeps := range []bool{true, false} {
			if keeps && tt.want == "" {
				continue
			}
			name := tt.name
			if keeps {
				name += ", asked for"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				need.Program(t, tt.command)
				home := homeWith(t, tt.home)
				mgr := session.NewManager(session.Options{WriteHistory: keeps})
				defer mgr.Close()
				c := connect(t, "test", mgr, Options{Structured: StructuredOn})
				list := []any{a{"expect": `\S`, "until": "quiet"}}
				if tt.recalls {
					list = append(list, a{"keys": []any{"up", "enter"}, "wait_for": "^" + oldWord})
				}
				lines := strings.Split(tt.line, "\n")
				for _, line := range lines[:len(lines)-1] {
					list = append(list, a{"text": line, "press_enter": true, "wait_for": `[#$%>] $`, "timeout": patience.Seconds()})
				}
				list = append(list, a{"text": lines[len(lines)-1], "press_enter": true, "until": "quiet"})
				for range lines[1:] {
					list = append(list, a{"keys": []any{tt.quit}, "wait_for": `[#$%] $`, "timeout": patience.Seconds()})
				}
				list = append(list, a{"keys": []any{tt.quit}, "until": "exit", "timeout": patience.Seconds()})
				res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "start_process", Arguments: a{
					"command": tt.command, "args": append([]any{}, tt.args...), "cwd": home, "env": a{"HOME": home}, "steps": list, "timeout": patience.Seconds(),
				}})
				if err != nil {
					t.Fatal(err)
				}
				found := written(t, home)
				if text, err := os.ReadFile(filepath.Join(me.HomeDir, ".sqlite_history")); err == nil && strings.Contains(string(text), typedWord) {
					t.Error("sqlite3, which ignores HOME, has written to the user's own history")
				}
				if got := strings.Join(found, " "); res.StructuredContent.(a)["reason"] != "exited" || keeps != (got != "") || keeps && got != tt.want {
					t.Errorf("written: %q; the steps:\n%s", got, ResultText(res))
				}
				if strings.Contains(tt.home[".irbrc"], "mine") && !strings.Contains(ResultText(res), "mine is read") {
					t.Errorf("the user's startup file was not read: %s", ResultText(res))
				}
				if _, ok := res.StructuredContent.(a)["stopped_at"]; ok {
					t.Errorf("stopped: %s", ResultText(res))
				}
			})
		}
	}
}
