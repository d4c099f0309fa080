package cmdline

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// teaHouse is a program to test completion, man pages and help with.
type teaHouse struct {
	Brew struct {
		Kind  string   `enum:"black,green" placeholder:"KIND" env:"TEA_KIND"`
		Pot   string   `short:"p" placeholder:"FILE"`
		Water string   `arg:"" enum:"hot,cold"`
		More  []string `arg:"" optional:""`
	} `cmd:"" help:"Brew."`
	Break  struct{} `cmd:""`
	Hidden struct{} `cmd:"" hidden:""`
}

// program returns the command of teaHouse.
func program() *Command {
	root := New("tea", "Makes tea.", &teaHouse{}, nil)
	root.Commands[1].Group = "Others"
	brew := &root.Commands[0]
	brew.Detail, brew.Examples = "One.\n\n.two \\fB ▏", []string{"tea brew hot milk=1"}
	brew.Keys = []Param{{Name: "milk", Help: "How much; integer; required"}, {Name: "honey"}}
	return root
}

func TestComplete(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"", "brew break"},
		{"br", "brew break"},
		{"bre ", ""},
		{"x", ""},
		{"h", ""},
		{"-", "--help"},
		{"brew ", "hot cold"},
		{"brew h", "hot"},
		{"brew hot ", "milk= honey="},
		{"brew hot milk=1 h", "honey="},
		{"brew --", "--help --kind --pot"},
		{"brew --kind ", "black green"},
		{"brew --kind g", "green"},
		{"brew --kind=b", "--kind=black"},
		{"brew --kind green c", "cold"},
		{"brew --pot ", ":files"},
		{"brew -p x ", "hot cold"},
		{"brew --pot=", ""},
		{"brew --tea=", ""},
		{"brew -- x ", ":files"},
		{"break ", ""},
		{"brew break ", "milk= honey="},
	} {
		var got []string
		for _, c := range Complete(program(), strings.Split(tt.line, " ")) {
			got = append(got, c.Text)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%q: %s, want %s", tt.line, s, tt.want)
		}
	}
	if got := Complete(program(), nil); len(got) != 2 {
		t.Errorf("no words: %v", got)
	}
}

func TestMan(t *testing.T) {
	want := `.TH TEA 1 "" "tea 1.0" "User Commands"
.SH NAME
tea \- Makes tea
.SH SYNOPSIS
.B tea
[\fIcommand\fR] [\fIflags\fR] [\fIarguments\fR]
.SH COMMANDS
.SS tea brew water [more ...]
Brew.
.PP
One.
.PP
\&.two \efB \[u258F]
.PP
Examples:
.TP
\fBtea brew hot milk=1\fR
.PP
Arguments:
.TP
\fBmilk=\fR
How much; integer; required
.TP
\fBhoney=\fR
.PP
Flags:
.TP
\fB\-\-kind=KIND\fR
 Environment variable: TEA_KIND.
.TP
\fB\-p, \-\-pot=FILE\fR
.SH OTHERS
.SS tea break
.SH EXIT STATUS
\(aq0\(aq
`
	want = strings.Replace(want, "\n Environment", "\nEnvironment", 1)
	if got := Man(program(), "1.0", [2]string{"EXIT STATUS", "'0'"}); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// TestHelp checks a help page whose last groups do not fit.
func TestHelp(t *testing.T) {
	root := program()
	brew := &root.Commands[0]
	for i := range 70 {
		brew.Flags = append(brew.Flags, Param{Name: fmt.Sprintf("f%d", i), Group: "More"})
	}
	brew.Flags[0].Help = "Which one (green or black). Not said in the short help."
	got := Help(root, "brew")
	want := `Usage: tea brew [flags] water [more ...]

Brew.

One.

.two \fB ▏

Examples:
  tea brew hot milk=1

Arguments:
  milk=                   How much; integer; required
  honey=

Flags:
  --kind=KIND             Which one (green or black).
  -p, --pot=FILE

More: --f0, `
	if !strings.HasPrefix(got, want) {
		t.Errorf("got:\n%s\nwant it to begin with:\n%s", got, want)
	}
	for i, line := range strings.Split(got, "\n") {
		if utf8.RuneCountInString(line) > helpWidth || i > helpRows {
			t.Errorf("line %d: %q", i, line)
		}
	}
	if all := Help(root, "nothing"); !strings.Contains(all, "\nOthers: break\n") || strings.Contains(all, "hidden") {
		t.Errorf("got:\n%s", all)
	}
}
