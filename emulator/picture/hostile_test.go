package picture

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator"
)

// hostile returns a snapshot with contents that a Terminal never produces.
func hostile() *emulator.Snapshot {
	const attack = "\x1b[31mX\x1b\\\x07\u009b\u009c\x9b\r\n\x00</pre></text><script>alert(1)</script>\"'>]]>&#0;\uffff"
	snap := snapshotOf(40, plain("ok"))
	snap.Title = attack
	for i := range snap.Screen[0].Cells[:8] {
		c := &snap.Screen[0].Cells[i]
		c.Text = attack
		c.Style.Link = emulator.NewLink("a:b;"+attack, "javascript:"+attack)
		c.Style.Underline = 77
		c.Style.Attrs = 0xffff &^ emulator.Hidden
		c.Style.FG = emulator.Color(99 << 24)
		c.Width = uint8(i % 4)
	}
	return snap
}

// allowed matches the control sequences that ANSI may write.
var allowed = regexp.MustCompile("\x1b\\[[0-9;:]*m|\x1b\\]8;(id=[!-9<-~]*)?;[ -~]*\x1b\\\\")

// TestNothingSmuggled checks that no control character of a cell or link
// reaches the output, except in the sequences that ANSI itself writes.
func TestNothingSmuggled(t *testing.T) {
	for ext := range writers {
		if ext == "png" {
			continue
		}
		got := render(t, ext, hostile(), Options{CursorMark: true})
		if ext == "ansi" {
			got = allowed.ReplaceAllString(got, "")
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return isControl(r) && r != '\n' }); i >= 0 {
			t.Errorf("%s contains a control character: %q", ext, got[max(0, i-20):min(len(got), i+20)])
		}
	}
	for _, ext := range []string{"html", "svg"} {
		if got := render(t, ext, hostile(), Options{}); strings.Contains(got, "<script") || strings.Contains(got, `href="javascript`) {
			t.Errorf("%s contains a script: %s", ext, got)
		}
	}
	dec := xml.NewDecoder(strings.NewReader(render(t, "svg", hostile(), Options{})))
	for {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("svg is not well formed: %v", err)
		}
	}
	if !json.Valid([]byte(render(t, "json", hostile(), Options{}))) {
		t.Error("json is not valid")
	}
	render(t, "png", hostile(), Options{})
}

func TestSafeLink(t *testing.T) {
	for in, want := range map[string]string{
		"https://example.org/a?b=c": "https://example.org/a?b=c",
		"HTTP://example.org":        "http://example.org",
		"mailto:a@example.org":      "mailto:a@example.org",
		"javascript:alert(1)":       "",
		" javascript:alert(1)":      "",
		"java\nscript:alert(1)":     "",
		"data:text/html,x":          "",
		"file:///etc/passwd":        "",
		"//example.org":             "",
		"":                          "",
		"%":                         "",
	} {
		if got := SafeLink(in); got != want {
			t.Errorf("SafeLink(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestPNGLimit(t *testing.T) {
	snap := &emulator.Snapshot{Size: emulator.Size{Rows: 1000, Cols: 1000}, Screen: make([]emulator.Row, 1000)}
	if err := PNG(io.Discard, snap, Options{}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("1000 × 1000 cells: error %v, want ErrTooLarge", err)
	}
	var b bytes.Buffer
	if err := PNG(&b, snap, Options{Region: &Region{0, 0, 200, 500}}); err != nil {
		t.Fatal(err)
	}
	size := decodePNG(t, b.String()).Bounds()
	if n := size.Dx() * size.Dy(); n > MaxPixels || n < MaxPixels/2 {
		t.Errorf("200 × 500 cells have %d pixels, want at most %d", n, MaxPixels)
	}
	for _, want := range []int{-5, 1, 1 << 40} {
		if err := PNG(io.Discard, snapshotOf(3, plain("x")), Options{CellWidth: want}); err != nil {
			t.Errorf("cell width %d: %v", want, err)
		}
	}
}

// FuzzNothingSmuggled checks, for a Terminal with arbitrary output, that its
// pictures contain no control sequences except those that ANSI itself writes,
// and that the ANSI text shows the same screen again.
func FuzzNothingSmuggled(f *testing.F) {
	f.Add([]byte("a\x1b]8;;javascript:\x1b[31m\x1b\\b\x1b]8;id=x:y;http://\xc2\x9b31m\x07c\xc2\x9bd"))
	f.Add([]byte("\x1b[4:3;58:2::1:2:3m日\x1b[1\"q\u0301\x1b(0q\x1b[7mx\x1b[8my\r\x1b[C"))
	f.Fuzz(func(t *testing.T, data []byte) {
		size := emulator.Size{Rows: 4, Cols: 12}
		term := emulator.New(emulator.Options{Size: size})
		_, _ = term.Write(data)
		snap := term.Snapshot(-1)
		for _, ext := range []string{"txt", "ansi", "html", "svg", "json"} {
			got := render(t, ext, snap, Options{})
			if ext == "ansi" {
				got = allowed.ReplaceAllString(got, "")
			}
			if i := strings.IndexFunc(got, func(r rune) bool { return isControl(r) && r != '\n' }); i >= 0 {
				t.Fatalf("%s of %q contains a control character: %q", ext, data, got)
			}
		}
		snap = term.Snapshot(0)
		again := emulator.New(emulator.Options{Size: size})
		_, _ = again.Write([]byte(strings.ReplaceAll(render(t, "ansi", snap, Options{}), "\n", "\r\n")))
		if !snap.Modes.Graphemes && !bytes.Contains(data, []byte("2027")) && !bytes.Contains(data, []byte("\x1b]8")) {
			sameCells(t, "again", again.Snapshot(0), snap)
		}
	})
}
