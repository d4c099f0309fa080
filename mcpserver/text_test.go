package mcpserver

import (
	"os"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session"
)

// TestPromptPart checks that the text shows a prompt only once.
func TestPromptPart(t *testing.T) {
	long := "somebody@somewhere:~/a/long/path$ "
	for _, tt := range []struct {
		name string
		r    session.Reply
		want string
	}{
		{"a prompt", session.Reply{Reason: detect.Prompt, Prompt: ">>> ", HasOutput: true, Output: "4"}, `prompt ">>> "`},
		{"the same again", session.Reply{Reason: detect.Prompt, Prompt: ">>> ", PromptRepeated: true}, `prompt ">>> "`},
		{"a long one", session.Reply{Reason: detect.Prompt, Prompt: long}, `prompt "` + long + `"`},
		{"a long one again", session.Reply{Reason: detect.Prompt, Prompt: long, PromptRepeated: true}, "prompt as before"},
		{"a long one again after a timeout", session.Reply{Reason: detect.Timeout, Prompt: long, PromptRepeated: true}, "timeout with the prompt as before"},
		{"one with a typed line", session.Reply{Reason: detect.Prompt, Prompt: ">>> " + strings.Repeat("é", 2000) + "end"},
			`prompt ">>> ` + strings.Repeat("é", 48) + "…" + strings.Repeat("é", 48) + `end"`},
		{"a question in the output", session.Reply{Reason: detect.AwaitingInput, Prompt: "Go on? [y/N] ", HasOutput: true, Output: "one\nGo on? [y/N] "}, "awaiting_input"},
		{"without its blank", session.Reply{Reason: detect.Password, Prompt: "Password: ", HasOutput: true, Output: "Password:"}, "password"},
		{"a question read before", session.Reply{Reason: detect.AwaitingInput, Prompt: "Go on? ", HasOutput: true}, `awaiting_input "Go on? "`},
		{"a question on a screen", session.Reply{Reason: detect.AwaitingInput, Prompt: "Go on? ", Output: "Go on? "}, `awaiting_input "Go on? "`},
		{"a prompt that was printed", session.Reply{Reason: detect.Prompt, Prompt: "$ ", HasOutput: true, Output: "$ "}, `prompt "$ "`},
	} {
		if got := strings.Join(reasonParts(&tt.r), separator); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestStartedText checks that the text of a start repeats nothing from the caller's
// arguments.
func TestStartedText(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	other, vim, python := "/other", "vim", "python3"
	info := session.Info{PID: 7, Name: "vim"}
	for _, tt := range []struct {
		name            string
		cwd, foreground string
		in              startProcessArgs
		want            string
	}{
		{"as asked", here, vim, startProcessArgs{Command: "/usr/bin/vim"}, "[s1 running · awaiting_input · 0 ms · pid 7]"},
		{"as asked, in another directory", other, vim, startProcessArgs{Command: "vim", Cwd: other}, "[s1 running · awaiting_input · 0 ms · pid 7]"},
		{"it changed the directory", other, vim, startProcessArgs{Command: "vim"}, `[s1 running · awaiting_input · 0 ms · cwd "/other" · pid 7]`},
		{"it runs another program", here, python, startProcessArgs{Command: "env"}, `[s1 running · awaiting_input · 0 ms · foreground "python3" · pid 7]`},
	} {
		r := &session.Reply{SessionID: "s1", Status: session.StatusRunning, Reason: detect.AwaitingInput, Cwd: &tt.cwd, Foreground: &tt.foreground}
		if got := startedText(r, info, &tt.in); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		if r.Cwd == nil || r.Foreground == nil {
			t.Errorf("%s: startedText changed the reply", tt.name)
		}
	}
	code := 0
	ended := &session.Reply{SessionID: "s1", Status: session.StatusExited, ExitCode: &code, Reason: detect.Exited}
	if got, want := startedText(ended, info, &startProcessArgs{Command: "true"}), "[s1 exited 0 · 0 ms]"; got != want {
		t.Errorf("ended: %s, want %s", got, want)
	}
}
