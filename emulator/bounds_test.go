package emulator

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator/graphics"
	"github.com/glasstty/glasstty/internal/need"
)

// hostile calls write, which sends hostile output to the terminal, and then
// checks that the memory stayed bounded, that the state is valid, and that text
// written afterwards is drawn correctly.
func hostile(t *testing.T, term *Terminal, limitMB uint64, write func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	write()
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > int64(limitMB<<20) {
		t.Errorf("memory grew by %d bytes, want at most %d MB", grown, limitMB)
	}
	term.Write([]byte("\x18\x1b[!p\x1b[?2027l\x1b[?69l\x1b[?1049l\x1b[H\x1b[2Jvalid"))
	if got := term.Snapshot(0).Screen[0].Text(); got != "valid"[:min(5, term.Size().Cols)] {
		t.Errorf("the text written afterwards is %q", got)
	}
	checkInvariants(t, term)
	runtime.KeepAlive(term)
}

func TestEndlessStrings(t *testing.T) {
	for _, intro := range []string{"\x1b]0;", "\x1b]52;c;", "\x1bP", "\x1bP+q", "\x1bPq", "\x1b_G", "\x1b^", "\x1bX", "\x1bk", "\x1b]8;;", "\x1b[1;", "\x1b[" + strings.Repeat(" ", 50)} {
		term := New(Options{})
		hostile(t, term, 3, func() {
			term.Write([]byte(intro))
			block := []byte(strings.Repeat("0123456789", 100_000))
			most := need.Few(t, 6*maxString, graphics.MaxString)
			if slices.Contains([]string{"\x1bPq", "\x1b_G"}, intro) { // images may be longer
				most = graphics.MaxString
			}
			for range most/len(block) + 1 {
				term.Write(block)
			}
			if !term.InsideSequence() {
				t.Errorf("%q: InsideSequence is false in the middle of a string", intro)
			}
		})
		if cap(term.parser.str) > 0 {
			t.Errorf("%q: the buffer keeps %d bytes", intro, cap(term.parser.str))
		}
	}
}

func TestManyTitlesLinksAndMarks(t *testing.T) {
	need.Long(t)
	term := New(Options{})
	hostile(t, term, 48, func() {
		var b strings.Builder
		for i := range million {
			b.Reset()
			fmt.Fprintf(&b, "\x1b]0;title %d\a\x1b[22t\x1b]8;id=%d;http://example.com/%d\a\x1b[38;2;%d;%d;%dmx\x1b]133;A\a\x1b[6n\a",
				i, i, i, i>>16, i>>8&255, i&255)
			term.Write([]byte(b.String()))
		}
	})
	if n := len(term.titleStack); n > maxTitleStack {
		t.Errorf("got %d titles on the stack", n)
	}
	if n := len(term.styles.links); n > maxLinks {
		t.Errorf("got %d links", n)
	}
	if n := len(term.TakeReplies()); n > MaxReplies {
		t.Errorf("got %d bytes of replies", n)
	}
	if n := len(term.TakeEvents()); n > MaxEvents || n == 0 {
		t.Errorf("got %d events", n)
	}
}

func TestManyEventBytes(t *testing.T) {
	term := New(Options{})
	payload := strings.Repeat("QUJD", 1<<16)
	for range 50 {
		term.Write([]byte("\x1b]52;c;" + payload + "\a"))
	}
	n := 0
	for _, e := range term.TakeEvents() {
		n += e.size()
	}
	if n > maxEventText || n == 0 {
		t.Errorf("got %d bytes of events", n)
	}
}

func TestManyStyles(t *testing.T) {
	term := New(Options{Size: Size{1000, 1000}, ScrollbackLines: 10})
	hostile(t, term, 300, func() {
		var b strings.Builder
		for i := range maxStyles + 50000 {
			fmt.Fprintf(&b, "\x1b[38;2;%d;%d;%dm\x1b[48;2;%d;1;1mx", i>>16, i>>8&255, i&255, i%7)
			if b.Len() > 1<<16 {
				term.Write([]byte(b.String()))
				b.Reset()
			}
		}
	})
	if n := len(term.styles.values); n > maxStyles {
		t.Errorf("got %d styles", n)
	}
}

func TestStylesAreCollected(t *testing.T) {
	term := New(Options{Size: Size{5, 20}, ScrollbackLines: 10})
	for i := range maxStyles + 1000 {
		term.Write(fmt.Appendf(nil, "\x1b[38;2;%d;%d;%dmx\r\n", i>>16, i>>8&255, i&255))
	}
	i := maxStyles + 999
	got := term.Snapshot(0).Screen[3].Cells[0].Style.FG
	if want := RGB(uint8(i>>16), uint8(i>>8), uint8(i)); got != want {
		t.Errorf("colour %v, want %v", got, want)
	}
}

// TestCollectingWhileEditing checks that DECCARA keeps cells and styles intact
// when it has to collect unused styles: the style table is full, and DECCARA
// interns styles while it changes a row's cells.
func TestCollectingWhileEditing(t *testing.T) {
	term := New(Options{Size: Size{3, 10}})
	term.Write([]byte("\x1b[31mabc\r\n\x1b[32mdef"))
	for i := len(term.styles.values); i < maxStyles; i++ {
		term.styles.id(Style{FG: RGB(uint8(i>>16), uint8(i>>8), uint8(i))})
	}
	term.Write([]byte("\x1b[2*x\x1b[1;1;2;3;1;4$r"))
	want := Style{FG: Indexed(2), Attrs: Bold, Underline: UnderlineSingle}
	if got := term.Snapshot(0).Screen[1].Cells[2]; got.Text != "f" || got.Style != want {
		t.Errorf("got %+v", got)
	}
	if n := len(term.styles.ids); n > 100 {
		t.Errorf("%d styles remain, want at most 100", n)
	}
	checkInvariants(t, term)
}

// TestCollectingWhilePrinting checks that a printed character keeps its handle when the style of its
// cell is the one for which the table of styles has no room.
func TestCollectingWhilePrinting(t *testing.T) {
	term := New(Options{Size: Size{3, 10}})
	for i := len(term.styles.values); i < maxStyles; i++ {
		term.styles.id(Style{FG: RGB(uint8(i>>16), uint8(i>>8), uint8(i))})
	}
	term.Write([]byte("\x1b[4;38;2;1;2;3m\U00040000"))
	want := Style{FG: RGB(1, 2, 3), Underline: UnderlineSingle}
	if got := term.Snapshot(0).Screen[0].Cells[0]; got.Text != "\U00040000" || got.Style != want {
		t.Errorf("got %+v", got)
	}
	if n := len(term.styles.ids); n > 100 {
		t.Errorf("%d styles remain, want at most 100", n)
	}
	checkInvariants(t, term)
}

func TestManyClusters(t *testing.T) {
	term := New(Options{Size: Size{5, 20}, ScrollbackLines: 10})
	hostile(t, term, 48, func() {
		for i := range maxClusters + 1000 {
			term.Write([]byte("a" + string(rune(0x300+i%0x60)) + string(rune(0x1AB0+i/0x60%10)) + string(rune(0xE0100+i/0x3C0)) + "\r\n"))
		}
	})
}

func TestManyCombiningMarks(t *testing.T) {
	for _, mode := range []string{"", "\x1b[?2027h"} {
		term := New(Options{})
		term.Write([]byte(mode + "e" + strings.Repeat("\u0301", 10000) + "f"))
		s := term.Snapshot(0)
		if n := len(s.Screen[0].Cells[0].Text); n > maxClusterBytes || n < 10 {
			t.Errorf("one cell has %d bytes", n)
		}
		if got := s.Screen[0].Cells[1].Text; got != "f" {
			t.Errorf("the next cell is %q", got)
		}
	}
}

func TestManyResizes(t *testing.T) {
	need.Long(t)
	term := New(Options{Size: Size{5, 20}, ScrollbackLines: 50})
	hostile(t, term, 8, func() {
		for i := range million {
			term.Resize(Size{1 + i%7, 1 + i*7%31})
			term.Write([]byte("some text 日本\r\n"))
			if i%64 == 0 {
				term.Snapshot(0)
			}
		}
	})
}

func TestResizeInMidSequence(t *testing.T) {
	term := New(Options{})
	hostile(t, term, 80, func() {
		for _, s := range []Size{{1, 1}, {1000, 1000}, {1, 1000}, {1000, 1}, {-5, 1 << 40}, {24, 80}} {
			for _, part := range []string{"日本\x1b[3", ";4", "H\xe6", "\x97", "\xa5x\x1b]0;ti", "tle\x1b", "\\\x1b[?1049h\x1b[5;5r", "\x1b7\x1b[?69h\x1b[2;3s\n\n\x1b8\x1b[?1049l"} {
				term.Write([]byte(part))
				term.Resize(s)
				checkInvariants(t, term)
			}
		}
	})
	if term.Title() != "title" {
		t.Errorf("title %q", term.Title())
	}
}

func TestParametersBeyondRange(t *testing.T) {
	for final := byte(0x40); final < 0x7F; final++ {
		for _, inter := range []string{"", " ", "!", "\"", "#", "$", "'", "*"} {
			for _, prefix := range []string{"", "?", ">", "<", "="} {
				term := New(Options{Size: Size{5, 20}})
				for _, n := range []string{"0", "-5", "18446744073709551616", "2147483648", "65535", ";;;;", "99999;99999;99999;99999;99999;99999", "38;5", "38:2", ":::"} {
					term.Write([]byte("x\x1b[" + prefix + n + inter + string(final)))
				}
				checkInvariants(t, term)
				term.Write([]byte("\x1b[" + strings.Repeat("1;", 1000) + string(final)))
				checkInvariants(t, term)
			}
		}
	}
}

func TestRepeatIsBounded(t *testing.T) {
	term := New(Options{Size: Size{5, 20}})
	term.Write([]byte("x" + strings.Repeat("\x1b[65535b", 1000)))
	checkInvariants(t, term)
}

func TestLongLine(t *testing.T) {
	term := New(Options{})
	hostile(t, term, 40, func() {
		block := []byte(strings.Repeat("日本 text ", 1000))
		for range 1000 {
			term.Write(block)
		}
	})
	if n := term.history.bytes; n > term.opt.ScrollbackBytes {
		t.Errorf("the scrollback has %d bytes", n)
	}
}

// TestScrollbackMemory checks that a scrollback of 10,000 lines of ordinary
// text takes at most 3 MB.
func TestScrollbackMemory(t *testing.T) {
	data := plainStream()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	term := New(Options{})
	for term.ScrollbackRows() < defaultLines {
		term.Write(data)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	grown := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	t.Logf("%d scrollback rows take %d KB", term.ScrollbackRows(), grown>>10)
	if grown > 3<<20 {
		t.Errorf("%d scrollback rows take %d bytes, want at most 3 MB", term.ScrollbackRows(), grown)
	}
	runtime.KeepAlive(term)
	runtime.KeepAlive(data)
}
