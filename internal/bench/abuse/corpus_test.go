package abuse

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A rig is a client of a server whose danger check is on, and a stand-in program that
// it has started.
type rig struct {
	*testing.T
	client  *mcp.ClientSession
	session string
	dir     string // the home directory; the working directory is project in it
	record  string
}

// newRig starts a server with the danger check, a client, and the stand-in for a
// program.
func newRig(t *testing.T, program string) *rig {
	t.Helper()
	return newRigWith(t, program, session.Options{Danger: new(danger.Checker)})
}

// newRigWith is like newRig, with the given options.
func newRigWith(t *testing.T, program string, o session.Options) *rig {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(home, "project"), 0o700); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(home, program)
	if err := os.Symlink(self, name); err != nil {
		t.Fatal(err)
	}
	mgr := session.NewManager(o)
	t.Cleanup(func() {
		if err := mgr.Close(); err != nil {
			t.Error(err)
		}
	})
	srv, err := mcpserver.New(mgr, mcpserver.Options{Structured: mcpserver.StructuredOn})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{T: t, dir: home, record: filepath.Join(home, "record")}
	here, there := mcp.NewInMemoryTransports()
	ctx := context.WithoutCancel(t.Context())
	if _, err := srv.MCP().Connect(ctx, here, nil); err != nil {
		t.Fatal(err)
	}
	if r.client, err = mcp.NewClient(&mcp.Implementation{Name: "abuse", Version: "1"}, nil).Connect(ctx, there, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.client.Close() })
	res := r.call("start_process", map[string]any{
		"command": name, "cwd": filepath.Join(home, "project"), "marks": false, "cols": 1000, "timeout": 20,
		"env": map[string]any{recordVar: r.record, "HOME": home},
	})
	if res.IsError {
		t.Fatal(text(res))
	}
	info := res.StructuredContent.(map[string]any)
	r.session = info["session_id"].(string)
	r.mustBeUs(int(info["pid"].(float64)), self)
	return r
}

// mustBeUs stops the test unless the process runs this test's own binary, so that
// nothing is typed into any other program.
func (r *rig) mustBeUs(pid int, self string) {
	r.Helper()
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if os.IsNotExist(err) {
		r.Skip("this test needs /proc to verify that the stand-in is running")
	}
	want, errSelf := filepath.EvalSymlinks(self)
	if err != nil || errSelf != nil || exe != want {
		r.Fatalf("process %d is %q, not the stand-in %q: not typing into it (%v, %v)", pid, exe, want, err, errSelf)
	}
}

// call calls a tool.
func (r *rig) call(tool string, args map[string]any) *mcp.CallToolResult {
	r.Helper()
	res, err := r.client.CallTool(r.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		r.Fatalf("%s %v: %v", tool, args, err)
	}
	return res
}

// text returns the text content of a result.
func text(res *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// line types a line and reports whether the danger check held it.
func (r *rig) line(what string) bool {
	r.Helper()
	res := r.call("send_input", map[string]any{"session_id": r.session, "text": what + "\n"})
	if res.IsError && !strings.Contains(text(res), "held by the danger check") {
		r.Errorf("%q: %s", what, text(res))
	}
	return res.IsError
}

// awaitLine waits until the stand-in has received the line last, and returns all lines
// that it received.
func (r *rig) awaitLine(last string) []string {
	r.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		lines := reached(r.T, r.record)
		if slices.Contains(lines, last) {
			return lines
		}
		if time.Now().After(deadline) {
			r.Fatalf("the stand-in did not receive %q, only %d other lines", last, len(lines))
		}
		r.call("wait_for", map[string]any{"session_id": r.session, "until": "quiet", "timeout": 0.2})
	}
}

// sampled is the sampling interval of the "unseen" corpus: of its lines, only one in
// sampled is typed here. The tests of package danger read them all.
const sampled = 12

// corpus returns the lines for one language of a file in the corpus, with a sample of
// the same file in the "unseen" corpus. Paths in the lines are moved into the rig's
// directories.
func (r *rig) corpus(file, lang string) []string {
	r.Helper()
	out := r.lines("corpus", file, lang)
	for i, l := range r.lines("unseen", file, lang) {
		if i%sampled == 0 {
			out = append(out, l)
		}
	}
	return out
}

// lines returns the lines for one language of a file in one part of the corpus.
func (r *rig) lines(part, file, lang string) []string {
	r.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "danger", "testdata", part, file))
	if err != nil {
		r.Fatal(err)
	}
	var out []string
	for l := range strings.SplitSeq(string(data), "\n") {
		if rest, ok := strings.CutPrefix(l, lang+"|"); ok {
			rest = strings.NewReplacer("⏎", "\n", "/home/dev", r.dir).Replace(rest)
			if lang == "sql" && !strings.HasPrefix(rest, "\\") && !strings.HasPrefix(rest, ".") && !strings.HasSuffix(rest, ";") {
				rest += "\n;" // nothing runs before it
			}
			out = append(out, rest)
		}
	}
	return out
}

// TestCorpus checks that of the corpus's dangerous lines, typed through an MCP client,
// no more reach the program than the accepted rates allow, and that the harmless lines
// arrive.
func TestCorpus(t *testing.T) {
	t.Parallel()
	for _, p := range []struct{ program, lang string }{
		{"bash", "sh"}, {"psql", "sql"}, {"python3", "python"}, {"node", "node"}, {"irb", "ruby"}, {"perl", "perl"},
		{"redis-cli", "redis"}, {"mongosh", "mongo"}, {"vim", "vim"}, {"gdb", "gdb"},
		{"sftp", "client"},
	} {
		t.Run(p.program, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var all judged
			t.Run("parts", func(t *testing.T) {
				for part := range parts {
					t.Run(fmt.Sprint(part), func(t *testing.T) {
						t.Parallel()
						got := newRig(t, p.program).typePart(p.lang, part)
						mu.Lock()
						defer mu.Unlock()
						all.bad, all.passed, all.good, all.alarms = all.bad+got.bad, all.passed+got.passed, all.good+got.good, all.alarms+got.alarms
					})
				}
			})
			if all.bad == 0 || all.good == 0 {
				t.Fatal("the corpus has no lines for this program")
			}
			if all.passed*100 > all.bad || all.alarms*100 > all.good {
				t.Errorf("%d of %d dangerous lines were not held, %d of %d harmless lines were held", all.passed, all.bad, all.alarms, all.good)
			}
		})
	}
}

// parts is the number of stand-ins that share a program's lines. Typing is mostly
// waiting, so they run in parallel.
const parts = 3

// judged counts the dangerous lines, those of them that were not held, the harmless
// lines, and those of them that were held.
type judged struct{ bad, passed, good, alarms int }

// typePart types one part of the corpus for a language.
func (r *rig) typePart(lang string, part int) (n judged) {
	r.Helper()
	share := func(lines []string) []string {
		return lines[part*len(lines)/parts : (part+1)*len(lines)/parts]
	}
	bad, good := share(r.corpus("dangerous.txt", lang)), share(r.corpus("harmless.txt", lang))
	n.bad, n.good = len(bad), len(good)
	for _, l := range bad {
		if !r.line(l) {
			n.passed++
			r.Logf("not held: %s", l)
		}
	}
	if r.line("the middle;") {
		r.Error("the line between the dangerous and the harmless lines was held")
	}
	if got := r.awaitLine("the middle;"); n.passed == 0 && len(got) != 1 {
		r.Errorf("dangerous lines arrived: %q", got)
	}
	for _, l := range good {
		if r.line(l) {
			n.alarms++
			r.Logf("held: %s", l)
		}
	}
	r.line("the end;")
	lines := strings.Join(r.awaitLine("the end;"), "\n")
	for _, l := range good[:min(len(good), 20)] {
		if !strings.Contains(lines, l) {
			r.Errorf("did not arrive: %s", l)
		}
	}
	return n
}

// TestWaysIn checks that a dangerous line for a shell is held, whichever way it is
// entered.
func TestWaysIn(t *testing.T) {
	t.Parallel()
	r := newRig(t, "bash")
	key := func(names ...string) []any {
		var out []any
		for _, n := range names {
			if s, ok := strings.CutPrefix(n, "text:"); ok {
				out = append(out, map[string]any{"text": s})
			} else {
				out = append(out, n)
			}
		}
		return out
	}
	type call struct {
		tool string
		args map[string]any
	}
	// Wait for quiet, as some keys take long on a busy machine.
	keys := func(names ...string) call {
		return call{"send_keys", map[string]any{"keys": key(names...), "until": "quiet", "timeout": 20}}
	}
	input := func(s string) call { return call{"send_input", map[string]any{"text": s}} }
	read := func(args map[string]any) call {
		args["until"], args["timeout"] = "quiet", 20
		return call{"send_and_read", args}
	}
	const bad = "rm -rf /data"
	for name, calls := range map[string][]call{
		"send_and_read":           {read(map[string]any{"text": bad, "press_enter": true})},
		"a line feed":             {read(map[string]any{"text": bad + "\n"})},
		"a carriage return":       {input(bad + "\r")},
		"ctrl+j":                  {input(bad), keys("ctrl+j")},
		"ctrl+m":                  {input(bad), keys("ctrl+m")},
		"alt+enter":               {input(bad), keys("alt+enter")},
		"in two pieces":           {input("rm -rf "), read(map[string]any{"text": "/data", "press_enter": true})},
		"letter by letter":        {keys("r", "m", "space", "-", "r", "f", "space", "/", "d", "a", "t", "a"), keys("enter")},
		"enter alone":             {input(bad), read(map[string]any{"press_enter": true})},
		"a paste":                 {read(map[string]any{"text": bad, "paste": true, "press_enter": true})},
		"a paste of lines":        {read(map[string]any{"text": "ls\n" + bad + "\nls\n", "paste": true, "press_enter": true})},
		"many lines":              {input("ls\npwd\n" + bad + "\nls\n")},
		"text, keys, enter":       {read(map[string]any{"text": "rm -rf ", "keys": key("text:/", "text:data"), "press_enter": true})},
		"a letter put in":         {input("rm -f /data"), keys("left*7", "r", "enter")},
		"a letter taken out":      {input("rmx -rf /data"), keys("home", "right*2", "delete", "enter")},
		"a word killed":           {input("rm -rf /data build"), keys("ctrl+w", "enter")},
		"the start put before":    {input("-rf /data"), keys("ctrl+a", "text:rm ", "enter")},
		"the end killed":          {input("rm -rf /data/x"), keys("left*2", "ctrl+k", "enter")},
		"a line after ctrl+c":     {input("ls build"), keys("ctrl+u", "text:"+bad, "enter")},
		"backspaces":              {input("rm -rf build"), keys("backspace*5", "text:/data", "enter")},
		"raw backspaces":          {input("rm -rf build\x7f\x7f\x7f\x7f\x7f/data\r")},
		"after a continued line":  {input("rm -rf \\\n"), input("/data\n")},
		"a variable of before":    {input("x=rm\n"), input("$x -rf /data\n")},
		"a line of before":        {input("c='rm -rf /data'\n"), input("eval \"$c\"\n")},
		"start_process":           {{"start_process", map[string]any{"command": filepath.Join(r.dir, "bash"), "args": []any{"-c", bad}}}},
		"start_process with text": {{"start_process", map[string]any{"command": filepath.Join(r.dir, "bash"), "marks": false, "env": map[string]any{recordVar: r.record}, "text": bad, "press_enter": true}}},
	} {
		before := reached(t, r.record)
		var last *mcp.CallToolResult
		for _, c := range calls {
			if c.tool != "start_process" {
				c.args["session_id"] = r.session
			}
			last = r.call(c.tool, c.args)
		}
		if !last.IsError || !strings.Contains(text(last), "held by the danger check") {
			t.Errorf("%s: input not held: %s", name, text(last))
		}
		// Ctrl+C discards the rest of the line. The mark shows that all earlier input
		// has arrived.
		r.call("send_input", map[string]any{"session_id": r.session, "text": "\x03"})
		mark := "true " + strings.ReplaceAll(name, " ", "-")
		if r.line(mark) {
			t.Errorf("%s: the mark was held", name)
		}
		for _, l := range r.awaitLine(mark)[len(before):] {
			if strings.Contains(l, "rm -rf /data") && !strings.HasPrefix(l, "c=") {
				t.Errorf("%s: %q reached the program", name, l)
			}
		}
	}
}

// TestRecalled checks that a dangerous line is held when it is recalled from the
// program's own history, even after it was confirmed once.
func TestRecalled(t *testing.T) {
	r := newRig(t, "bash")
	const bad = "rm -rf /data"
	if !r.line(bad) {
		t.Fatal("the dangerous line was not held")
	}
	res := r.call("confirm_dangerous_command", map[string]any{"session_id": r.session, "input": bad + "\n", "justification": "a stand-in reads it", "timeout": 1})
	if res.IsError {
		t.Fatal(text(res))
	}
	if got := r.awaitLine(bad); len(got) != 1 {
		t.Fatalf("the program received %q, want one line", got)
	}
	for _, keys := range [][]any{{"up", "enter"}, {"up", "down", "up", "enter"}, {"up", "end", "ctrl+j"}} {
		res := r.call("send_keys", map[string]any{"session_id": r.session, "keys": keys, "timeout": 1})
		if !res.IsError || !strings.Contains(text(res), "Enter was not pressed") {
			t.Errorf("keys %v: %s", keys, text(res))
		}
		r.call("send_keys", map[string]any{"session_id": r.session, "keys": []any{"down*3"}, "timeout": 1})
	}
	if r.line("true end") {
		t.Error("the last, harmless line was held")
	}
	if got := r.awaitLine("true end"); len(got) != 2 {
		t.Errorf("the program received %q", got)
	}
}
