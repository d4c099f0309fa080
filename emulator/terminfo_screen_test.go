package emulator

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// A capCase describes the effect of a terminfo capability on a screen of 5 rows
// and 20 columns. tput provides the capability's string.
type capCase struct {
	cap    string
	args   []string // arguments for tput
	before string   // written before the capability's string
	after  string   // written after it
	text   string   // the screen's rows, joined by "/"
	at     Point    // the cursor
	style  Style    // style of the cell left of the cursor, if after is not ""
	check  func(t *testing.T, term *Terminal, seq string)
}

// capFlags are the capabilities that are not strings.
var capFlags = []capCase{
	{cap: "am", before: "01234567890123456789x", text: "01234567890123456789/x", at: Point{1, 1}},
	{cap: "xenl", before: "01234567890123456789\r\nx", text: "01234567890123456789/x", at: Point{1, 1}},
	{cap: "bce", before: "\x1b[44m\x1b[2J", check: func(t *testing.T, term *Terminal, _ string) {
		if got := term.Snapshot(0).Screen[3].Cells[7].Style.BG; got != Indexed(4) {
			t.Errorf("an erased cell has the background %+v", got)
		}
	}},
	{cap: "mir", before: "ab\x1b[4h\x1b[1;2Hx", text: "axb", at: Point{0, 2}},
	{cap: "msgr", before: "\x1b[7ma\x1b[2;3Hb", text: "a/  b", at: Point{1, 3}, after: "", style: Style{}},
	{cap: "AX", before: "\x1b[31;44m\x1b[39;49m", after: "x", text: "x", at: Point{0, 1}},
	{cap: "OTbs", before: "ab\b", after: "x", text: "ax", at: Point{0, 2}},
	{cap: "XT", before: "\x1b]2;a title\x1b\\", check: func(t *testing.T, term *Terminal, _ string) {
		if got := term.Title(); got != "a title" {
			t.Errorf("title %q", got)
		}
	}},
	{cap: "it", before: "\t\t", after: "x", text: "                x", at: Point{0, 17}},
	{cap: "colors", before: "\x1b[38;5;255m", after: "x", text: "x", at: Point{0, 1}, style: Style{FG: Indexed(255)}},
	{cap: "km", before: "é", text: "é", at: Point{0, 1}},
}

// capMoves are the capabilities that move the cursor, erase and edit.
var capMoves = []capCase{
	{cap: "cr", before: "abc", after: "x", text: "xbc", at: Point{0, 1}},
	{cap: "home", before: "a\r\nb", after: "x", text: "x/b", at: Point{0, 1}},
	{cap: "cup", args: []string{"2", "4"}, after: "x", text: "//    x", at: Point{2, 5}},
	{cap: "cuu", args: []string{"2"}, before: "\x1b[5;3H", after: "x", text: "//  x", at: Point{2, 3}},
	{cap: "cuu1", before: "\x1b[5;3H", after: "x", text: "///  x", at: Point{3, 3}},
	{cap: "cud", args: []string{"3"}, before: "ab", after: "x", text: "ab///  x", at: Point{3, 3}},
	{cap: "cud1", before: "ab\r", after: "x", text: "ab/x", at: Point{1, 1}},
	{cap: "cuf", args: []string{"3"}, before: "a", after: "x", text: "a   x", at: Point{0, 5}},
	{cap: "cuf1", before: "a", after: "x", text: "a x", at: Point{0, 3}},
	{cap: "cub", args: []string{"2"}, before: "abc", after: "x", text: "axc", at: Point{0, 2}},
	{cap: "cub1", before: "abc", after: "x", text: "abx", at: Point{0, 3}},
	{cap: "hpa", args: []string{"4"}, before: "\n", after: "x", text: "/    x", at: Point{1, 5}},
	{cap: "vpa", args: []string{"3"}, before: "ab", after: "x", text: "ab///  x", at: Point{3, 3}},
	{cap: "nel", before: "ab", after: "x", text: "ab/x", at: Point{1, 1}},
	{cap: "ind", before: "a\x1b[5;1Hb", after: "x", text: "///b/ x", at: Point{4, 2}},
	{cap: "ri", before: "ab", after: "x", text: "  x/ab", at: Point{0, 3}},
	{cap: "indn", args: []string{"2"}, before: "a\r\nb\r\nc", after: "x", text: "c// x", at: Point{2, 2}},
	{cap: "rin", args: []string{"2"}, before: "a\r\nb", after: "x", text: "/ x/a/b", at: Point{1, 2}},
	{cap: "ht", before: "a", after: "x", text: "a       x", at: Point{0, 9}},
	{cap: "cbt", before: "a\t\t", after: "x", text: "a       x", at: Point{0, 9}},
	{cap: "hts", before: "abc", after: "\r\tx", text: "abcx", at: Point{0, 4}},
	{cap: "tbc", after: "\tx", text: "                   x", at: Point{0, 19}},
	{cap: "sc", before: "ab\x1b[31m", after: "\x1b[m\x1b[4;1H\x1b8x", text: "abx", at: Point{0, 3}, style: Style{FG: Indexed(1)}},
	{cap: "rc", before: "ab\x1b[1m\x1b7\x1b[m\r\n", after: "x", text: "abx", at: Point{0, 3}, style: Style{Attrs: Bold}},
	{cap: "clear", before: "ab\r\ncd", after: "x", text: "x", at: Point{0, 1}},
	{cap: "ed", before: "abc\r\ndef\x1b[1;2H", after: "x", text: "ax", at: Point{0, 2}},
	{cap: "el", before: "abcd\x1b[1;2H", after: "x", text: "ax", at: Point{0, 2}},
	{cap: "el1", before: "abcd\x1b[1;2H", after: "x", text: " xcd", at: Point{0, 2}},
	{cap: "ech", args: []string{"2"}, before: "abcd\r", text: "  cd", at: Point{0, 0}},
	{cap: "ich", args: []string{"2"}, before: "abcd\r", after: "x", text: "x abcd", at: Point{0, 1}},
	{cap: "dch", args: []string{"2"}, before: "abcd\r", after: "x", text: "xd", at: Point{0, 1}},
	{cap: "dch1", before: "abcd\r", after: "x", text: "xcd", at: Point{0, 1}},
	{cap: "il", args: []string{"2"}, before: "a\r\nb\x1b[1;1H", after: "x", text: "x//a/b", at: Point{0, 1}},
	{cap: "il1", before: "a\r\nb\x1b[1;1H", after: "x", text: "x/a/b", at: Point{0, 1}},
	{cap: "dl", args: []string{"2"}, before: "a\r\nb\r\nc\x1b[1;1H", text: "c", at: Point{0, 0}},
	{cap: "dl1", before: "a\r\nb\r\nc\x1b[1;1H", text: "b/c", at: Point{0, 0}},
	{cap: "rep", args: []string{"122", "4"}, text: "zzzz", at: Point{0, 4}},
	{cap: "csr", args: []string{"1", "2"}, before: "a\r\nb\r\nc\r\nd", after: "\x1b[3;1H\nx", text: "a/c/x/d", at: Point{2, 1}},
	{cap: "smir", before: "ab\r", after: "x", text: "xab", at: Point{0, 1}},
	{cap: "rmir", before: "\x1b[4hab\r", after: "x", text: "xb", at: Point{0, 1}},
	{cap: "smam", before: "\x1b[?7l", after: "01234567890123456789x", text: "01234567890123456789/x", at: Point{1, 1}},
	{cap: "rmam", after: "01234567890123456789x", text: "0123456789012345678x", at: Point{0, 19}},
	{cap: "smglp", args: []string{"3"}, after: "\x1b[1;10H\rx", text: "   x", at: Point{0, 4}},
	{cap: "smgrp", args: []string{"3"}, after: "abcdef", text: "abcd/ef", at: Point{1, 2}},
	{cap: "smglr", args: []string{"2", "4"}, after: "\x1b[1;3Habcd", text: "  abc/  d", at: Point{1, 3}},
	{cap: "mgc", before: "\x1b[?69h\x1b[3;5s", after: "\x1b[1;1Habcdefgh", text: "abcdefgh", at: Point{0, 8}},
	{cap: "rs1", before: "\x1b[1;31mab\x1b[3;4r\x1b[?7l", after: "x", text: "x", at: Point{0, 1}},
	{cap: "rs2", before: "\x1b[2;3rab\x1b[31m\x1b[4h\x1b[?1h", after: "x", text: "abx", at: Point{0, 3}},
	{cap: "is2", before: "ab\x1b[31m\x1b[4h", after: "x", text: "abx", at: Point{0, 3}},
	// The next ones are ignored, because there is no printer.
	{cap: "mc0", before: "a", after: "x", text: "ax", at: Point{0, 2}},
	{cap: "mc4", before: "a", after: "x", text: "ax", at: Point{0, 2}},
	{cap: "mc5", before: "a", after: "\x1b[4ix", text: "ax", at: Point{0, 2}},
	// The next ones change nothing that a row of text shows.
	{cap: "meml", before: "a", after: "x", text: "ax", at: Point{0, 2}},
	{cap: "memu", before: "a", after: "x", text: "ax", at: Point{0, 2}},
	{cap: "flash", before: "a", after: "x", text: "ax", at: Point{0, 2}},
	{cap: "smm", before: "a", after: "x", text: "ax", at: Point{0, 2}},
	{cap: "rmm", before: "a", after: "x", text: "ax", at: Point{0, 2}},
}

// capStyles are the capabilities that change the style of text.
var capStyles = []capCase{
	{cap: "blink", style: Style{Attrs: Blink}},
	{cap: "bold", style: Style{Attrs: Bold}},
	{cap: "dim", style: Style{Attrs: Dim}},
	{cap: "invis", style: Style{Attrs: Hidden}},
	{cap: "rev", style: Style{Attrs: Reverse}},
	{cap: "smso", style: Style{Attrs: Reverse}},
	{cap: "rmso", before: "\x1b[1;7m", style: Style{Attrs: Bold}},
	{cap: "smul", style: Style{Underline: UnderlineSingle}},
	{cap: "rmul", before: "\x1b[1;4m", style: Style{Attrs: Bold}},
	{cap: "sitm", style: Style{Attrs: Italic}},
	{cap: "ritm", before: "\x1b[1;3m", style: Style{Attrs: Bold}},
	{cap: "smxx", style: Style{Attrs: Strike}},
	{cap: "rmxx", before: "\x1b[1;9m", style: Style{Attrs: Bold}},
	{cap: "op", before: "\x1b[1;31;42m", style: Style{Attrs: Bold}},
	{cap: "setaf", args: []string{"5"}, style: Style{FG: Indexed(5)}},
	{cap: "setaf", args: []string{"12"}, style: Style{FG: Indexed(12)}},
	{cap: "setaf", args: []string{"200"}, style: Style{FG: Indexed(200)}},
	{cap: "setab", args: []string{"5"}, style: Style{BG: Indexed(5)}},
	{cap: "setab", args: []string{"12"}, style: Style{BG: Indexed(12)}},
	{cap: "setab", args: []string{"200"}, style: Style{BG: Indexed(200)}},
	{cap: "sgr0", before: "\x1b[1;2;3;4;5;7;8;9;31;42m\x1b(0", style: Style{}},
	// The arguments are: standout underline reverse blink dim bold invisible
	// protected altcharset.
	{cap: "sgr", args: strings.Fields("1 1 0 1 1 1 1 0 0"), style: Style{Attrs: Reverse | Blink | Dim | Bold | Hidden, Underline: UnderlineSingle}},
	{cap: "sgr", args: strings.Fields("0 0 1 0 0 0 0 0 0"), before: "\x1b[1m", style: Style{Attrs: Reverse}},
}

// capRest are the capabilities with other effects.
var capRest = []capCase{
	{cap: "acsc", check: checkLineDrawing},
	{cap: "smacs", after: "q\x1b(Bq", text: "─q", at: Point{0, 2}},
	{cap: "rmacs", before: "\x1b(0q", after: "q", text: "─q", at: Point{0, 2}},
	{cap: "bel", check: func(t *testing.T, term *Terminal, _ string) {
		if e := term.TakeEvents(); len(e) != 1 || e[0].Kind != EventBell {
			t.Errorf("events %+v, want a bell", e)
		}
	}},
	{cap: "civis", check: func(t *testing.T, term *Terminal, _ string) {
		if term.Cursor().Visible {
			t.Error("the cursor is visible")
		}
	}},
	{cap: "cnorm", before: "\x1b[?25l\x1b[?12h", check: func(t *testing.T, term *Terminal, _ string) {
		if c := term.Cursor(); !c.Visible {
			t.Errorf("cursor %+v, want it visible", c)
		}
	}},
	{cap: "cvvis", before: "\x1b[?25l", check: func(t *testing.T, term *Terminal, _ string) {
		if c := term.Cursor(); !c.Visible || !c.Blink {
			t.Errorf("cursor %+v, want it visible and blinking", c)
		}
	}},
	{cap: "smcup", before: "main", check: func(t *testing.T, term *Terminal, _ string) {
		if shot := term.Snapshot(0); !shot.Modes.AltScreen || shot.Text() != "" {
			t.Errorf("alternate screen %v, text %q", shot.Modes.AltScreen, shot.Text())
		}
	}},
	{cap: "rmcup", before: "main\x1b[?1049h\x1b[22;0;0tfull", check: func(t *testing.T, term *Terminal, _ string) {
		if shot := term.Snapshot(0); shot.Modes.AltScreen || shot.Text() != "main" {
			t.Errorf("alternate screen %v, text %q", shot.Modes.AltScreen, shot.Text())
		}
	}},
	{cap: "smkx", check: func(t *testing.T, term *Terminal, _ string) {
		if m := term.Modes(); !m.AppCursor || !m.AppKeypad {
			t.Errorf("modes %+v", m)
		}
	}},
	{cap: "rmkx", before: "\x1b[?1h\x1b=", check: func(t *testing.T, term *Terminal, _ string) {
		if m := term.Modes(); m.AppCursor || m.AppKeypad {
			t.Errorf("modes %+v", m)
		}
	}},
	{cap: "u7", before: "\x1b[3;5H", check: func(t *testing.T, term *Terminal, _ string) {
		if got := string(term.TakeReplies()); got != "\x1b[3;5R" { // u6
			t.Errorf("reply %q", got)
		}
	}},
	{cap: "u9", check: func(t *testing.T, term *Terminal, _ string) {
		got := string(term.TakeReplies())
		if ok, _ := regexp.MatchString(`^\x1b\[\?[;0-9]*c$`, got); !ok { // u8
			t.Errorf("reply %q", got)
		}
	}},
	{cap: "BE", check: func(t *testing.T, term *Terminal, _ string) {
		if !term.Modes().BracketedPaste {
			t.Error("bracketed paste is off")
		}
	}},
	{cap: "BD", before: "\x1b[?2004h", check: func(t *testing.T, term *Terminal, _ string) {
		if term.Modes().BracketedPaste {
			t.Error("bracketed paste is on")
		}
	}},
	{cap: "XM", args: []string{"1"}, check: func(t *testing.T, term *Terminal, _ string) {
		if m := term.Modes(); m.Mouse != MouseNormal || m.MouseEncoding != MouseSGR {
			t.Errorf("modes %+v", m)
		}
	}},
	{cap: "XM", args: []string{"0"}, before: "\x1b[?1006;1000h", check: func(t *testing.T, term *Terminal, _ string) {
		if m := term.Modes(); m.Mouse != MouseOff || m.MouseEncoding != MouseDefault {
			t.Errorf("modes %+v", m)
		}
	}},
	{cap: "xm", args: []string{"1", "2", "0", "1"}, check: func(t *testing.T, _ *Terminal, seq string) {
		got, err := EncodeMouse(Mouse{Button: 1, At: Point{1, 2}}, Modes{Mouse: MouseNormal, MouseEncoding: MouseSGR})
		if err != nil || !sameMouse(string(got), seq) {
			t.Errorf("EncodeMouse = %q, %v; terminfo has %q", got, err, seq)
		}
	}},
	{cap: "Ss", args: []string{"5"}, check: cursorIs(CursorBar, true)},
	{cap: "Ss", args: []string{"4"}, check: cursorIs(CursorUnderline, false)},
	{cap: "Se", before: "\x1b[5 q", check: cursorIs(CursorBlock, false)},
	{cap: "Ms", args: []string{"c", "aGk="}, check: func(t *testing.T, term *Terminal, _ string) {
		if e := term.TakeEvents(); len(e) != 1 || e[0].Kind != EventClipboard || e[0].Text != "hi" {
			t.Errorf("events %+v, want the clipboard's text", e)
		}
	}},
	{cap: "E3", before: "1\r\n2\r\n3\r\n4\r\n5\r\n6", check: func(t *testing.T, term *Terminal, _ string) {
		if n := term.ScrollbackRows(); n != 0 {
			t.Errorf("the scrollback still has %d rows", n)
		}
	}},
	{cap: "Cs", args: []string{"#123456"}, after: "\x1b]12;?\x1b\\", check: repliesWith("12;rgb:1212/3434/5656")},
	{cap: "Cr", before: "\x1b]12;#123456\x1b\\", after: "\x1b]12;?\x1b\\", check: repliesWithout("1212/3434/5656")},
	{cap: "initc", args: []string{"20", "1000", "0", "500"}, after: "\x1b]4;20;?\x1b\\", check: repliesWith("4;20;rgb:ffff/0000/7f7f")},
	{cap: "oc", before: "\x1b]4;20;#123456\x1b\\", after: "\x1b]4;20;?\x1b\\", check: repliesWithout("1212/3434/5656")},
}

// capElsewhere matches capabilities that other tests check or that promise
// nothing about a screen: keys, the forms of replies, the size of the window,
// and a printer that does not exist.
var capElsewhere = regexp.MustCompile(`^(k.*|P[SE]|u6|u8|cols|lines|pairs|mc5i|npc|ccc|xterm-256color\|.*|#.*)$`)

func cursorIs(shape CursorShape, blink bool) func(*testing.T, *Terminal, string) {
	return func(t *testing.T, term *Terminal, _ string) {
		if c := term.Cursor(); c.Shape != shape || c.Blink != blink {
			t.Errorf("cursor %+v, want shape %d, blink %v", c, shape, blink)
		}
	}
}

func repliesWith(part string) func(*testing.T, *Terminal, string) {
	return func(t *testing.T, term *Terminal, _ string) {
		if got := string(term.TakeReplies()); !strings.Contains(got, part) {
			t.Errorf("reply %q, want it to contain %q", got, part)
		}
	}
}

func repliesWithout(part string) func(*testing.T, *Terminal, string) {
	return func(t *testing.T, term *Terminal, _ string) {
		if got := string(term.TakeReplies()); got == "" || strings.Contains(got, part) {
			t.Errorf("reply %q, want it not to contain %q", got, part)
		}
	}
}

// sameMouse compares the form of a mouse report with that of the capability xm,
// which has an additional semicolon before its final.
func sameMouse(report, xm string) bool {
	form := regexp.MustCompile(`^\x1b\[<\d+;\d+;\d+;?[Mm]$`)
	return form.MatchString(report) && form.MatchString(xm) && report[len(report)-1] == xm[len(xm)-1]
}

// checkLineDrawing checks that every pair in acsc is what the character shows
// in the alternate character set (VT100 user guide, table 3-9).
func checkLineDrawing(t *testing.T, _ *Terminal, acsc string) {
	const from, to = "`afgjklmnopqrstuvwxyz{|}~", "◆▒°±┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"
	want := map[byte]rune{}
	for i, r := range []rune(to) {
		want[from[i]] = r
	}
	for i := 0; i+1 < len(acsc); i += 2 {
		term := New(Options{Size: Size{5, 20}})
		_, _ = term.Write([]byte("\x1b(0" + acsc[i+1:i+2]))
		if got := term.Snapshot(0).Text(); want[acsc[i]] != 0 && got != string(want[acsc[i]]) {
			t.Errorf("acsc pair %q shows %q, want %q", acsc[i:i+2], got, want[acsc[i]])
		}
	}
}

// TestTerminfoAgrees checks that the Terminal does what each capability of the
// terminfo entry that we advertise promises.
func TestTerminfoAgrees(t *testing.T) {
	caps := terminfo(t)
	tput := need.Program(t, "tput")
	seen := map[string]bool{}
	for _, c := range capFlags {
		seen[c.cap] = true
		t.Run(c.cap, func(t *testing.T) { c.run(t, "") })
	}
	for _, c := range capStyles {
		c.after, c.text, c.at = "x", "x", Point{0, 1}
		seen[c.cap] = true
		t.Run(c.cap, func(t *testing.T) { c.run(t, tputString(t, tput, caps, c)) })
	}
	for _, c := range append(capMoves[:len(capMoves):len(capMoves)], capRest...) {
		seen[c.cap] = true
		t.Run(c.cap, func(t *testing.T) { c.run(t, tputString(t, tput, caps, c)) })
	}
	for name := range caps {
		if !seen[name] && !capElsewhere.MatchString(name) {
			t.Errorf("the capability %q has no test case", name)
		}
	}
}

// tputString returns the capability's string with its arguments.
func tputString(t *testing.T, tput string, caps map[string]string, c capCase) string {
	if _, there := caps[c.cap]; !there {
		t.Skipf("this terminfo entry has no %s", c.cap)
	}
	if c.cap == "acsc" || c.cap == "flash" {
		return regexp.MustCompile(`\$<[^>]*>`).ReplaceAllString(caps[c.cap], "") // without delays
	}
	out, err := exec.Command(tput, append([]string{"-T", "xterm-256color", c.cap}, c.args...)...).Output()
	if err != nil {
		t.Fatalf("tput %s %v: %v", c.cap, c.args, err)
	}
	return string(out)
}

// run writes the case's bytes to a new Terminal and checks the result.
func (c capCase) run(t *testing.T, seq string) {
	term := New(Options{Size: Size{Rows: 5, Cols: 20}})
	if c.cap == "acsc" {
		c.check(t, term, seq)
		return
	}
	_, _ = term.Write([]byte(c.before + seq + c.after))
	if c.check != nil {
		c.check(t, term, seq)
		return
	}
	shot := term.Snapshot(0)
	if got := strings.ReplaceAll(shot.Text(), "\n", "/"); got != c.text || shot.Cursor.Point != c.at {
		t.Errorf("%q then %q: screen %q, cursor %v; want %q, %v", seq, c.after, got, shot.Cursor.Point, c.text, c.at)
	}
	if c.after == "" || c.at.Col == 0 {
		return
	}
	if got := shot.Screen[c.at.Row].Cells[c.at.Col-1].Style; got != c.style {
		t.Errorf("%q then %q: style %+v, want %+v", seq, c.after, got, c.style)
	}
}
