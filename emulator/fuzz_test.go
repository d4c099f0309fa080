package emulator

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/internal/recording"
)

// pieces are the sequences from which random output is made.
var pieces = []string{
	"\x1bPq\"1;1;70;50#1~\x1b\\", "\x1bP0;1q!30~-!9@\x1b\\", "\x1bPq\"1;1;9999;9999~\x1b\\", "\x1b[?80h", "\x1b[?80l", "\x1b[?8452h",
	"\x1b_Gi=1,a=T,f=24,s=1,v=1,c=4,r=3;AAAA\x1b\\", "\x1b_Ga=p,i=1,c=9,C=1\x1b\\", "\x1b_Gi=2,a=T,U=1,f=24,s=1,v=1,c=5,r=2,m=1;AA\x1b\\",
	"\x1b_Gm=0;AA\x1b\\", "\x1b_Ga=d\x1b\\", "\x1b_Ga=d,d=C\x1b\\", "\x1b_Ga=d,d=I,i=1\x1b\\", "\x1b[38;5;2m\U0010EEEE\u0305\U0010EEEE\x1b[39m",
	"\x1b]1337;File=inline=1;width=30%:R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==\a", "\U00040000\U0004FFFF\U000EFFFF",
	"a", "text ", "\r", "\n", "\r\n", "\b", "\t", "日本", "e\u0301", "👨‍👩‍👧", "\u2764\ufe0f", "\xff", "\xe6\x97",
	"\x1b[A", "\x1b[5B", "\x1b[99999999999999C", "\x1b[-5P", "\x1b[3D", "\x1b[H", "\x1b[5;7H", "\x1b[2;3r", "\x1b[r",
	"\x1b[J", "\x1b[1J", "\x1b[2J", "\x1b[3J", "\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[4X", "\x1b[3@", "\x1b[2P", "\x1b[2L", "\x1b[M",
	"\x1b[2S", "\x1b[T", "\x1bD", "\x1bM", "\x1bE", "\x1b7", "\x1b8", "\x1b[?1049h", "\x1b[?1049l", "\x1b[?47h", "\x1b[?1047l",
	"\x1b[31;1m", "\x1b[48;2;1;2;3m", "\x1b[m", "\x1b[4:3m", "\x1b[?6h", "\x1b[?6l", "\x1b[?69h", "\x1b[3;6s", "\x1b[?69l",
	"\x1b[4h", "\x1b[4l", "\x1b[5b", "\x1b[?2027h", "\x1b[?2027l", "\x1b[?7l", "\x1b[?7h", "\x1b[?45h", "\x1b(0qx\x1b(B",
	"\x1b[2;2;4;5$z", "\x1b[65;1;1;3;3$x", "\x1b[1;1;2;4;1;2;3;1$v", "\x1b[1;1;2;4;1;7$r", "\x1b[2'}", "\x1b[2'~", "\x1b[ @", "\x1b[ A",
	"\x1b#8", "\x1bc", "\x1b[!p", "\x1b[?25l", "\x1b[?1h", "\x1b[?2004h", "\x1b[?2004l", "\x1b]133;A\a", "\x1b]8;;http://x\a", "\x1b]8;;\a", "\x1b]0;t\x1b\\",
	"\x1b[6n", "\x1b[c", "\x1b[1;1;1;1;5;5*y", "\x1bP$qm\x1b\\", "\x1b[2g", "\x1bH", "\x1b[Z", "\x1b[I", "\x1b6", "\x1b9", "\x9b5n", "\x1b[1\"q", "\x1b[?J", "\x1b[?K",
	"\x1b[?40h", "\x1b[?3h", "\x1b[?3l", "\x1b[20h", "\x1b[20l", "\x1b[?1045h", "\x1b[?1048h", "\x1b[?1048l", "\x1b[?2026h", "\x1b[?5h", "\x1b[?2048h", "\x1b[?1;6;7;69s", "\x1b[?1;6;7;69r",
	"\x1bV", "\x1bW", "\x1b[0\"q", "\x1b[2*x", "\x1b[1;2;3;4{", "\x1b[1;1;3;3${", "\x1b[1;1;3;3;4$t", "\x1b[#{", "\x1b[#}", "\x1b[5 q", "\x1b[38:2::1:2:3m", "\x1b[58;5;9;21;53m", "\x1b[7;9m", "\x1b[91;104m",
	"\x1b)0\x0e", "\x0f", "\x1b*0\x1bNq", "\x1bo", "\x1bn", "\x1b(A#", "\x1b-A", "\x1b%G", "\x1b#3", "\x1b#6", "\x1b[!p", "\x1b[?1049h\x1b[2J", "\x1b[3;5r\x1b[?6h\x1b[H", "\x1b[s", "\x1b[u",
	"\x1b]52;c;aGk=\a", "\x1b]4;1;#fff;2;?\a", "\x1b]11;?\a", "\x1b]1337;CurrentDir=/\a", "\x1b]9;4;1;50\a", "\x1b]777;notify;a;b\a", "\x1bPq#0~~\x1b\\", "\x1b_Ga=T;AAAA\x1b\\", "\x1bP+q544e\x1b\\", "\x1b^pm\x1b\\", "\x1bXsos",
	"\x18", "\x1a", "\x1b", "\u009b3C", "\u0084", "\u008d", "\x1b[>1u", "\x1b[<u", "\x1b[>4;2m", "\x1b[22;0t\x1b[23;0t", "\u200d", "\ufe0e", "🇩🇪🇫", "👍🏽", "\U000f0001", "한글", "\u1100\u1161", "\x1b[3g", "\x1b[0;31;7X", "\x1b[9999b",
	"0123456789012345678901234567890123456789", "日本語日本語日本語日本語",
}

// checkInvariants fails the test if the terminal's state is inconsistent.
func checkInvariants(t *testing.T, term *Terminal) {
	t.Helper()
	for i, r := range term.scr.rows {
		if r.cells != nil && usedLen(r.cells) > r.end {
			t.Fatalf("row %d has %d used cells, but its end is %d", i, usedLen(r.cells), r.end)
		}
	}
	texts, whole := term.RowTexts(nil), term.Text()
	s := term.Snapshot(-1)
	for i, r := range s.Screen {
		if got := texts[i].Text; got != r.Text() {
			t.Fatalf("row %d has the text %q, but %q in the snapshot", i, got, r.Text())
		}
	}
	if whole != s.Text() {
		t.Fatalf("the screen's text is %q, but %q in the snapshot", whole, s.Text())
	}
	if s.Cursor.Row < 0 || s.Cursor.Row >= s.Size.Rows || s.Cursor.Col < 0 || s.Cursor.Col >= s.Size.Cols {
		t.Fatalf("the cursor at %v is outside the size %v", s.Cursor, s.Size)
	}
	if len(s.Screen) != s.Size.Rows || len(s.Scrollback) != term.ScrollbackRows() {
		t.Fatalf("got %d rows and %d scrollback rows, want %d and %d", len(s.Screen), len(s.Scrollback), s.Size.Rows, term.ScrollbackRows())
	}
	for i, r := range append(s.Scrollback, s.Screen...) {
		if len(r.Cells) != s.Size.Cols {
			t.Fatalf("row %d has %d cells, want %d", i, len(r.Cells), s.Size.Cols)
		}
		for c, cell := range r.Cells {
			wide := cell.Width == 2
			spacerNext := c+1 < len(r.Cells) && r.Cells[c+1].Width == 0
			if wide != spacerNext || c == 0 && cell.Width == 0 {
				t.Fatalf("row %d col %d: %+v is not paired with its other half", i, c, cell)
			}
			if wide && cell.Text == "" {
				t.Fatalf("row %d col %d: a blank cell is wide", i, c)
			}
		}
	}
	last := int64(-1)
	for _, l := range term.Lines(0, term.EndLine()) {
		if l.Number <= last {
			t.Fatalf("line number %d follows %d", l.Number, last)
		}
		last = l.Number
	}
	if term.FirstLine() > term.EndLine() {
		t.Fatalf("the first line is %d, but the end is %d", term.FirstLine(), term.EndLine())
	}
	if p, ok := term.CursorPosition(); ok && p.Line >= term.EndLine() {
		t.Fatalf("the cursor is in line %d, but the end is %d", p.Line, term.EndLine())
	}
	text := int64(0)
	for i := range term.history.lines.n {
		text += term.history.lines.at(i).textLen()
	}
	if text != term.history.text {
		t.Fatalf("the scrollback has %d bytes of text, but its counter says %d", text, term.history.text)
	}
}

// A trial feeds the same bytes to three terminals: one in whole pieces, one in
// random cuts with reads of the screen in between, and one whose screen is
// never read. In the last one, drawn rows never reach vt10x, so it is the plain
// grid with which the vt10x layer is compared.
type trial struct {
	rand              *rand.Rand
	whole, cut, model *Terminal
}

func newTrial(seed uint64, s Size) *trial {
	o := Options{Size: s, ScrollbackLines: 20}
	return &trial{rand.New(rand.NewPCG(seed, 1)), New(o), New(o), New(o)}
}

func (tr *trial) write(b []byte) {
	tr.whole.Write(b)
	tr.model.Write(b)
	for len(b) > 0 {
		n := 1 + tr.rand.IntN(len(b))
		tr.cut.Write(b[:n])
		b = b[n:]
		if tr.rand.IntN(4) == 0 {
			tr.cut.Snapshot(0)
		}
	}
}

func (tr *trial) resize(s Size) {
	for _, term := range []*Terminal{tr.whole, tr.cut, tr.model} {
		term.Resize(s)
	}
}

func (tr *trial) check(t *testing.T) {
	t.Helper()
	checkInvariants(t, tr.whole)
	compare(t, tr.whole, tr.cut)
	for r := range tr.model.size.Rows {
		want := tr.model.toCells(tr.model.scr.cells(r), tr.model.size.Cols)
		got := tr.cut.Snapshot(0).Screen[r].Cells
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("row %d: vt10x has %+v, the plain grid %+v", r, got, want)
		}
	}
}

// randomBytes is the number of bytes that TestRandom feeds to the emulator. The
// long run before a release is
//
//	go test ./emulator -run TestRandom -timeout 0 -random 1000000000 -v
var randomBytes = flag.Int64("random", 0, "how many bytes TestRandom feeds to the emulator; 0 for a short run")

// progressInterval is the number of bytes after which TestRandom reports its
// progress.
const progressInterval = 32 << 20

// TestRandom checks that sequences, parts of real sessions and noise give the
// same result in random cuts, with random resizes in between.
func TestRandom(t *testing.T) {
	corpus := recordedOutput(t)
	size := *randomBytes
	if size == 0 {
		size = int64(need.Few(t, 1<<20, 4<<20))
	}
	fed, told := int64(0), int64(0)
	for seed := uint64(0); fed < size; seed++ {
		if fed-told >= progressInterval {
			t.Logf("%d MB done, seed %d", fed>>20, seed)
			told = fed
		}
		r := rand.New(rand.NewPCG(seed, 2))
		tr := newTrial(seed, Size{1 + r.IntN(8), 1 + r.IntN(20)})
		if seed%4 == 0 {
			tr = newTrial(seed, Size{24, 80})
		}
		for range 60 {
			b := randomPiece(r, corpus)
			fed += int64(len(b))
			tr.write(b)
			if r.IntN(10) == 0 {
				tr.resize(Size{1 + r.IntN(30), 1 + r.IntN(90)})
			}
			tr.check(t)
			if t.Failed() {
				t.Fatalf("failed with seed %d", seed)
			}
		}
	}
}

// randomPiece returns random output to write at once.
func randomPiece(r *rand.Rand, corpus []byte) []byte {
	var b []byte
	switch r.IntN(4) {
	case 0:
		n := r.IntN(1000)
		if r.IntN(8) == 0 {
			n = r.IntN(min(100000, len(corpus)))
		}
		at := r.IntN(len(corpus) - n)
		b = append(b, corpus[at:at+n]...)
		for range r.IntN(3) { // damage some bytes
			if n > 0 {
				b[r.IntN(n)] = byte(r.IntN(256))
			}
		}
	case 1:
		for range r.IntN(40) {
			b = append(b, byte(r.IntN(256)))
		}
	default:
		for range r.IntN(8) {
			b = append(b, pieces[r.IntN(len(pieces))]...)
		}
	}
	return b
}

// recordedOutput returns the output of the recorded programs.
func recordedOutput(t *testing.T) []byte {
	t.Helper()
	files, err := filepath.Glob("testdata/replay/*/session.cast.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	var out []byte
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := recording.Read(f)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, e := range rec.Events {
			out = append(out, e.Data...)
		}
	}
	return out
}

// FuzzTerminal feeds arbitrary bytes to terminals. The byte 0xFE, which never
// occurs in UTF-8, sets a new size from the next two bytes.
func FuzzTerminal(f *testing.F) {
	for _, p := range pieces {
		f.Add([]byte(p), uint64(1))
	}
	f.Add([]byte("\x1b[?1049hone\xfe\x03\x05two\x1b[?1049l\xfe\x20\x50three"), uint64(2))
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		tr := newTrial(seed, Size{6, 12})
		for len(b) > 0 {
			part, rest, found := bytes.Cut(b, []byte{0xFE})
			tr.write(part)
			if b = rest; found && len(rest) >= 2 {
				tr.resize(Size{int(rest[0])%40 + 1, int(rest[1])%100 + 1})
				b = rest[2:]
			}
			tr.check(t)
		}
	})
}

// compare fails the test if two terminals that got the same bytes in different
// pieces differ.
func compare(t *testing.T, a, b *Terminal) {
	t.Helper()
	x, y := a.Snapshot(-1), b.Snapshot(-1)
	for _, s := range []*Snapshot{x, y} { // revisions depend on the number of calls
		s.Revision = 0
		for i := range s.Screen {
			s.Screen[i].Revision = 0
		}
		for i := range s.Scrollback {
			s.Scrollback[i].Revision = 0
		}
	}
	if !reflect.DeepEqual(x, y) {
		t.Fatalf("the screens differ:\n%q\n%q\ncursors %+v\n%+v", x.Text(), y.Text(), x.Cursor, y.Cursor)
	}
	l, m := allLines(a), allLines(b)
	for i := range l {
		l[i].Revision = 0
	}
	for i := range m {
		m[i].Revision = 0
	}
	if !reflect.DeepEqual(l, m) {
		t.Fatalf("the lines differ:\n%+v\n%+v", l, m)
	}
}
