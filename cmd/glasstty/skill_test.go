package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// inlineCommand matches commands in the sentences of the skill.
var inlineCommand = regexp.MustCompile("`(glasstty [^`]+)`")

// TestSkill runs every command of the skill in a shell, in order, as an agent would, and
// checks the results.
func TestSkill(t *testing.T) {
	bash := need.Program(t, "bash")
	need.Program(t, "python3")
	t.Parallel()
	dir := t.TempDir()
	env := append(os.Environ(), "HOME="+dir, "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"),
		"GLASSTTY_SOCKET="+filepath.Join(dir, "socket"), "GLASSTTY_PORT=0", "GLASSTTY_DATA_DIR=none")
	shell := func(line string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), bash, "-c", line)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
		return string(out)
	}
	t.Cleanup(func() {
		stop := exec.Command(binary, "stop")
		stop.Env = env
		_ = stop.Run() // the server has already ended unless the test failed
	})
	skill := shell("glasstty setup skill 2>/dev/null")
	_, rest, _ := strings.Cut(skill, "```sh\n")
	block, prose, ok := strings.Cut(rest, "```\n")
	if !ok || strings.Count(block, "\n") != 6 {
		t.Fatalf("commands %q, want a block of six lines", block)
	}
	outputs := map[string]string{}
	for line := range strings.Lines(block) {
		outputs[strings.Fields(line)[1]] = shell(line)
	}
	const power = "1267650600228229401496703205376"
	for tool, want := range map[string]string{
		"start_process": ">>> ", "send_and_read": power, "send_keys": power, "wait_for": "matched", "snapshot": power,
	} {
		if !strings.Contains(outputs[tool], want) {
			t.Errorf("%s: output %q lacks %q", tool, outputs[tool], want)
		}
	}

	// The rest of the skill: an argument with a pipe, and the commands in sentences.
	if out := shell(`glasstty start_process command=bash args=-c args='echo a | tr a b'`); !strings.Contains(out, "b\n") {
		t.Errorf("a pipe: %s", out)
	}
	var inline []string
	for _, m := range inlineCommand.FindAllStringSubmatch(prose, -1) {
		inline = append(inline, m[1])
	}
	want := []string{"glasstty attach py", "glasstty terminate_process session_id=py", "glasstty stop", "glasstty help send_keys"}
	if strings.Join(inline, "\n") != strings.Join(want, "\n") {
		t.Fatalf("commands in sentences: %q, want %q", inline, want)
	}
	if out := shell("GLASSTTY_SOCKET= glasstty snap --wait-for 1267 -- glasstty attach py --socket socket"); !strings.Contains(out, power) {
		t.Errorf("attach shows %s", out)
	}
	shell(inline[1])
	shell(inline[3])
	shell(inline[2])
}
