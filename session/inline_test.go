package session

import (
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
)

// inlineMenu draws a menu with CUU, as inline interfaces do, erases it with ED when Enter is
// pressed, and prints the choice.
const inlineMenu = `
import os, termios, tty
items, at = ITEMS, 0
old = termios.tcgetattr(0)
tty.setraw(0)
def draw(up):
    os.write(1, (up + "".join("\r\x1b[K%s %s\r\n" % (">" if i == at else " ", s) for i, s in enumerate(items))).encode())
draw("")
while True:
    key = os.read(0, 16)
    if key == b"\r": break
    if key in (b"\x1b[B", b"\x1bOB"): at = min(at + 1, 2)
    draw("\x1b[%dA" % len(items))
os.write(1, b"\x1b[%dA\r\x1b[J" % len(items))
termios.tcsetattr(0, termios.TCSADRAIN, old)
print(ANSWER)
`

// A menu is an inlineMenu that runs in a shell.
type menu struct {
	t *testing.T
	s *Session
}

func newMenu(t *testing.T, shell, items, answer string) *menu {
	t.Helper()
	return newMenuOf(t, inlineMenu, shell, items, answer)
}

func newMenuOf(t *testing.T, code, shell, items, answer string) *menu {
	t.Helper()
	dir := t.TempDir()
	code = strings.NewReplacer("ITEMS", items, "ANSWER", answer).Replace(code)
	if err := os.WriteFile(dir+"/menu.py", []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ := launchWith(t, newManager(t), StartOptions{Command: shell, Dir: dir})
	return &menu{t, s}
}

func (m *menu) begin() *Reply {
	m.t.Helper()
	return say(m.t, m.s, "python3 menu.py")
}

func (m *menu) press(key string) *Reply {
	m.t.Helper()
	return exchange(m.t, m.s, Input{Keys: keysOf(m.t, key)}, Wait{Timeout: patience})
}

func (m *menu) want(r *Reply, output string) {
	m.t.Helper()
	if r.Output != output {
		m.t.Errorf("reason %s, output %q, want %q", r.Reason, r.Output, output)
	}
}

// TestInlineMenu checks that each reply has the rows of an inline menu that have changed, and the
// last one the answer.
func TestInlineMenu(t *testing.T) {
	t.Parallel()
	for _, sh := range []string{"bash", "zsh", "fish", "dash"} {
		words := []struct{ name, answer, want string }{
			{"other words", "'chosen: ' + items[at]", "chosen: three"},
			{"a row's words", "'  two'", "  two"},
			{"the same row's words", "'  one'", "  one"},
		}
		for _, tt := range words[:need.Few(t, 1, len(words))] {
			t.Run(sh+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				m := newMenu(t, sh, `["one", "two", "three"]`, tt.answer)
				m.want(m.begin(), "> one\n  two\n  three")
				m.want(m.press("down"), "  one\n> two")
				m.want(m.press("x"), "") // drawn again with the same words
				m.want(m.press("down"), "  two\n> three")
				r := m.press("enter")
				if r.Reason != detect.Prompt {
					t.Errorf("at the end: reason %s", r.Reason)
				}
				m.want(r, tt.want)
				m.want(say(t, m.s, "echo next"), "next")
			})
		}
	}
}

// TestHighlight checks a menu that shows the selected row by a highlight alone, in shells of which
// some colour the typed line.
func TestHighlight(t *testing.T) {
	t.Parallel()
	code := strings.Replace(inlineMenu, `">" if i == at else " "`, `"\x1b[7m" if i == at else "\x1b[m"`, 1)
	shells := []string{"bash", "fish", "zsh", "dash"}
	for _, sh := range shells[:need.Few(t, 2, len(shells))] {
		t.Run(sh, func(t *testing.T) {
			t.Parallel()
			m := newMenuOf(t, code, sh, `["one", "two", "three"]`, "'chosen: ' + items[at]")
			m.want(m.begin(), " one\n two\n three")
			m.want(m.press("down"), " one\n two")
			m.want(m.press("x"), "")
			m.want(m.press("down"), " two\n three")
			m.want(m.press("enter"), "chosen: three")
			lines := []string{"true", "printf ''", "true | true"} // fish suggests a line that begins like the typed one
			for _, line := range lines[len(lines)-need.Few(t, 1, len(lines)):] {
				m.want(exchange(t, m.s, Input{Text: line}, Wait{Timeout: patience}), "")
				m.want(exchange(t, m.s, Input{Enter: true}, Wait{Timeout: patience}), "")
			}
			m.want(say(t, m.s, "echo next"), "next")
		})
	}
}

// noteBelow shows a note below its prompt, and redraws it at each key.
const noteBelow = `
import os, tty
tty.setraw(0)
typed = b""
while True:
    os.write(1, b"\x1b[0B\x1b[2K\x1b[1A\x1b[2K\rAge> " + typed + b"\x1b7\r\ntoo young\x1b8")
    key = os.read(0, 16)
    if key == b"\r": break
    typed = typed[:-1] if key == b"\x7f" else typed + key
os.write(1, b"\r\x1b[Jdone\r\n")
`

// TestNoteBelow checks that a note below the prompt is not returned as an answer when typed text is
// erased.
func TestNoteBelow(t *testing.T) {
	t.Parallel()
	s, r := launch(t, newManager(t), "python3", "-c", noteBelow)
	if r.Output != "too young" || r.Prompt != "Age> " {
		t.Errorf("start: %q, prompt %q", r.Output, r.Prompt)
	}
	for _, in := range []Input{{Text: "12"}, {Keys: keysOf(t, "backspace*2")}} {
		if r = exchange(t, s, in, Wait{Timeout: patience}); r.Output != "" {
			t.Errorf("%+v: reason %s, output %q", in, r.Reason, r.Output)
		}
	}
	expect(t, exchange(t, s, Input{Enter: true}, Wait{Timeout: patience}), detect.Exited, "done")
}

// TestTallMenu checks a menu that is taller than the screen, in a reply that has no room for it.
func TestTallMenu(t *testing.T) {
	t.Parallel()
	m := newMenu(t, "bash", `["item %d of the menu" % i for i in range(60)]`, "'chosen: ' + items[at]")
	m.begin()
	exchange(t, m.s, Input{Text: "echo small", Enter: true}, Wait{Until: UntilNone}) // Enter ends the menu
	exchange(t, m.s, Input{}, Wait{Timeout: patience})
	r := exchange(t, m.s, Input{Text: "python3 menu.py", Enter: true}, Wait{Timeout: patience, MaxOutputChars: 400})
	if n := len(r.Output); n > 600 || !r.HasMore || !strings.Contains(r.Output, "lines left out; read_output from_line=") {
		t.Errorf("%d characters, more %v: %q", n, r.HasMore, r.Output)
	}
	if r = m.press("enter"); !strings.Contains(r.Output, "chosen: item 0 of the menu") {
		t.Errorf("reason %s, output %q; screen\n%s", r.Reason, r.Output, m.s.Snapshot(0).Text())
	}
	m.want(say(t, m.s, "echo next"), "next")
}

// TestMenuResized checks that a resize in the middle of a menu gives no output.
func TestMenuResized(t *testing.T) {
	t.Parallel()
	m := newMenu(t, "bash", `["one", "two", "three"]`, "'chosen: ' + items[at]")
	m.begin()
	for _, size := range []emulator.Size{{Rows: 10, Cols: 40}, {Rows: 30, Cols: 100}} {
		if _, err := m.s.Resize(size.Rows, size.Cols); err != nil {
			t.Fatal(err)
		}
		m.want(exchange(t, m.s, Input{}, Wait{Until: UntilQuiet, Timeout: patience}), "")
	}
	m.want(m.press("down"), "  one\n> two")
	m.want(m.press("enter"), "chosen: two")
}

// TestMenuKilled checks the output after a program was killed and has left its menu behind.
func TestMenuKilled(t *testing.T) {
	t.Parallel()
	m := newMenu(t, "bash", `["one", "two", "three"]`, "items[at]")
	m.begin()
	m.press("down")
	inForeground(t, m.s, "python3")
	view := m.s.ready.LookTTY()
	if view.Group <= 1 { // 0 would mean this process's group, and -1 every process
		t.Fatalf("the foreground group is %d", view.Group)
	}
	if err := syscall.Kill(-view.Group, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r := exchange(t, m.s, Input{}, Wait{Pattern: regexp.MustCompile(`(?m)^Killed`), Timeout: patience})
	if r.Reason != detect.Matched || strings.Contains(r.Output, "one") || strings.Contains(r.Output, "three") {
		t.Errorf("reason %s, output %q", r.Reason, r.Output)
	}
	exchange(t, m.s, Input{}, Wait{Timeout: patience})
	m.want(say(t, m.s, "echo next"), "next")
}

// TestMenuReaders checks that one reader gets every change of a menu, and that another, which reads
// at the end, gets only the answers.
func TestMenuReaders(t *testing.T) {
	t.Parallel()
	m := newMenu(t, "bash", `["one", "two", "three"]`, "'chosen: ' + items[at]")
	late, err := m.s.AddReader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m.begin()
	rounds := need.Few(t, 3, 20)
	for range rounds {
		m.want(m.press("down"), "  one\n> two")
		m.want(m.press("down"), "  two\n> three")
		m.want(m.press("enter"), "chosen: three")
		m.begin()
	}
	m.press("enter")
	r, _, err := m.s.Read(t.Context(), ReadOptions{}, Wait{Reader: late}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Repeat("chosen: three\n", rounds) + "chosen: one"; r.Output != want {
		t.Errorf("the late reader got %q, want %q", r.Output, want)
	}
}

// TestFastMenu checks that a reply has each row at most once while a program redraws 1,000 rows a
// second.
func TestFastMenu(t *testing.T) {
	t.Parallel()
	const code = `
import sys, time
for n in range(150):
    sys.stdout.write("".join("\r\x1b[Krow %d: %d\n" % (i, n) for i in range(10)) + "\x1b[10A")
    sys.stdout.flush()
    time.sleep(0.01)
print("\x1b[Jdone")
`
	s, _ := launch(t, newManager(t), "bash", "--norc")
	exchange(t, s, Input{Text: "python3 -c '" + code + "'", Enter: true}, Wait{Until: UntilNone})
	for done := false; !done; {
		r := exchange(t, s, Input{}, Wait{Until: UntilChange, Timeout: patience})
		done = strings.Contains(r.Output, "done")
		if n := strings.Count(r.Output, "row "); n > 10 {
			t.Fatalf("%d rows in one reply: %q", n, r.Output)
		}
	}
}

// TestPulledBack checks text that is written into rows of the scrollback which a taller terminal
// shows again: it is in one reply, once, and nothing else is.
func TestPulledBack(t *testing.T) {
	t.Parallel()
	const code = `
import os, sys, termios, tty
old = termios.tcgetattr(0)
for i in range(20): print("line", i)
sys.stdout.flush()
tty.setraw(0)
while os.read(0, 1) != b"q":
    os.write(1, b"\x1b7\x1b[3;1Hnew text\x1b8")
termios.tcsetattr(0, termios.TCSADRAIN, old)
`
	s, _ := launchWith(t, newManager(t), StartOptions{Command: "python3", Args: []string{"-c", code}, Size: emulator.Size{Rows: 12, Cols: 80}})
	if _, err := s.Resize(18, 80); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"new text", ""} {
		r := exchange(t, s, Input{Text: "x"}, Wait{View: ViewOutput, Timeout: patience})
		if r.Output != want {
			t.Errorf("output %q, want %q", r.Output, want)
		}
	}
}
