package selected

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/recording"
)

var update = flag.Bool("update", false, "rewrite testdata/selected.txt")

// TestRecordings replays real programs, and checks what stands out at each checkpoint against what
// was seen by eye. Of the emulator's recordings it uses the screens that a program owns.
func TestRecordings(t *testing.T) {
	var b strings.Builder
	for _, place := range []string{"testdata", "../../emulator/testdata/replay"} {
		files, err := filepath.Glob(filepath.Join(place, "*", "session.cast.gz"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no recordings in %s: %v", place, err)
		}
		for _, path := range files {
			name := filepath.Base(filepath.Dir(path))
			if strings.HasPrefix(name, "vttest") {
				continue // shows styles for their own sake
			}
			for _, s := range screens(t, path) {
				if place == "testdata" || s.shot.FullScreen {
					fmt.Fprintf(&b, "%s %s → %s\n", name, strconv.Quote(s.label), said(texts(s.shot)))
				}
			}
		}
	}
	const golden = "testdata/selected.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("different texts stand out than before; check them, then run the test with -update:\n%s", diff)
	}
}

// TestPlain checks that nothing is found in programs without a choice: a pager, a monitor, an
// editor while text is only typed, dialogs that show a gauge.
func TestPlain(t *testing.T) {
	for name, until := range map[string]int{"top": 99, "less": 1, "man": 1, "btop": 99, "nvim-wide": 3, "vim-wide": 99, "screen": 99, "gdb-tui": 1, "nano": 2} {
		for i, s := range screens(t, filepath.Join("../../emulator/testdata/replay", name, "session.cast.gz")) {
			if got := texts(s.shot); i <= until && s.shot.FullScreen && got != nil {
				t.Errorf("%s %q: %q", name, s.label, got)
			}
		}
	}
}

// A screen is a recorded screen at a checkpoint.
type screen struct {
	label string
	shot  *emulator.Snapshot
}

// screens returns the screens at the checkpoints of a recording.
func screens(t *testing.T, path string) []screen {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := recording.Read(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	term := emulator.New(emulator.Options{Size: emulator.Size{Rows: r.Rows, Cols: r.Cols}})
	var out []screen
	for _, e := range r.Events {
		switch e.Kind {
		case recording.Output:
			if _, err := term.Write(e.Data); err != nil {
				t.Fatal(err)
			}
			term.TakeReplies()
		case recording.Resize:
			term.Resize(emulator.Size{Rows: e.Rows, Cols: e.Cols})
		case recording.Checkpoint:
			out = append(out, screen{e.Label, term.Snapshot(0)})
		}
	}
	return out
}

// texts returns the texts that Find returns, without the rows.
func texts(s *emulator.Snapshot) []string {
	var out []string
	for _, c := range Find(s) {
		out = append(out, c.Text)
	}
	return out
}

// said formats candidates as in the golden file.
func said(found []string) string {
	if len(found) == 0 {
		return "nothing"
	}
	quoted := make([]string, len(found))
	for i, s := range found {
		quoted[i] = strconv.Quote(s)
	}
	return strings.Join(quoted, ", ")
}

// TestFind checks one rule per case, on a screen of 8 rows and 30 columns.
func TestFind(t *testing.T) {
	const (
		full   = "\x1b[?1049h\x1b[?25l" // an owned screen, the cursor hidden
		shown  = "\x1b[?1049h"
		inline = "\x1b[?25l"
	)
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"a row of a list", full + "\r\none\r\n\x1b[7mtwo\x1b[m\r\nthree", []string{"two"}},
		{"a row by colour", full + "\r\none\r\n\x1b[44mtwo\x1b[m\r\nthree", []string{"two"}},
		{"a title at the top", full + "\x1b[7m  Title                       \x1b[m\r\n\r\ntext", nil},
		{"a bar at the bottom", full + "text\x1b[8H\x1b[7m(END)", nil},
		{"the name of a panel", full + "\r\n┌──\x1b[7m Files \x1b[m──┐\r\n│ a          │", nil},
		{"a header above numbers", full + "\r\n\x1b[7mpid user name\x1b[m\r\n  1 root init\r\n  2 root sleep", nil},
		{"capitals above names", full + "\r\n\x1b[7mNAME STATUS\x1b[m\r\nweb  running\r\ndb   stopped", nil},
		{"labels", full + "\r\n\x1b[7mone\x1b[m\r\n\r\n\x1b[7mtwo\x1b[m\r\n\r\n\x1b[7mthree\x1b[m\r\n\x1b[2H\x1b[20C\x1b[7mfour\x1b[m", nil},
		{"a cursor that the program draws", full + "\r\n> \x1b[7mT\x1b[mype here", nil},
		{"a progress bar", full + "\r\n\x1b[44m   60%\x1b[m", nil},
		{"an input field", shown + "\r\nName: \x1b[44mAnna          \x1b[m\x1b[2;11H", nil},
		{"an editor's line", shown + "\r\n\x1b[44mline two                      \x1b[m\r\nline three\x1b[2;4H", nil},
		{"a check box", full + "\r\n[ ] red\r\n[\x1b[7m*\x1b[m] green\r\n[ ] blue", []string{"[*] green"}},
		{"an empty check box", full + "\r\n[ ] red\r\n[\x1b[7m \x1b[m] green\r\n[ ] blue", []string{"[ ] green"}},
		{"an item and a button, the cursor at the button", full + "\r\n  \x1b[7mred\x1b[m\r\n  green\r\n\r\n <\x1b[7mOK\x1b[m>\x1b[5;3H", []string{"OK", "red"}},
		{"a marker", inline + "Pick:\r\n  red\r\n❯ green\r\n  blue\r\n", []string{"green"}},
		{"a marker at a prompt", "$ fzf\r\n  3/3\r\n> text", nil},
		{"a bullet", inline + "● red\r\n○ green\r\n", []string{"red"}},
		{"a check box behind a marker", inline + " ◯ red\r\n❯◉ green\r\n ◯ blue\r\n", []string{"◉ green"}},
		{"a quotation", full + "He wrote\r\n> a line\r\nand so on", nil},
		{"two buttons, one of a colour", inline + "\r\n  \x1b[48;5;237m  Yes  \x1b[m  \x1b[48;5;212m  No  \x1b[m", []string{"No", "Yes"}},
		{"the toolbar of a line editor", "\r\n> text\x1b[8H\x1b[7mtab: the cities\x1b[m\x1b[2;7H", nil},
		{"the number of the cursor's row", shown + "one\r\n\x1b[48;5;236m 12 \x1b[mtwo\r\n\x1b[2;7H", nil},
		{"concealed text", full + "\r\none\r\n\x1b[7;8mtwo\x1b[m\r\nthree", nil},
		{"text in the colour of its background", full + "\r\none\r\n\x1b[31;41mtwo\x1b[m\r\nthree", nil},
		{"a part that is concealed", full + "\r\none\r\n\x1b[44mtwo\x1b[8m and more\x1b[m\r\nthree", []string{"two"}},
		{"a concealed marker", inline + "Pick:\r\n  red\r\n\x1b[8m❯\x1b[m green\r\n  blue\r\n", nil},
		{"lines of equal length", shown + "\x1b[7mred \x1b[m\r\n\x1b[7mtan \x1b[m\r\n\x1b[7msky \x1b[m\r\none\x1b[3;1H", []string{"red\ntan\nsky"}},
		{"a block of two lines", shown + "\r\nfor \x1b[7mred\x1b[m and\r\nfor \x1b[7mtan\x1b[m and\x1b[3;5H", []string{"red\ntan"}},
		{"from the first row", shown + "o\x1b[7mne \x1b[m\r\n\x1b[7mtw\x1b[mo\r\nthree\x1b[2;2H", []string{"ne\ntw"}},
		{"what a pager has found", shown + "a \x1b[7mred\x1b[m one\r\na \x1b[7mred\x1b[m two\x1b[8H:", []string{"a red one", "a red two"}},
		{"much that a pager has found", shown + "a \x1b[7mred\x1b[m a\r\na \x1b[7mred\x1b[m b\r\na \x1b[7mred\x1b[m c\r\na \x1b[7mred\x1b[m d\x1b[8H:", nil},
		{"an empty screen", full, nil},
	} {
		term := emulator.New(emulator.Options{Size: emulator.Size{Rows: 8, Cols: 30}})
		if _, err := term.Write([]byte(tt.in)); err != nil {
			t.Fatal(err)
		}
		if got := texts(term.Snapshot(0)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// FuzzFind checks that no screen makes Find fail, and that it returns few candidates.
func FuzzFind(f *testing.F) {
	f.Add([]byte("\x1b[?1049h\x1b[7mone\r\n日本\x1b[m[\x1b[44mx\x1b[m] │\r\n❯ two"), 5, 9)
	f.Fuzz(func(t *testing.T, in []byte, rows, cols int) {
		term := emulator.New(emulator.Options{Size: emulator.Size{Rows: 1 + rows&31, Cols: 1 + cols&63}})
		if _, err := term.Write(in); err != nil {
			t.Fatal(err)
		}
		if got := Find(term.Snapshot(0)); len(got) > maxCandidates {
			t.Errorf("%d candidates", len(got))
		}
	})
}
