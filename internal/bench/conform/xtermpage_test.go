package conform

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestParsePage checks lines as printed by xterm 379.
func TestParsePage(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"plain", "\x1b#5\x1b[0mone\x1b[0m\r\n", `[{"r":[["",1,"one"]]}]`},
		{"colours", "\x1b#5\x1b[0;1;31mA\x1b[0;1;31mB\x1b[0m \x1b[0;38:2::1:2:3;48:5:200mi\x1b[0m\r\n",
			`[{"r":[["b f1",1,"AB"],["",1," "],["f#010203 g200",1,"i"]]}]`},
		{"attributes", "\x1b#5\x1b[0;4;3;9mx\x1b[0;21md\x1b[0;7;5;2mk\x1b[0;97;103mz\r\n",
			`[{"r":[["i s u1",1,"x"],["u2",1,"d"],["d k r",1,"k"],["f15 g11",1,"z"]]}]`},
		{"wide and combining", "\x1b#5日\uffff本\uffff e\u0301\U0001f600\uffff!\r\n",
			`[{"r":[["",2,"日本"],["",1,[" ","` + "e\u0301" + `"]],["",2,"😀"],["",1,"!"]]}]`},
		{"blank rows", "\x1b#5\x1b[0m\r\n\r\n", `[{},{}]`},
	} {
		got, err := json.Marshal(parsePage(c.page + "\f"))
		if err != nil || string(got) != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestReadState(t *testing.T) {
	var s Screen
	err := s.readState("\x1b[8;24;80t\x1b[?25;2$y\x1b[?47;2$y\x1b[?1049;1$y\x1b[?6;1$y\x1bP1$r3;20r\x1b\\\x1b[2;7R\x1b[?31337;0$y")
	if err != nil {
		t.Fatal(err)
	}
	if s.Rows != 24 || s.Cols != 80 || s.Visible || !s.Alt || s.Cursor != [2]int{3, 6} {
		t.Errorf("got %+v", s)
	}
	if err := s.readState("\x1b[2;7R"); err != nil {
		t.Error("a position is an error although the size is known:", err)
	}
	if err := new(Screen).readState("\x1b[?25;1$y"); err == nil {
		t.Error("no error for a state without size and position")
	}
}

// TestFlushScroll checks that lines and the query for the page can be written at
// once, so that xterm prints before it has run out of input.
func TestFlushScroll(t *testing.T) {
	xterm, xvfb := need.Program(t, "xterm"), need.Program(t, "Xvfb")
	x, err := StartXServer(xvfb)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	term, err := StartXTerm(xterm, x, 5, 20)
	if err != nil {
		t.Fatal(err)
	}
	defer term.Close()
	page, err := term.print(strings.Repeat("line\r\n", 8) + flushScroll + "\x1b[?11i")
	if err != nil {
		t.Fatal(err)
	}
	if rows := parsePage(page); len(rows) != 9 {
		t.Errorf("got %d rows of scrollback and screen, want 9: %q", len(rows), page)
	}
}
