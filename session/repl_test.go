package session

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
)

// A turn is one exchange of a conversation: the line to type and the expected reply.
type turn struct {
	line   string
	reason detect.Reason
	output string // "*" matches any output
}

// converse types the line of each turn and checks the reply.
func converse(t *testing.T, s *Session, turns []turn) {
	t.Helper()
	for _, tt := range turns {
		r := say(t, s, tt.line)
		if r.Reason != tt.reason || tt.output != "*" && r.Output != tt.output {
			t.Errorf("%q: reason %s, output %q, prompt %q, %+v\nwant reason %s, output %q",
				tt.line, r.Reason, r.Output, r.Prompt, r.Explain, tt.reason, tt.output)
		}
	}
}

// TestConversations checks the replies of shells and REPLs of many kinds.
func TestConversations(t *testing.T) {
	need.Long(t)
	const prompt = detect.Prompt
	for _, tt := range []struct {
		name  string
		o     StartOptions
		turns []turn
	}{
		{"bash", StartOptions{Command: "bash", Args: []string{"--norc"}}, []turn{
			{"seq 3 | cat", prompt, "1\n2\n3"},
			{"cat <<EOF\nhello\n  world\nEOF", prompt, "hello\n  world"},
			{"echo a; sleep 0.4; echo b", prompt, "a\nb"},
			{"printf 'x\\ny'", prompt, "x\ny"},
			{"printf 'a\\rb\\n'", prompt, "b"},
			{"for i in 1 2 3; do printf \"\\r$i%%\"; sleep 0.05; done; echo", prompt, "3%"},
			{"cat", detect.AwaitingInput, ""},
			{"line1\nline2", detect.AwaitingInput, "line1\nline2"},
			{"\x04", prompt, "*"},
			{"for i in $(seq 100); do stty -echo; stty echo; done; echo done", prompt, "done"},
			{"PS1='[\\t] \\w\\n\\$ '", prompt, ""},
			{"echo two-line prompt", prompt, "two-line prompt"},
			{"PS1=$'\\e[1m[\\\\!]\\e[0m '", prompt, ""},
			{"echo counter and colours", prompt, "counter and colours"},
			{"PS1=$(printf '%09000d' 1)'$ '", prompt, ""},
			{"echo long prompt", prompt, "long prompt"},
			{"PS1='$ '", prompt, ""},
			{"stty -echo", prompt, ""},
			{"echo noecho", prompt, "noecho"},
		}},
		{"fakes", StartOptions{Command: "bash", Args: []string{"--norc"}}, []turn{
			{"printf '\\e]133;B;nonce=x\\a'; sleep 0.4; echo after", prompt, "after"},
			{"printf '\\e]133;D;0\\a\\e]133;A\\a$ \\e]133;B\\a'; sleep 0.4; echo after", prompt, "$ after"},
			{"printf '$ '; sleep 0.4; echo after", prompt, "$ after"},
			{"printf '\\e[?2026h'; sleep 0.3; echo held; printf '\\e[?2026l'", prompt, "held"},
		}},
		{"fakes without marks", StartOptions{Command: "bash", Args: []string{"--norc"}, NoMarks: true}, []turn{
			{"printf '\\e]133;B\\a'; sleep 0.4; echo after", prompt, "after"},
			{"printf '$ '; sleep 0.4; echo after", prompt, "$ after"},
			{"echo '$ echo x'; sleep 0.3; echo x", prompt, "$ echo x\nx"},
		}},
		{"nested", StartOptions{Command: "bash", Args: []string{"--norc"}}, []turn{
			{"python3 -q", prompt, ""},
			{"print('in python')", prompt, "in python"},
			{"import os; os.system('sh')", prompt, ""},
			{"echo in sh; sleep 0.3; echo on", prompt, "in sh\non"},
			{"exit", prompt, "0"},
			{"exit()", prompt, ""},
			{"echo back", prompt, "back"},
		}},
		{"nested with a busy child", StartOptions{Command: "bash", Args: []string{"--norc"}}, []turn{
			{"python3 -q", prompt, ""},
			{"import subprocess; p = subprocess.Popen(['sh', '-c', 'while :; do :; done'])", prompt, ""},
			{"1 + 1", prompt, "2"},
			{"p.kill(); p.wait()", prompt, "-9"},
			{"exit()", prompt, ""},
		}},
		{"zsh", StartOptions{Command: "zsh"}, []turn{
			{"echo hi", prompt, "hi"},
			{"RPROMPT='%T'; PROMPT='%~ %# '", prompt, ""},
			{"echo hi", prompt, "hi"},
			{"for i in 1 2\ndo echo $i\ndone", prompt, "1\n2"},
			{"sleep 0.4; echo z", prompt, "z"},
		}},
		{"fish", StartOptions{Command: "fish"}, []turn{
			{"echo hi", prompt, "hi"},
			{"for i in 1 2\necho $i\nend", prompt, "1\n2"},
			{"sleep 0.4; echo z", prompt, "z"},
			{"read -P 'q? ' x; echo got $x", detect.AwaitingInput, "q? "},
			{"foo", prompt, "got foo"},
			{"cat", detect.AwaitingInput, ""},
			{"\x04", prompt, ""},
			{"bash --norc", prompt, ""},
			{"exit", prompt, "exit"},
		}},
		{"sqlite3", StartOptions{Command: "sqlite3"}, []turn{
			{"create table t(a);", prompt, ""},
			{"insert into t\nvalues(1);", prompt, ""},
			{"select * from t;", prompt, "1"},
		}},
		{"gdb", StartOptions{Command: "gdb", Args: []string{"-q", "-nx"}}, []turn{
			{"print 1+1", prompt, "$1 = 2"},
			{"shell sleep 0.4; echo x", prompt, "x"},
			{"echo abc", prompt, "abc"},
			{"shell printf abc", prompt, "abc"},
			{"help all", detect.AwaitingInput, "*"},
			{"q", prompt, "Quit"},
		}},
		{"irb", StartOptions{Command: "irb", Args: []string{"-f"}}, []turn{
			{"def f\n 5\nend", prompt, "=> :f"},
			{"f", prompt, "=> 5"},
			{"sleep 0.4; puts 'x'", prompt, "x\n=> nil"},
			{"gets", detect.AwaitingInput, ""},
			{"hello", prompt, "=> \"hello\\n\""},
			{"def g", prompt, ""},
			{" 7", prompt, ""},
			{"end", prompt, "=> :g"},
		}},
		{"asyncio", StartOptions{Command: "python3", Args: []string{"-m", "asyncio"}}, []turn{
			{"for i in range(2):", prompt, ""},
			{" print(i)", prompt, ""},
			{"", prompt, "0\n1"},
			{"await asyncio.sleep(0.4, 5)", prompt, "5"},
		}},
		{"lua5.4", StartOptions{Command: "lua5.4"}, []turn{
			{"for i=1,2 do", prompt, ""},
			{"print(i)", prompt, ""},
			{"end", prompt, "1\n2"},
		}},
		{"script", StartOptions{Command: "script", Args: []string{"-q", "-c", "bash --norc", "/dev/null"}}, []turn{
			{"echo hi", prompt, "hi"},
			{"sleep 0.4; echo z", prompt, "z"},
		}},
		{"getpass", StartOptions{Command: "python3", Args: []string{"-q"}}, []turn{
			{"import getpass; len(getpass.getpass())", detect.Password, "Password: "},
			{"secret", prompt, "6"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, r := launchWith(t, newManager(t), tt.o)
			if r.Reason != prompt {
				t.Fatalf("start: reason %s, output %q, %+v", r.Reason, r.Output, r.Explain)
			}
			converse(t, s, tt.turns)
		})
	}
}

// ctrl returns a press of ctrl and the given key.
func ctrl(c rune) KeyPress {
	return KeyPress{Key: emulator.Key{Code: emulator.KeyRune, Rune: c, Mods: emulator.Ctrl}}
}

// TestTypedAhead checks that the echo of a line typed while a command runs is not output. Such a
// line is echoed twice.
func TestTypedAhead(t *testing.T) {
	t.Parallel()
	for _, noMarks := range []bool{false, true} {
		s, _ := launchWith(t, newManager(t), StartOptions{Command: "bash", Args: []string{"--norc"}, NoMarks: noMarks})
		for lines, output := range map[string]string{
			"echo second":              "first\nsecond",
			"echo second\necho third":  "first\nsecond\nthird",
			"echo second\necho second": "first\nsecond\nsecond",
		} {
			if _, err := s.Type(t.Context(), Input{Text: "sleep 0.4; echo first", Enter: true}); err != nil {
				t.Fatal(err)
			}
			inForeground(t, s, "sleep")
			got := say(t, s, lines).Output
			// On a busy machine the wait may end at an earlier prompt, before the last line has
			// run.
			for limit := time.Now().Add(patience); strings.HasPrefix(output, got+"\n") && time.Now().Before(limit); {
				if more := exchange(t, s, Input{}, Wait{Timeout: patience}).Output; more != "" {
					got += "\n" + more
				}
			}
			if got != output {
				t.Errorf("output %q, want %q", got, output)
			}
		}
	}
}

// TestJobs checks that stopping a job ends the wait at the prompt, that a killed job is not listed
// as stopped, and that the output of a background job is returned while the shell is idle.
func TestJobs(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	if _, err := s.Type(t.Context(), Input{Text: "sleep 1000", Enter: true}); err != nil {
		t.Fatal(err)
	}
	for s.Info().Foreground != "sleep" {
		exchange(t, s, Input{}, Wait{Until: UntilChange, Timeout: MinTimeout})
	}
	r := exchange(t, s, Input{Keys: []KeyPress{ctrl('z')}}, Wait{Timeout: patience, Explain: true})
	if r.Reason != detect.Prompt {
		t.Errorf("ctrl+z: reason %s, %+v", r.Reason, r.Explain)
	}
	say(t, s, "kill -9 %1; sleep 0.2")
	if r := say(t, s, "jobs"); strings.Contains(r.Output, "Stopped") {
		t.Errorf("after kill: %q", r.Output)
	}
	say(t, s, "(sleep 0.3; echo from' 'behind) &")
	r = exchange(t, s, Input{}, Wait{Pattern: literal("from behind"), Timeout: patience})
	if r.Reason != detect.Matched || r.Output == "" {
		t.Errorf("background: reason %s, output %q", r.Reason, r.Output)
	}
}

// TestOutputInTheLine checks that what a background job writes while a line is half typed is
// output, and that the line is not.
func TestOutputInTheLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ command, job, first, second string }{
		{"bash --norc", "((cat < %s > /dev/null; printf 'B%%s\\n' G1 G2) &)", "echo ha", "lf"},
		{"zsh -f", "((cat < %s > /dev/null; printf 'B%%s\\n' G1 G2) &)", "echo ha", "lf"},
		{"python3 -q", "import threading; threading.Thread(target=lambda: print(open('%s').read()+'BG1\\nB'+'G2')).start()", "print('ha", "lf')"},
	} {
		t.Run(tt.command, func(t *testing.T) {
			t.Parallel()
			command := strings.Fields(tt.command)
			s, _ := launch(t, newManager(t), need.Program(t, command[0]), command[1:]...)
			shown := func(text string, ends bool) { // waits for text without a reply, which would advance the reader
				t.Helper()
				for now := s.State(); ; {
					if shot := s.Snapshot(0); strings.Contains(shot.Text(), text) && (!ends || shot.Cursor.Col == 0) {
						return
					}
					var err error
					if now, err = s.Changed(t.Context(), now); err != nil {
						t.Fatal(err)
					}
				}
			}
			gates, open := newGate(t)
			say(t, s, fmt.Sprintf(tt.job, gates+"/gate"))
			if _, err := s.Type(t.Context(), Input{Text: tt.first}); err != nil {
				t.Fatal(err)
			}
			shown(tt.first, false)
			open()
			shown("BG2", true)
			r := say(t, s, tt.second)
			if got := strings.Fields(r.Output); !slices.Equal(got, []string{"BG1", "BG2", "half"}) {
				t.Errorf("reason %s, output %q\n%s", r.Reason, r.Output, s.Snapshot(0).Text())
			}
		})
	}
}

// TestLinesOfText checks that the echo of a text of several lines, with or without tabs, is not
// output, and that output that looks like one of the lines is.
func TestLinesOfText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		command, text, output string
	}{
		{"python3 -q", "def f():\n\tx = 1\n\treturn x\n\nf()\nfor i in range(2):\n\tprint(i)\n\n", "1\n0\n1"},
		{"node", "[\n\t1,\n\t2]", "[ 1, 2 ]"},
		{"cat", "a\n\tb\n c\td", "a\n        b\n c      d"},
		{"dash", "f() {\n\techo \"tabbed $1\"\n}\nf x", "tabbed x"},
		{"zsh -f", "if true; then\n\techo 'a\tb'\nfi", "a       b"},
		{"bash --norc", "if true; then\n\techo 'a\tb'\nfi", "a       b"},
		{"fish", "begin\necho x\nend\necho end", "x\nend"},
		{"fish", "echo 'echo a'\necho a", "echo a\na"},
		{"php -a", "function f($x) {\n  return $x*2;\n}\necho f(21);\necho 'x';", "42\nx"},
	} {
		t.Run(tt.command, func(t *testing.T) {
			t.Parallel()
			command := strings.Fields(tt.command)
			s, _ := launch(t, newManager(t), need.Program(t, command[0]), command[1:]...)
			if r := say(t, s, tt.text); r.Output != tt.output {
				t.Errorf("reason %s, output %q, want %q", r.Reason, r.Output, tt.output)
			}
		})
	}
}

// TestJobNotices checks that the shell's notices of jobs that end while a command runs, or at the
// prompt, are output, and that its prompts are not.
func TestJobNotices(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{{"bash", "--norc"}, {"zsh"}, {"zsh", "-f"}} {
		t.Run(strings.Join(command, " "), func(t *testing.T) {
			t.Parallel()
			s, _ := launch(t, newManager(t), need.Program(t, command[0]), command[1:]...)
			gates, open := newGate(t)
			var number, pid int
			if r := say(t, s, "cat "+gates+"/gate > /dev/null &"); r.Reason != detect.Prompt {
				t.Errorf("start: reason %s", r.Reason)
			} else if _, err := fmt.Sscanf(r.Output, "[%d] %d", &number, &pid); err != nil {
				t.Fatalf("start: output %q, %v", r.Output, err)
			}
			open()
			output := ""
			for syscall.Kill(pid, 0) == nil {
				output += exchange(t, s, Input{}, Wait{Timeout: patience}).Output
			}
			output += say(t, s, "echo hi").Output
			if _, err := s.Type(t.Context(), Input{Text: "sleep 1000", Enter: true}); err != nil {
				t.Fatal(err)
			}
			inForeground(t, s, "sleep")
			exchange(t, s, Input{Keys: []KeyPress{ctrl('z')}}, Wait{Timeout: patience})
			output += "\n" + say(t, s, "kill -9 %1").Output
			for limit := time.Now().Add(patience); !strings.Contains(output, "illed") && time.Now().Before(limit); {
				if len(command) > 1 && command[0] == "zsh" {
					// It reports the job at its prompt. A command that is typed at that moment is drawn
					// twice, and without marks the second one is output.
					output += exchange(t, s, Input{}, Wait{Timeout: patience}).Output
					continue
				}
				output += say(t, s, ":").Output
			}
			if low := strings.ToLower(output); !strings.Contains(low, " done ") || !strings.Contains(low, " killed ") || strings.Contains(output, "$") {
				t.Errorf("output %q", output)
			}
		})
	}
}

// TestScrolledLine checks the output of a line that is so long that the line editor scrolls it
// sideways.
func TestScrolledLine(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "mksh")
	const line = "printf '<%s>\\n' one; sleep 0.05; printf '<%s>\\n' two; sleep 0.05; printf '<%s>\\n' three; printf '<%s>\\n' four"
	expect(t, say(t, s, line), detect.Prompt, "<one>\n<two>\n<three>\n<four>")
}

// TestPrintsAfterPrompt checks that text that node prints after its prompt, just before it waits
// for keys, is returned as output, and that the wait does not time out.
func TestPrintsAfterPrompt(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	s, _ := launchWith(t, m, StartOptions{Command: "node", Env: map[string]string{"NODE_REPL_HISTORY": "", "NODE_DISABLE_COLORS": "1"}})
	say(t, s, "1+1")
	for range 3 {
		r := say(t, s, "process.nextTick(() => console.log('tick'))")
		if r.Reason == detect.Timeout || r.Output != "undefined\n> tick" {
			t.Errorf("reason %s, output %q, %+v", r.Reason, r.Output, r.Explain)
		}
		expect(t, say(t, s, "2+2"), detect.Prompt, "4")
	}
}

// TestOwnPrompt checks that output that equals node's prompt is not taken for it, although node
// reads keys as at its prompt while it awaits a timer. Only the way in which node draws its prompt
// differs.
func TestOwnPrompt(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	s, _ := launchWith(t, m, StartOptions{Command: "node", Env: map[string]string{"NODE_REPL_HISTORY": "", "NODE_DISABLE_COLORS": "1"}})
	converse(t, s, []turn{
		{"1+1", detect.Prompt, "2"},
		{"const later = () => new Promise(r => setTimeout(r, 150))", detect.Prompt, "undefined"},
	})
	for range 3 {
		r := say(t, s, "await (async () => { process.stdout.write('> '); await later(); console.log('after') })()")
		output := r.Output
		for r.Reason == detect.Settled { // possible on a busy machine; it does not claim that node is at its prompt
			r = exchange(t, s, Input{}, Wait{Timeout: patience, Explain: true})
			output += r.Output
		}
		if r.Reason != detect.Prompt || !strings.Contains(output, "after") {
			t.Errorf("reason %s, output %q, %+v", r.Reason, output, r.Explain)
		}
	}
}

// TestPromptOfItsOwn checks that a prompt of unknown shape is recognized because it comes back, and
// that silence before it counts as work.
func TestPromptOfItsOwn(t *testing.T) {
	t.Parallel()
	s, r := launch(t, newManager(t), "sh", "-c", `while printf '; '; read -r x; do [ "$x" != nap ] || sleep 1.2; echo "got $x"; done`)
	if r.Reason != detect.AwaitingInput && r.Reason != detect.Settled {
		t.Errorf("start: reason %s, %+v", r.Reason, r.Explain)
	}
	if runtime.GOOS != "linux" {
		return // silence is the only sign of a prompt there
	}
	converse(t, s, []turn{
		{"one", detect.Prompt, "got one"},
		{"nap", detect.Prompt, "got nap"},
		{"two", detect.Prompt, "got two"},
	})
}

// TestLooksForKeys checks that a wait is not reported as complete while the program polls for a
// key, each time for a while, between the steps of its work.
func TestLooksForKeys(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	const code = `
import select
for n in range(8):
    print("step", n, flush=True)
    select.select([0], [], [], 0.1)
print("done", flush=True)
input("Name: ")
`
	_, r := launch(t, newManager(t), "python3", "-c", code)
	if r.Reason.Complete() && !strings.HasSuffix(strings.TrimRight(r.Output, " "), "done\nName:") {
		t.Errorf("reason %s, output %q, %+v", r.Reason, r.Output, r.Explain)
	}
}

// TestBlinkingParenthesis checks a line editor like Octave's. It reads all that is typed at once
// and, at each closing parenthesis, waits a moment for keys with its cursor on the opening one. It
// then waits for its terminal alone, in the same call as at its prompt, and the cursor may be right
// after the prompt.
func TestBlinkingParenthesis(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	const code = `
import os, select, sys, time, tty
tty.setraw(0)
def put(s): os.write(1, s.encode())
typed, n = "", 1
def key():
    global typed
    while not typed:
        if select.select([0], [], [], 0.1)[0]: typed = os.read(0, 4096).decode()
    c, typed = typed[0], typed[1:]
    return c
while True:
    put("calc:%d> " % n)
    n, line = n + 1, ""
    while (c := key()) != "\r":
        line += c
        put(c)
        if c == ")":
            back = len(line) - line.rindex("(")
            put("\x1b[%dD" % back)
            select.select([0], [], [], 0.4)
            put("\x1b[%dC" % back)
    put("\r\n")
    if "nap" in line: time.sleep(0.3)
    put("took %d\r\n" % len(line))
`
	s, r := launch(t, newManager(t), "python3", "-c", code)
	expect(t, r, detect.Prompt, "")
	converse(t, s, []turn{
		{"one", detect.Prompt, "took 3"},
		{"f(2)+nap", detect.Prompt, "took 8"},
		{"(2)+nap", detect.Prompt, "took 7"},
		{"x\n(2)+nap", detect.Prompt, "took 1\ntook 7"},
	})
}

// TestToolbar checks a program that draws a toolbar below its prompt.
func TestToolbar(t *testing.T) {
	const code = `printf 'v1\n\033[?2004h'; while printf 'tool> \0337\n\n[F1] help\0338'; read -r x; do printf '\033[Jgot %s\n' "$x"; done`
	s, r := launch(t, newManager(t), "sh", "-c", code)
	expect(t, r, detect.Prompt, "v1")
	converse(t, s, []turn{
		{"one", detect.Prompt, "got one"},
		{"two", detect.Prompt, "got two"},
	})
}

// TestPromptEndsLikeAnother checks that the first prompt of a program is reported whole, even if it
// ends like the prompt of the program before it.
func TestPromptEndsLikeAnother(t *testing.T) {
	linuxOnly(t)
	s, _ := launch(t, newManager(t), "bash", "--norc")
	for _, prompt := range []string{"> ", "calc:1> ", "calc> "} {
		r := say(t, s, "sh -c 'while printf \""+prompt+"\"; read -r x; do echo got $x; done'")
		expect(t, r, detect.Prompt, "")
		if r.Prompt != prompt {
			t.Errorf("prompt %q, want %q", r.Prompt, prompt)
		}
		expect(t, say(t, s, "x"), detect.Prompt, "got x")
		exchange(t, s, Input{Text: "\x04"}, Wait{Timeout: patience})
	}
}

// TestBusyHelper checks that the shell's prompt ends the wait after a program inside the shell has
// exited, although a helper in the shell's own process group never sleeps for long. fish's reader
// of manual pages, at its first start, is such a helper.
func TestBusyHelper(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	s, _ := launch(t, newManager(t), "bash", "--norc")
	converse(t, s, []turn{
		{"set +m; while :; do sleep 0.01; done & set -m", detect.Prompt, "*"},
		{"echo one", detect.Prompt, "one"},
		{"bash --norc", detect.Prompt, ""},
		{"echo two", detect.Prompt, "two"},
		{"exit", detect.Prompt, "exit"},
		{"sleep 0.3; echo three", detect.Prompt, "three"},
		{"kill $!", detect.Prompt, "*"},
	})
}

// TestPasteWithoutEnter checks that the echo of pasted lines of which the last is not ended is not
// output, and is not taken for an answer with the same text.
func TestPasteWithoutEnter(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	s, _ := launch(t, newManager(t), "bash", "--norc")
	r := exchange(t, s, Input{Text: "echo a\necho b", Paste: true}, Wait{Timeout: patience, Explain: true})
	if r.Output != "" {
		t.Errorf("bash: output %q, want none", r.Output)
	}
	expect(t, say(t, s, ""), detect.Prompt, "a\nb")
	expect(t, say(t, s, "cat"), detect.AwaitingInput, "")
	r = exchange(t, s, Input{Text: "one\ntwo"}, Wait{Timeout: patience, Explain: true})
	if r.Output != "one" {
		t.Errorf("cat: output %q, want \"one\"", r.Output)
	}
	expect(t, say(t, s, ""), detect.AwaitingInput, "two")
}

// TestWidePrompt checks prompts in which the last character before the trailing blank is two cells
// wide.
func TestWidePrompt(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{"世 ", "👍 ", "世$ "} {
		for _, noMarks := range []bool{false, true} {
			s, _ := launchWith(t, newManager(t), StartOptions{Command: "bash", Args: []string{"--norc"}, NoMarks: noMarks})
			say(t, s, "PS1='"+prompt+"'") // without marks, it may be taken for a question at first
			say(t, s, "true")
			for _, output := range []string{"noeol", "z", "noeol", "世", "y"} {
				r := say(t, s, "printf "+output)
				expect(t, r, detect.Prompt, output)
				if r.Prompt != prompt {
					t.Errorf("prompt %q, want %q", r.Prompt, prompt)
				}
			}
		}
	}
	s, _ := launch(t, newManager(t), "python3", "-q")
	say(t, s, "import sys; sys.ps1 = '世 '")
	say(t, s, "1")
	expect(t, say(t, s, "print(5, end='')"), detect.Prompt, "5")
	expect(t, say(t, s, "3"), detect.Prompt, "3")
}

// TestPromptOverTheEdge checks output under a prompt whose right part runs over the right edge into
// the next row, where the output begins.
func TestPromptOverTheEdge(t *testing.T) {
	t.Parallel()
	for _, noMarks := range []bool{false, true} {
		s, _ := launchWith(t, newManager(t), StartOptions{Command: "bash", Args: []string{"--norc"}, NoMarks: noMarks})
		say(t, s, `PS1='\[\e[s\e[70C[right:prompt]\e[u\]$ '`)
		for range 2 {
			expect(t, say(t, s, "printf nonl"), detect.Prompt, "nonl")
			expect(t, say(t, s, "echo the first; echo second"), detect.Prompt, "the first\nsecond")
			expect(t, say(t, s, "echo the third"), detect.Prompt, "the third")
		}
	}
}

// TestOutputBeforePath checks output without a final newline before prompts that begin with a path,
// a time, or a user and host, in shells without line editor and marks.
func TestOutputBeforePath(t *testing.T) {
	t.Parallel()
	for _, ps1 := range []string{`\w \$ `, `12:30 \$ `, `\u@\h:\w\$ `} {
		s, _ := launchWith(t, newManager(t), StartOptions{Command: "bash", Args: []string{"--norc", "--noediting"}, NoMarks: true})
		say(t, s, "PS1='"+ps1+"'")
		for _, output := range []string{"nonl", "42", "/var/log", "status:ok", "nonl"} {
			expect(t, say(t, s, "printf "+output), detect.Prompt, output)
		}
	}
}

// TestCompletionPager checks that each page of readline's list of completions is returned as an
// answer.
func TestCompletionPager(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	dir := t.TempDir()
	for i := range 300 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file-%03d-%s", i, strings.Repeat("x", 50))), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tab := KeyPress{Key: emulator.Key{Code: emulator.KeyTab}}
	exchange(t, s, Input{Text: "ls " + dir + "/file-", Keys: []KeyPress{tab, tab}}, Wait{Timeout: patience})
	for _, page := range []struct{ key, first string }{{"y", "file-000"}, {" ", "file-0"}, {" ", "file-0"}} {
		r := exchange(t, s, Input{Text: page.key}, Wait{Timeout: patience, Explain: true})
		if r.Reason != detect.AwaitingInput || !strings.Contains(r.Output, page.first) {
			t.Errorf("after %q: reason %s, output %q, prompt %q, %+v", page.key, r.Reason, r.Output, r.Prompt, r.Explain)
		}
	}
}

// TestResizeWhileTyping checks that nothing above the prompt is overwritten when the terminal is
// resized while a wrapped line stands at the prompt, which the line editor redraws.
func TestResizeWhileTyping(t *testing.T) {
	t.Parallel()
	for command, sizes := range map[string][]int{"bash --norc": {80, 30, 60}, "zsh -f": {80, 30, 60}} {
		command := strings.Fields(command)
		s, _ := launchWith(t, newManager(t), StartOptions{Command: command[0], Args: command[1:], Size: emulator.Size{Rows: 24, Cols: 41}})
		expect(t, say(t, s, "echo out1; echo out2"), detect.Prompt, "out1\nout2")
		for _, cols := range sizes {
			exchange(t, s, Input{Text: "echo " + strings.Repeat("w", 70)}, Wait{Timeout: patience})
			if _, err := s.Resize(24, cols); err != nil {
				t.Fatal(err)
			}
			// The line editor reads keys once it has redrawn the line.
			exchange(t, s, Input{Text: "!"}, Wait{Timeout: patience})
			exchange(t, s, Input{Keys: []KeyPress{ctrl('c')}}, Wait{Timeout: patience})
		}
		if text := s.Snapshot(-1).Text(); !strings.Contains(text, "out1\nout2\n") {
			t.Errorf("%s: the output above the prompt is overwritten:\n%s", command[0], text)
		}
		expect(t, say(t, s, "echo more"), detect.Prompt, "more")
	}
}
