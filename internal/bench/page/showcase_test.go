package page

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session"
)

// check is a program whose output has colours, wide characters and a link.
const check = `#!/bin/sh
printf '\033[1m%-26s%8s%8s\033[m\n' package tests time
while read -r name tests time; do
  printf '\033[32m✔\033[m %-24s%8s%8s\n' "$name" "$tests" "$time"
done <<END
parser 212 0.41s
grid 148 0.87s
keys 96 0.12s
widths 61 0.09s
END
printf '\033[31m✘ %-24s%8s%8s\033[m\n' recorder 33 1.02s
printf '  \033[33mrecorder_test.go:118:\033[m got "\033[31m日本\033[m", want "\033[32m日本語\033[m"\n'
printf '\033[1;41;97m FAIL \033[m 549 passed, \033[1;31m1 failed\033[m · \033[4;34m\033]8;;https://example.com/log\033\\the whole log\033]8;;\033\\\033[m\n'
`

// showcase starts the sessions that the pictures show, which contain nothing from this
// machine. It returns the session in which the tests were run.
func showcase(t *testing.T, r *rig) *session.Session {
	t.Helper()
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "check"), []byte(check), 0o700); err != nil {
		t.Fatal(err)
	}
	start := func(name, command string, args ...string) *session.Session {
		need.Program(t, command)
		s, err := r.mgr.Start(t.Context(), session.StartOptions{
			Command: command, Args: args, Name: name, Dir: "/", Size: emulator.Size{Rows: 24, Cols: 80},
			Env: map[string]string{
				"PS1": `\[\e[1;32m\]shop\[\e[m\] $ `, "HOME": t.TempDir(), "LC_ALL": "C.UTF-8",
				"PATH": bin + ":" + os.Getenv("PATH"), "PYTHON_HISTORY": "/dev/null",
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Exchange(t.Context(), session.Input{}, session.Wait{Timeout: patience / 3}, nil); err != nil {
			t.Fatal(err)
		}
		return s
	}
	tests := start("tests", "bash", "--norc")
	editor := start("editor", "vim", "-u", "NONE", "-N", "-c", "syntax on", "-c", "set ft=python")
	deploy := start("deploy", "bash", "--norc")
	repl := start("python", "python3", "-q")
	login := start("login", "bash", "--norc")
	for _, say := range []struct {
		s    *session.Session
		line string
	}{
		{tests, "cd /"}, {tests, "clear"}, {tests, "check"},
		{editor, "ifrom decimal import Decimal\n\ndef total(prices):\n    \"\"\"Adds prices up.\"\"\"\n    return sum(map(Decimal, prices))\n\nprint(total([\"9.99\", \"20.01\"]))\x1b"},
		{deploy, "git push --force origin main"},
		{repl, "import math"}, {repl, "[round(math.sqrt(n), 3) for n in range(9)]"}, {repl, "2**200"},
		{login, "clear; read -sp 'Password for ann: ' secret"},
	} {
		if _, err := agentTypes(t, say.s, say.line); err != nil && !strings.Contains(err.Error(), "held") {
			t.Fatal(err)
		}
	}
	return tests
}

// TestShowcase takes the pictures for the README, and checks that they contain nothing from
// this machine.
func TestShowcase(t *testing.T) {
	r := newRig(t)
	tests := showcase(t, r)
	tab := browser(t)
	do(t, tab, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}),
		chromedp.EmulateViewport(1180, 800),
		chromedp.Navigate(r.url+"/ann/#"+tests.ID()), shows("the whole log"), shows("$ check"), chromedp.Click("#take"), chromedp.WaitVisible("#typing"),
		chromedp.SendKeys("#typing", "git log -3"), shows("git log -3"),
		text("#needs", "login asks for a password"), text("#needs", "deploy wants to run a command"),
		chromedp.Poll(`document.querySelectorAll('#marks .person').length > 0`, nil, chromedp.WithPollingTimeout(patience)))
	neutral(t, tab)
	shoot(t, tab, "live")
	do(t, tab, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "light"}}),
		phone(), chromedp.Click("#needs li:first-child button"), chromedp.WaitVisible("#ask-held"), chromedp.Evaluate(`document.activeElement.blur()`, nil))
	neutral(t, tab)
	shoot(t, tab, "live-phone")
}

// ours matches text that belongs to this machine.
var ours = regexp.MustCompile(`/tmp|/root|/home|@[a-z0-9-]+:`)

// neutral checks that a page shows nothing from this machine.
func neutral(t *testing.T, tab context.Context) {
	t.Helper()
	var all string
	do(t, tab, chromedp.Evaluate(`document.body.innerText`, &all))
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if found := ours.FindString(all); found != "" || strings.Contains(all, host) && host != "" {
		t.Errorf("the page shows %q or %q:\n%s", found, host, all)
	}
}
