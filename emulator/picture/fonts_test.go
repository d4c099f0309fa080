package picture

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"unicode"

	"github.com/go-text/typesetting/shaping"
)

// TestBuiltinCovers checks that on a machine without fonts, there are glyphs
// for Latin, Greek and Cyrillic letters, arrows, and the symbols that programs
// use.
func TestBuiltinCovers(t *testing.T) {
	f := &Fonts{tried: true}
	for _, style := range []glyph{{}, {bold: true}, {italic: true}, {bold: true, italic: true}} {
		for _, block := range [][2]rune{{0x21, 0x7E}, {0xA1, 0x17F}, {0x386, 0x3CE}, {0x400, 0x45F}, {0x2190, 0x2193}} {
			for r := block[0]; r <= block[1]; r++ {
				if unicode.IsPrint(r) && f.faceLocked(r, style, false) == nil {
					t.Errorf("%q (bold %v, italic %v) has no glyph", r, style.bold, style.italic)
				}
			}
		}
		for _, r := range "€…–—“”‘’•·×÷≤≥≠≈∞√∑✓✔✗✘●○◆■□▪▶◀▲▼△▽➜★☆♥⚠⏎" {
			if f.faceLocked(r, style, false) == nil {
				t.Errorf("%q has no glyph", r)
			}
		}
	}
	if f.system != nil || f.err != nil {
		t.Error("the system's fonts were read")
	}
}

// TestSystemFonts checks that characters that only the system's fonts have are
// drawn with these fonts, if they are installed.
func TestSystemFonts(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	g, f := newGrid(16), &Fonts{}
	var shaper shaping.HarfbuzzShaper
	f.layOut(g, glyph{text: "x", cols: 1}, &shaper)
	if f.tried {
		t.Error("drawing x searched the system's fonts")
	}
	for _, text := range []string{"日", "가", "😀"} {
		gl := glyph{text: text, cols: 2}
		f.mu.Lock()
		found := f.systemFaceLocked([]rune(text)[0], gl, false) != nil
		f.mu.Unlock()
		if err := f.SystemErr(); err != nil {
			t.Skipf("the system's fonts cannot be read: %v", err)
		}
		if !found {
			t.Logf("no system font has %s", text)
			continue
		}
		d := f.layOut(g, gl, &shaper)
		if d.img == nil && (len(d.path) == 0 || svgPath(d.path, 0, 0) == svgPath(g.missingGlyph(2), 0, 0)) {
			t.Errorf("%s is not drawn with the system font that has it", text)
		}
		for _, s := range d.path {
			for _, p := range s.p {
				if p.x < -1 || p.x > float32(2*g.w)+1 {
					t.Fatalf("%s extends beyond its two cells: x %v", text, p.x)
				}
			}
		}
	}
}

// TestFontsShared checks that many goroutines can draw with the same Fonts at
// once.
func TestFontsShared(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	f := &Fonts{}
	snap, want := showcase(), ""
	var wg sync.WaitGroup
	out := make([]bytes.Buffer, 4)
	for i := range out {
		wg.Go(func() {
			if err := PNG(&out[i], snap, Options{Fonts: f, CellWidth: 8}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i := range out {
		if want == "" {
			want = out[i].String()
		}
		if out[i].String() != want {
			t.Errorf("picture %d differs from the first", i)
		}
	}
}

// TestMarksGoOverTheirLetter checks that a letter keeps its size when it has
// combining marks, whether the font positions them or not.
func TestMarksGoOverTheirLetter(t *testing.T) {
	g, f := newGrid(20), &Fonts{tried: true}
	var shaper shaping.HarfbuzzShaper
	left := func(text string) float32 {
		d := f.layOut(g, glyph{text: text, cols: 1}, &shaper)
		low := d.path[0].p[0].x
		for _, s := range d.path {
			low = min(low, s.p[0].x)
		}
		return low
	}
	for _, mark := range []string{"\u0301", "\u0338", "\u0301\u0323\u0338"} {
		d := f.layOut(g, glyph{text: "Z" + mark, cols: 1}, &shaper)
		for _, s := range d.path {
			if s.p[0].x < -0.2*float32(g.w) || s.p[0].x > 1.2*float32(g.w) {
				t.Errorf("Z with mark %q reaches x %v in a cell of width %d", mark, s.p[0].x, g.w)
			}
		}
	}
	if a, b := left("Z"), left("Z\u0338"); b > a+0.5 {
		t.Errorf("Z begins at %v, but with a stroke at %v", a, b)
	}
}

func TestIndexDir(t *testing.T) {
	base := t.TempDir()
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", filepath.Join(base, "a"))
	want := filepath.Join(base, "a", "glasstty")
	dir, done, err := indexDir()
	if dir != want || err != nil {
		t.Errorf("indexDir() = %q, %v; want %q", dir, err, want)
	}
	done()
	if left, err := os.ReadDir(want); err != nil || len(left) != 0 {
		t.Errorf("%q after done: entries %v, error %v", want, left, err)
	}
	t.Setenv("TMPDIR", base)
	t.Setenv("XDG_CACHE_HOME", file) // a directory cannot be created below a file
	dir, done, err = indexDir()
	if err != nil || filepath.Dir(dir) != base {
		t.Fatalf("indexDir below a file = %q, %v; want a new one in %q", dir, err, base)
	}
	done()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%q remains after done: %v", dir, err)
	}
}

func TestHas(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	f := &Fonts{}
	for r, want := range map[rune]bool{'a': true, 'Ж': true, '╬': true, '\U0010FFFD': false} {
		if f.Has(r) != want {
			t.Errorf("Has(%U) = %v", r, !want)
		}
	}
}
