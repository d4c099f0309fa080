package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session"
	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestWire plays the conversations in testdata/wire against real programs. Each file is a
// txtar archive. Its comment names required programs in lines "need NAME". The files are
// pairs of a call, "call TOOL" with the arguments as JSON, and its result: "text" as the
// model reads it, and "json" with the structured content. Times, process IDs and revisions
// are replaced by constants. -update rewrites the results.
func TestWire(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "wire", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			playWire(t, file)
		})
	}
}

// playWire plays one conversation.
func playWire(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(archive.Comment)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "need "); ok {
			need.Program(t, name)
		}
	}
	dir := t.TempDir()
	c := connect(t, "wire", manager(t), Options{Structured: StructuredOn})
	schemas := outputSchemas(t)
	got := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		tool, ok := strings.CutPrefix(f.Name, "call ")
		if !ok {
			continue
		}
		args := bytes.ReplaceAll(f.Data, []byte("$DIR"), []byte(dir))
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
		if err != nil {
			t.Fatalf("%s %s: %v", tool, f.Data, err)
		}
		got.Files = append(got.Files, f, txtar.File{Name: textName(res), Data: []byte(steady(ResultText(res), dir) + "\n")})
		if res.StructuredContent != nil {
			if err := schemas[tool].Validate(res.StructuredContent); err != nil {
				t.Errorf("%s %s: result does not match its schema: %v", tool, f.Data, err)
			}
			got.Files = append(got.Files, txtar.File{Name: "json", Data: []byte(steady(string(indent(t, res.StructuredContent)), dir))})
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(got))); diff != "" {
		t.Errorf("%s (-want +got), run with -update and read the diff:\n%s", file, diff)
	}
}

// outputSchemas returns each tool's output schema, with unknown fields forbidden.
func outputSchemas(t *testing.T) map[string]*jsonschema.Resolved {
	t.Helper()
	all := map[string]*jsonschema.Resolved{}
	for _, tool := range allTools() {
		var s jsonschema.Schema
		if err := json.Unmarshal(mustJSON(objectSchema(tool.out, forResult)), &s); err != nil {
			t.Fatal(err)
		}
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
		resolved, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		all[tool.name] = resolved
	}
	return all
}

func textName(res *mcp.CallToolResult) string {
	if res.IsError {
		return "error"
	}
	return "text"
}

// manager returns a Manager that is closed, with all its children, at the end
// of the test.
func manager(t *testing.T) *session.Manager {
	t.Helper()
	mgr := session.NewManager(session.Options{})
	t.Cleanup(func() {
		if err := mgr.Close(); err != nil {
			t.Error(err)
		}
	})
	return mgr
}

// unsteady lists the parts of a result that differ from run to run, such as the foreground
// program of a shell, with their replacements. Durations are removed, because results omit those
// under a millisecond.
var unsteady = []struct {
	re *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`\b[0-9]+(\.[0-9]+)? m?s\b`), "N ms"},
	{regexp.MustCompile(`(?m)^ *"(elapsed|duration|foreground)": .*\n`), ""},
	{regexp.MustCompile(` · foreground "[^"]*"`), ""},
	{regexp.MustCompile(`(?m)^foreground: .*\n`), ""},
	{regexp.MustCompile(`(,?"duration":)[0-9.]+`), "$1N"},
	{regexp.MustCompile(`nonce=[0-9a-f]+`), "nonce=N"},
	{regexp.MustCompile(`file://[^/$]*`), "file://HOST"},
	// Raw output names the host and the directory.
	{regexp.MustCompile(`"bytes_returned": [0-9]+((?s:[^}]*}[^}]*}?[^}]*)file://HOST)`), `"bytes_returned": "N"$1`},
	{regexp.MustCompile(`\bpid:? [0-9]+`), "pid N"},
	{regexp.MustCompile(`\brevision [0-9]+`), "revision N"},
	{regexp.MustCompile(`"(pid|revision|created_at|last_activity|elapsed|duration|bytes_in|bytes_out)": [0-9.e+]+`), `"$1": "N"`},
	// A reply that does not wait may come before, during or after the echo.
	{regexp.MustCompile(`"cursor": \{[^}]*\}((?s:[^{}]*)"reason": "returned")`), `"cursor": "N"$1`},
	{regexp.MustCompile(`\b(created_at|last_activity|bytes_in|bytes_out): [0-9.]+`), "$1: N"},
	{regexp.MustCompile(`\b[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}\b`), "TIME"},
}

// steady replaces the parts of text that differ from run to run.
func steady(text, dir string) string {
	text = strings.ReplaceAll(text, dir, "$DIR")
	if here, err := os.Getwd(); err == nil {
		text = strings.ReplaceAll(text, here, "$HERE")
	}
	for _, u := range unsteady {
		text = u.re.ReplaceAllString(text, u.to)
	}
	return strings.TrimRight(text, "\n") + strings.Repeat("\n", btoi(strings.HasPrefix(text, "{")))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// start starts a program and returns its session's ID.
func start(t *testing.T, c *mcp.ClientSession, args map[string]any) string {
	t.Helper()
	return field[string](t, call1(t, c, "start_process", args), "session_id")
}

// call1 calls a tool that must succeed and returns its structured content.
func call1(t *testing.T, c *mcp.ClientSession, tool string, args map[string]any) map[string]any {
	t.Helper()
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, args, err)
	}
	if res.IsError {
		t.Fatalf("%s %v: %s", tool, args, ResultText(res))
	}
	data, ok := res.StructuredContent.(map[string]any)
	if !ok {
		t.Fatalf("%s %v: structured content %v", tool, args, res.StructuredContent)
	}
	return data
}

// field returns a field of a result, or the zero value if it is missing.
func field[T any](t *testing.T, data map[string]any, name string) T {
	t.Helper()
	v, ok := data[name]
	if !ok {
		var zero T
		return zero
	}
	got, ok := v.(T)
	if !ok {
		t.Fatalf("field %s is %s", name, fmt.Sprintf("%T", v))
	}
	return got
}
