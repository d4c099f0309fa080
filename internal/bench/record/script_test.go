package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestParseScript(t *testing.T) {
	s, err := ParseScript([]byte(`# comment
size 10 20
env A=b c
setup mkdir x
quiet 50ms
run prog -a 'b c'
wait start
type "\x1bq\r"
loop "Push <RETURN>" "\r"
resize 5 7
exit
-- a/file --
text
`))
	if err != nil {
		t.Fatal(err)
	}
	if s.Rows != 10 || s.Cols != 20 || s.Run != "prog -a 'b c'" || s.Env[0] != "A=b c" || s.Setup[0] != "mkdir x" {
		t.Errorf("got %+v", s)
	}
	want := []Step{{Op: "quiet", Wait: 50 * time.Millisecond}, {Op: "wait", Text: "start"},
		{Op: "type", Text: "\x1bq\r"}, {Op: "loop", While: "Push <RETURN>", Text: "\r"},
		{Op: "resize", Rows: 5, Cols: 7}, {Op: "exit"}}
	for i, w := range want {
		if s.Steps[i] != w {
			t.Errorf("step %d: got %+v, want %+v", i, s.Steps[i], w)
		}
	}
}

func TestParseScriptRejects(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"size 24 80\n", "no run line"},
		{"run x\npress y\n", `line 2: "press y": unknown step`},
		{"run x\ntype y\n", "line 2"},
		{"run x\npause soon\n", "line 2"},
		{"run x\nloop \"a\"\n", "line 2"},
		{"size big\nrun x\n", "line 1"},
	} {
		if _, err := ParseScript([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want an error with %q", c.text, err, c.want)
		}
	}
}

// TestScripts checks that all scripts in the repository can be parsed.
func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("../../../" + replayDir + "/*/record.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseScript(text); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
}
