package guard

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/session/input"
)

// keys yields the strokes of a text: \r submits, ^ is a key with an unforeseen effect, such as a
// recall, and ~ is ctrl+u.
func keys(text string) Keystrokes {
	return func(yield func(Keystroke) bool) {
		for i, r := range text {
			s := Keystroke{Effect: Inserts, Rune: r, Item: -1, At: i + 1}
			switch r {
			case '\r':
				s.Effect = Submits
			case '^':
				s.Effect = Unpredictable
			case '~':
				s.Effect = KillsStart
			}
			if !yield(s) {
				return
			}
		}
	}
}

// checker returns a Checker that holds lines with the word forbidden.
func checker(t testing.TB) *danger.Checker {
	t.Helper()
	checker, err := danger.New(strings.NewReader("deny word /forbidden/ names what is forbidden"))
	if err != nil {
		t.Fatal(err)
	}
	return checker
}

var bash = Foreground{Name: "bash", Dir: "/work", Home: "/home/u"}.Program()

func TestCheck(t *testing.T) {
	sure := Line{Known: true}
	for _, tt := range []struct {
		name, in string
		look     View
		held     bool
		want     string // what is submitted
		left     string // the line afterwards
		cut      int    // in the text, -1 for nowhere
		unread   bool
	}{
		{name: "a line", in: "echo a\r", look: View{Line: sure}, want: "echo a", cut: -1},
		{name: "half a line", in: "echo a", look: View{Line: sure}, left: "echo a", cut: -1},
		{name: "the rest of one", in: "den\r", look: View{Line: Line{Known: true, Open: true, Text: Text("echo forbid"), Cursor: 11}}, held: true, want: "echo forbidden", cut: -1},
		{name: "two lines", in: "a\rforbidden\rc", look: View{Line: sure}, held: true, want: "a\nforbidden", left: "c", cut: -1},
		{name: "one that is taken away", in: "forbidden~echo\r", look: View{Line: sure}, want: "echo", cut: -1},
		{name: "a recalled one", in: "a\r^\rb", look: View{Line: sure}, want: "a", cut: 3},
		{name: "one that is not known", in: "x\r", look: View{Line: Line{Open: true}}, unread: true, cut: -1},
		{name: "a key for one that is not known", in: "x", look: View{Line: Line{Open: true, Text: Text("a"), Cursor: 1}}, left: "ax", cut: -1},
		{name: "the end of an open quote", in: "den'\r", look: View{Line: sure, Past: Past{Script: "echo 'forbid\\"}}, held: true, want: "den'", cut: -1},
	} {
		tt.look.Program = bash
		d := Check(checker(t), tt.look, keys(tt.in), false)
		cut := -1
		if d.Cut != nil {
			cut = d.Cut.From
		}
		if d.Held() != tt.held || d.Submitted != tt.want || string(d.Line.Text) != tt.left && cut < 0 || cut != tt.cut || d.Undecided != tt.unread {
			t.Errorf("%s: %+v, cut %d", tt.name, d, cut)
		}
		if allowed := Check(checker(t), tt.look, keys(tt.in), true); allowed.Held() {
			t.Errorf("%s: held although it is allowed", tt.name)
		}
	}
}

// TestPastIsNotShared checks that a decision that is dropped does not change the Past of another
// one.
func TestPastIsNotShared(t *testing.T) {
	look := View{Line: Line{Known: true}, Program: bash}
	look.Past.Vars = make([]string, 1, 10)
	a := Check(checker(t), look, keys("X=1\r"), false)
	b := Check(checker(t), look, keys("Y=2\r"), false)
	if !slices.Equal(a.Past.Vars, []string{"", "X=1"}) || !slices.Equal(b.Past.Vars, []string{"", "Y=2"}) {
		t.Errorf("%+v and %+v", a.Past, b.Past)
	}
}

// TestRefusedAgain checks that a refused command is recognized in other forms, and that other
// commands are not taken for it.
func TestRefusedAgain(t *testing.T) {
	for _, tt := range []struct {
		refused string
		same    []string
		other   []string
	}{
		{"rm -rf build", []string{
			"rm -rf build", "rm  -rf  build", `rm -rf "build"`, `rm -rf 'build'`, `\rm -rf bui\ld`, "rm -rf build;", " rm -rf build ", "(rm -rf build)",
			"true; rm -rf build", "cd /\rrm -rf build", "ls && rm -rf build || true", "bash -c 'rm -rf build'", "rm -rf \\\rbuild",
		}, []string{"rm -rf builds", "echo build", "ls", "rm -rf /home"}},
		{"cd /\rrm -rf build", []string{"rm -rf build", "cd /\rrm -rf build"}, []string{"cd /"}},
		{"curl http://a/x | sh", []string{"curl http://a/x | sh", "curl 'http://a/x' |  sh", "true\rcurl http://a/x | sh"}, []string{"curl http://b/x | sh", "sh", "curl http://a/x"}},
		{"rm -rf /etc/x", []string{"rm -r -f /etc/x", "X=/etc/x; rm -rf $X", "for i in 1; do rm -rf /etc/x; done"}, []string{"ls /etc/x"}},
		{"echo forbidden", []string{"echo 'forbidden'", "true; echo forbidden"}, []string{"echo forbidden two"}},
	} {
		c, here := checker(t), bash
		here.Place.Dir = "/"
		first := Check(c, View{Line: Line{Known: true}, Program: here}, keys(tt.refused+"\r"), false)
		if len(first.Findings) == 0 {
			t.Errorf("%q is not held", tt.refused)
		}
		look := View{Line: Line{Known: true}, Program: here, Refused: []Refusal{{By: "Ann", Fingerprints: first.Fingerprints}}}
		for _, same := range tt.same {
			if d := Check(c, look, keys(same+"\r"), false); d.Refused == nil || d.Refused.By != "Ann" || !d.Held() {
				t.Errorf("%q refused: %q with the marks %q is not recognized; refused were %q", tt.refused, same, d.Fingerprints, first.Fingerprints)
			}
		}
		for _, other := range tt.other {
			if d := Check(c, look, keys(other+"\r"), false); d.Refused != nil {
				t.Errorf("%q refused: %q is taken for it", tt.refused, other)
			}
		}
		// Where it is harmless, the command still needs a person.
		look.Program.Place.Dir = "/home/u/project"
		if d := Check(c, look, keys(tt.refused+"\r"), false); d.Refused == nil {
			t.Errorf("%q refused: it is not recognized in another directory", tt.refused)
		}
	}
}

func TestClears(t *testing.T) {
	line := Line{Known: true, Open: true, Text: Text("half"), Cursor: 4}
	for in, want := range map[string]bool{"~echo\r": true, "echo\r": false, "\r": false, "^~": false, "": false} {
		if got := line.Clears(keys(in)); got != want {
			t.Errorf("%q: %v", in, got)
		}
	}
	if !line.Clears(slices.Values([]Keystroke{{Effect: Abandons}})) || !line.Clears(slices.Values([]Keystroke{{Effect: GoesHome}, {Effect: KillsEnd}})) {
		t.Error("ctrl+c, or ctrl+a and ctrl+k, do not clear the line")
	}
}

func TestLongLine(t *testing.T) {
	line := Line{Known: true}.After(keys(strings.Repeat("x", 2*maxLine)))
	if len(line.Text) > maxLine+1 || line.Known {
		t.Errorf("%d characters are kept, sure %v", len(line.Text), line.Known)
	}
	if line = line.After(keys("\r")); line.Open || len(line.Text) > 0 {
		t.Errorf("after Enter: %+v", line)
	}
}

// TestAgain checks Enter where it repeats the last line, and where it does not.
func TestAgain(t *testing.T) {
	c := checker(t)
	for name, held := range map[string]bool{"gdb": true, "bash": false} {
		look := View{Line: Line{Known: true}, Program: Foreground{Name: name}.Program()}
		first := Check(c, look, keys("shell forbidden\r"), true)
		look.Line, look.Past = first.Line, first.Past
		d := Check(c, look, keys("\r"), false)
		if d.Held() != held || held && d.Submitted != "shell forbidden" {
			t.Errorf("%s: %+v", name, d)
		}
		look.Past = Check(c, look, keys("echo a\r"), false).Past
		if d := Check(c, look, keys("\r"), false); d.Held() {
			t.Errorf("%s, after another line: %+v", name, d)
		}
		for _, last := range []string{"   print 1\rprint 2\r", "print 2\r\r"} {
			look.Past = Check(c, look, keys(last), false).Past
			if d := Check(c, look, keys("\r"), false); held && d.Submitted != "print 2" {
				t.Errorf("%s, after %q: %q", name, last, d.Submitted)
			}
		}
	}
}

// TestUnpredictedKeys checks that input with keys whose effect on the line only the screen shows is
// cut before its Enter.
func TestUnpredictedKeys(t *testing.T) {
	typed := Line{Known: true, Open: true, Text: Text("rm -rf "), Cursor: 7}
	command := typed
	command.ViKey = escapeKey // vi's command mode, after the screen was read
	for _, tt := range []struct {
		program string
		line    Line
		keys    []string
		cut     bool
	}{
		{"tmux: client", Line{Known: true}, []string{"ctrl+b", "c", "echo", "enter"}, true},
		{"screen", typed, []string{"ctrl+a", "c", "x", "enter"}, true},
		{"tmux: client", typed, []string{"x", "backspace", "enter"}, false},
		{"less", typed, []string{"home", "r", "enter"}, true},
		{"less", Line{Known: true}, []string{"home", "enter"}, false},
		{"vim", typed, []string{"left", "x", "enter"}, true},
		{"zsh", typed, []string{"ctrl+u", "ctrl+/", "enter"}, true},
		{"zsh", typed, []string{"ctrl+u", "x", "enter"}, false},
		{"bash", command, []string{"A", "build", "enter"}, true},
		{"bash", command, []string{"p", "enter"}, true},
	} {
		var in input.Input
		for _, name := range tt.keys {
			k, _, err := emulator.ParseKey(name)
			press := input.KeyPress{Key: k}
			if err != nil {
				press = input.KeyPress{Text: name}
			}
			in.Keys = append(in.Keys, press)
		}
		look := View{Line: tt.line, Program: Foreground{Name: tt.program, Dir: "/work"}.Program()}
		d := Check(checker(t), look, KeystrokesOf(in, input.Modes{}), false)
		if cut := d.Cut != nil; cut != tt.cut {
			t.Errorf("%s: %v: %+v", tt.program, tt.keys, d)
		}
	}
}

// TestDialects checks lines that the foreground program reads in its own way.
func TestDialects(t *testing.T) {
	for _, tt := range []struct {
		shell, lines string
		held         bool
	}{
		{"zsh", ": # ; rm -rf /etc/x", true},
		{"bash", ": # ; rm -rf /etc/x", false},
		{"zsh", "echo a #b; rm -rf /etc/x", true},
		{"zsh", ": # '\r'; rm -rf /etc/x", true},
		{"zsh", "ls (#i)a; rm -rf /etc/x", true},
		{"zsh", "echo '# rm -rf /etc/x'", false},
		{"zsh", "ls # a comment", false},
		{"zsh", `bindkey -s foo 'rm -rf /etc/x\n'`, true},
		{"fish", `echo 'a\'b'; rm -rf /etc/x #'`, true},
		{"fish", `echo 'a\\'; rm -rf /etc/x #'`, true},
		{"fish", `echo 'a\'; rm -rf /etc/x'`, false},
		{"fish", `\x72m -rf /etc/x`, true},
		{"fish", `\162\u006d -rf /etc/x`, true},
		{"fish", `echo "\x72m" -rf /etc/x`, false},
		{"fish", "set a rm -rf /etc/x\r$a", true},
		{"fish", "set argv -rf /etc/x; rm $argv", true},
		{"fish", "set -gx a rm; and $a -rf /etc/x", true},
		{"ipython", "rm -rf /etc/x", true},
		{"ipython", "a = !rm -rf /etc/x", true},
		{"ipython", ";os.system rm -rf /etc/x", true},
		{"ipython", "rm = [x for x in range(3)]", false},
		{"vim", ":silent !rm -rf /etc/x", true},
		{"vim", ":bufdo !rm -rf /etc/x", true},
		{"vim", ":0verbose sil! !rm -rf /etc/x", true},
		{"vim", ":let x=1 | !rm -rf /etc/x", true},
		{"vim", ":exe '!rm -rf /etc/x'", true},
		{"vim", ":vert term rm -rf /etc/x", true},
		{"vim", ":grep a b; rm -rf /etc/x", true},
		{"vim", ":w !sh", true},
		{"vim", ":w !wc", false},
		{"vim", ":silent make all", false},
		{"vim", ":w | !ls", false},
		{"sqlite3", ".read '|rm -rf /etc/x'", true},
		{"gdb", `eval "shell rm -rf /etc/x"`, true},
		{"gdb", "with print pretty on -- shell rm -rf /etc/x", true},
		{"gdb", "thread apply all shell rm -rf /etc/x", true},
		{"gdb", "print shell", false},
		{"fish", "set -e a\recho $a", false},
		{"fish", "rm -rf (echo /etc/x)", true},
		{"fish", "echo (ls) (count a)", false},
		{"bash", "a=rm b=-rf\r$a $b /etc/x", true},
		{"bash", "a=rm;b=-rf\r$a $b /etc/x", true},
		{"bash", "echo hi; a=rm\rif true; then b=-rf; fi\r$a $b /etc/x", true},
		{"bash", "set -- -rf /data/x\rrm \"$@\"", true},
		{"bash", "set -- /data/x\rrm \"$@\"", false},
		{"bash", "alias zz='rm -rf'\rzz /data/x", true},
		{"bash", "alias rm='rm -rf'\rrm /data/x", true},
		{"bash", "alias ls='ls -la'\rls ~", false},
		{"bash", "q=/data/x; declare -n r=q\rrm -rf $r", true},
		{"bash", "a=(rm -rf)\ra+=(/etc/x)\r\"${a[@]}\"", true},
		{"bash", strings.Repeat("a=ls\r", 40) + "b=1\ra=rm\r$a -rf /etc/x", true},
		{"bash", "a=ls b=-l\r$a $b /etc/x\ra=$(date)\recho $a", false},
		{"bash", "rm -rf !:1", true},
		{"bash", "rm -rf \"!:$\"", true},
		{"bash", "echo /etc/x; rm -rf !#:1", true},
		{"bash", "rm -rf !%", true},
		{"zsh", "rm !(a|b)", false},
		{"bash", "eval \"$(cat)\"", true},
		{"bash", "bash -c \"$(head -1)\"", true},
		{"bash", "$(cat -)", true},
		{"bash", ". <(cat)", true},
		{"bash", "eval \"$(cat x.sh)\"; x=$(cat); cat | sh", false},
		{"gdb", "python\rimport shutil\rshutil.rmtree('/srv')\rend", true},
		{"gdb", "delete 1\rkill\rdelete breakpoints\rinfo files", false},
		{"less", "|arm -rf /etc/x", true},
		{"vim", "V!rm -rf /etc/x", true},
		{"vim", "V:!rm -rf /etc/x", true},
		{"vim", "1G!Grm -rf /etc/x", true},
		{"vim", "!iprm -rf /etc/x", true},
		{"vim", "!}rm -rf /etc/x", true},
		{"vim", "qa:!rm -rf /etc/x", true},
		{"vim", "gQ!rm -rf /etc/x", true},
		{"vim", ":g/x/!rm -rf /etc/x", true},
		{"vim", ":%!sh", true},
		{"vim", "!!sh", true},
		{"vim", ":e `rm -rf /etc/x`", true},
		{"vim", "panic!(\"shutdown -h now\")\rx!=reboot\rmacro_rules! reboot {\rfoo!bar && reboot", false},
		{"vim", "iHello! rm -rf /etc/x is what you do not type\r:wq!", false},
		{"vim", "i  if (!shutdown) {\r:sh\r:!sh\r:g/x/d", false},
		{"bash", "make -f /dev/null --eval 'x:;rm -rf /etc/x'", true},
	} {
		look := View{Line: Line{Known: true}, Program: Foreground{Name: tt.shell, Dir: "/work"}.Program()}
		var held bool
		for _, line := range strings.SplitAfter(tt.lines+"\r", "\r") {
			d := Check(checker(t), look, keys(line), false)
			held = held || d.Held()
			look.Past = d.Past
		}
		if held != tt.held {
			t.Errorf("%s: %q: held %v", tt.shell, tt.lines, held)
		}
	}
}

// TestVariablesOfEarlierLines checks a variable that is set in one line and is a command in the
// next.
func TestVariablesOfEarlierLines(t *testing.T) {
	for set, use := range map[string]string{"R=rm": "$R -rf /etc/x", "set R rm": "$R -rf /etc/x"} {
		c, look := checker(t), View{Line: Line{Known: true}, Program: Foreground{Name: "fish", Dir: "/work"}.Program()}
		first := Check(c, look, keys(set+"\r"), false)
		look.Past = first.Past
		if d := Check(c, look, keys(use+"\r"), false); first.Held() || !d.Held() {
			t.Errorf("%s, then %s: %v, %v", set, use, first.Findings, d.Findings)
		}
	}
}

// TestLongLineIsCheap checks that a long line is judged without copying it at each character.
func TestLongLineIsCheap(t *testing.T) {
	line, c := strings.Repeat("a", 10000), checker(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Check(c, View{Line: Line{Known: true}, Program: bash}, keys(line), false)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1000*uint64(len(line)) {
		t.Errorf("%d bytes allocated for %d characters", n, len(line))
	}
}

// TestLiteral checks lines with ! in programs that have no history expansion: the text after the !
// is judged as the command that it may be, and is not taken for an earlier line.
func TestLiteral(t *testing.T) {
	c := checker(t)
	for _, tt := range []struct {
		program Foreground
		line    string
		rule    string
	}{
		{Foreground{Name: "ipython3", Prompt: "In [1]: "}, "!echo sub", ""},
		{Foreground{Name: "ipython3", Prompt: "In [1]: "}, "!ls -la | head -2", ""},
		{Foreground{Name: "ipython3", Prompt: "In [1]: "}, "!echo forbidden", "user:word"},
		{Foreground{Name: "ipython3", Prompt: "In [1]: "}, "!rm -rf /", "delete"},
		{Foreground{Name: "python3", Prompt: "(Pdb) "}, "!x=5", ""},
		{Foreground{Name: "python3", Prompt: "(Pdb) "}, "!print(3)", ""},
		{Foreground{Name: "python3", Prompt: "(Pdb) "}, "!os.system('rm -rf /')", "delete"},
		{Foreground{Name: "php", Prompt: "php > "}, "!true", ""},
		{Foreground{Name: "jshell", Prompt: "jshell> "}, "!true", ""},
		{Foreground{Name: "dash", Prompt: "$ "}, "!true", ""},
		{Foreground{Name: "fish", Prompt: "> "}, "!true", ""},
		{Foreground{Name: "ksh93", Prompt: "$ "}, "!true; cat !$", ""},
		{Foreground{Name: "ksh93", Prompt: "$ "}, "! rm -rf /", "delete"},
		{Foreground{Name: "bash", Prompt: "$ "}, "!true", "unreadable"},
		{Foreground{Name: "-sh", Prompt: "$ "}, "!!", "unreadable"},
		{Foreground{Name: "zsh", Prompt: "% "}, "!true", "unreadable"},
		{Foreground{Name: "tcsh", Prompt: "% "}, "^a^b", "unreadable"},
		{Foreground{Name: "ssh", Prompt: "$ "}, "!true", "unreadable"},
	} {
		tt.program.Dir, tt.program.Home = "/work", "/home/u"
		d := Check(c, View{Line: Line{Known: true}, Program: tt.program.Program()}, KeystrokesOf(input.Input{Text: tt.line, Enter: true}, input.Modes{}), false)
		rule := ""
		if len(d.Findings) > 0 {
			rule = d.Findings[0].Rule
		}
		if rule != tt.rule {
			t.Errorf("%s: %q: %q, want %q (%+v)", tt.program.Name, tt.line, rule, tt.rule, d.Findings)
		}
	}
}

// TestStarting checks lines that an editor would run, which an earlier line may have started.
func TestStarting(t *testing.T) {
	checker, err := danger.New(strings.NewReader("deny command `forbidden` nobody may run it"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, in      string
		settled, busy bool
		held, unread  bool
		cut           int
	}{
		{name: "not handled yet", in: ":!forbidden\r", unread: true, cut: -1},
		{name: "behind a line that may start it", in: "a\r:!forbidden\r", cut: 2},
		{name: "the shell still reads", in: ":!forbidden\r", settled: true, cut: -1},
		{name: "not handled in time", in: ":!forbidden\r", settled: true, busy: true, held: true, cut: -1},
		{name: "in a heredoc", in: "cat <<E\r:!forbidden\rE\r", settled: true, cut: -1},
		{name: "harmless in both", in: "ls\r:!ls\r", cut: -1},
	} {
		look := View{Line: Line{Known: true}, Program: bash, Settled: tt.settled, Busy: tt.busy}
		d := Check(checker, look, keys(tt.in), false)
		cut := -1
		if d.Cut != nil {
			cut = d.Cut.From
		}
		if d.Held() != tt.held || d.Undecided != tt.unread || cut != tt.cut {
			t.Errorf("%s: %+v, cut %d", tt.name, d, cut)
		}
	}
}

// TestVariableAfterExit checks a variable that is set in a line which the session's shell reads once the
// program has ended, and is a command in the next line. The input is cut before the line that sets it.
func TestVariableAfterExit(t *testing.T) {
	f := Foreground{Name: "mysql", Main: "bash", Dir: "/work", Prompt: "mysql> "}
	for in, want := range map[string]int{
		"quit\rc='rm -rf'\rls\r$c /etc\r": 5,
		"quit\r$v /etc\r":                 5, // set earlier in the session
		"quit\rc='ls -l'\r$c /etc\r":      -1,
	} {
		look := View{Line: Line{Known: true}, Program: f.Program(), SessionShell: f.SessionShell(), Settled: true, Past: Past{Vars: []string{"v='rm -rf'"}}}
		cut := -1
		if d := Check(checker(t), look, keys(in), false); d.Cut != nil {
			cut = d.Cut.From
		}
		if cut != want {
			t.Errorf("%q: cut at %d, want %d", in, cut, want)
		}
	}
}
