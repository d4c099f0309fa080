package emulator

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestScripts runs the scripts in testdata/script/*.vt, once with every feed in
// one piece and once byte by byte. testdata/script/README describes the
// language.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.vt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, f := range files {
		for _, bytewise := range []bool{false, true} {
			name := strings.TrimSuffix(filepath.Base(f), ".vt")
			if bytewise {
				name += "/bytewise"
			}
			t.Run(name, func(t *testing.T) { runScript(t, f, bytewise) })
		}
	}
}

// A scriptRun is the state of a running script.
type scriptRun struct {
	term     *Terminal
	bytewise bool
	events   []Event
}

func runScript(t *testing.T, file string, bytewise bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := &scriptRun{term: New(Options{Size: Size{5, 20}}), bytewise: bytewise}
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		args, err := splitScript(line)
		if err == nil {
			err = s.do(args[0], args[1:])
		}
		if err != nil {
			t.Errorf("%s:%d: %s: %v", file, i+1, line, err)
		}
		checkInvariants(t, s.term)
	}
}

// splitScript splits a line into words and quoted Go strings, which it
// unquotes.
func splitScript(line string) ([]string, error) {
	var out []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if line[0] != '"' {
			word, rest, _ := strings.Cut(line, " ")
			out, line = append(out, word), rest
			continue
		}
		q, err := strconv.QuotedPrefix(line)
		if err != nil {
			return nil, err
		}
		word, err := strconv.Unquote(q)
		if err != nil {
			return nil, err
		}
		out, line = append(out, word), line[len(q):]
	}
	return out, nil
}

func ints(args []string) []int {
	var out []int
	for _, a := range args {
		n, err := strconv.Atoi(a)
		if err != nil {
			break
		}
		out = append(out, n)
	}
	return out
}

// do runs one command.
func (s *scriptRun) do(cmd string, args []string) error {
	n := append(ints(args), 0, 0, 0)
	snap := s.term.Snapshot(-1)
	switch cmd {
	case "size":
		s.term = New(Options{Size: Size{n[0], n[1]}})
	case "keep":
		s.term = New(Options{Size: s.term.Size(), ScrollbackLines: n[0]})
	case "feed":
		for _, a := range args {
			s.feed(a)
		}
	case "resize":
		s.term.Resize(Size{n[0], n[1]})
	case "endrepaint":
		s.term.repaint.end()
	case "row":
		return same(snap.Screen[n[0]].Text(), args[1])
	case "screen":
		return same(snap.Text(), strings.Join(args, "\n"))
	case "scrollback":
		var rows []string
		for _, r := range snap.Scrollback {
			rows = append(rows, r.Text())
		}
		return same(strings.Join(rows, "\n"), strings.Join(args, "\n"))
	case "cell":
		return same(describe(snap.Screen[n[0]].Cells[n[1]]), strings.Join(args[2:], " "))
	case "cursor":
		return same(describeCursor(snap.Cursor), strings.Join(args, " "))
	case "wrapped":
		return same(fmt.Sprint(snap.Screen[n[0]].Wrapped), args[1])
	default:
		return s.state(cmd, args, snap)
	}
	return nil
}

// state runs the commands that check state that is not on the screen.
func (s *scriptRun) state(cmd string, args []string, snap *Snapshot) error {
	switch cmd {
	case "reply":
		return same(string(s.term.TakeReplies()), strings.Join(args, ""))
	case "lines":
		return same(texts(allLines(s.term)), strings.Join(args, "\n"))
	case "numbers":
		var nums []string
		for _, l := range allLines(s.term) {
			nums = append(nums, fmt.Sprint(l.Number))
		}
		return same(strings.Join(nums, " "), strings.Join(args, " "))
	case "position":
		p, ok := s.term.CursorPosition()
		return same(fmt.Sprintf("%d %d %t", p.Line, p.Offset, ok), strings.Join(args, " "))
	case "fullscreen":
		return same(fmt.Sprint(s.term.FullScreen()), args[0])
	case "title":
		return same(s.term.Title(), args[0])
	case "partial":
		return same(fmt.Sprint(s.term.InsideSequence()), args[0])
	case "modes":
		return same(fmt.Sprintf("%+v", snap.Modes), args[0])
	case "mode": // field value
		all := strings.Fields(strings.Trim(fmt.Sprintf("%+v", snap.Modes), "{}"))
		if !slices.Contains(all, args[0]+":"+args[1]) {
			return fmt.Errorf("modes are %v", all)
		}
	case "event":
		if len(s.events) == 0 {
			return fmt.Errorf("no event")
		}
		e := s.events[0]
		s.events = s.events[1:]
		return same(describeEvent(e), strings.Join(args, " "))
	case "noevent":
		return same(fmt.Sprint(len(s.events)), "0")
	default:
		return fmt.Errorf("no such command")
	}
	return nil
}

func (s *scriptRun) feed(b string) {
	if s.bytewise {
		for i := range len(b) {
			s.term.Write([]byte{b[i]})
		}
	} else {
		s.term.Write([]byte(b))
	}
	s.events = append(s.events, s.term.TakeEvents()...)
}

func same(got, want string) error {
	if got != want {
		return fmt.Errorf("got %q", got)
	}
	return nil
}

// describe returns a cell as its text and its non-default attributes.
func describe(c Cell) string {
	out := []string{c.Text}
	if c.Width != 1 {
		out = append(out, fmt.Sprint("width=", c.Width))
	}
	for i, n := range []string{"bold", "dim", "italic", "blink", "reverse", "hidden", "strike", "overline", "protected"} {
		if c.Style.Attrs&(1<<i) != 0 {
			out = append(out, n)
		}
	}
	if c.Style.Underline != 0 {
		out = append(out, "underline="+[]string{"", "single", "double", "curly", "dotted", "dashed"}[c.Style.Underline])
	}
	for _, p := range []struct {
		name string
		c    Color
	}{{"fg=", c.Style.FG}, {"bg=", c.Style.BG}, {"ul=", c.Style.UnderlineColor}} {
		switch p.c.Kind() {
		case ColorIndexed:
			out = append(out, fmt.Sprint(p.name, p.c.Index()))
		case ColorRGB:
			r, g, b := p.c.RGB()
			out = append(out, fmt.Sprintf("%s#%02x%02x%02x", p.name, r, g, b))
		}
	}
	if c.Style.Link != (Link{}) {
		out = append(out, "link="+c.Style.Link.ID()+"|"+c.Style.Link.URI())
	}
	return strings.Join(out, " ")
}

func describeCursor(c Cursor) string {
	out := fmt.Sprintf("%d %d", c.Row, c.Col)
	if c.PendingWrap {
		out += " wrap"
	}
	if !c.Visible {
		out += " hidden"
	}
	if c.Shape != CursorBlock {
		out += []string{"", " underline", " bar"}[c.Shape]
	}
	if c.Blink {
		out += " blink"
	}
	return out
}

func describeEvent(e Event) string {
	kind := []string{"bell", "title", "cwd", "notification", "clipboard", "progress", "mark"}[e.Kind]
	if e.Kind == EventMark {
		return fmt.Sprintf("mark %c %d:%d offset=%d %s", e.Mark.Kind, e.Mark.At.Line, e.Mark.At.Offset, e.Mark.Offset, strings.Join(e.Mark.Params, ";"))
	}
	return strings.TrimSpace(kind + " " + e.Text)
}
