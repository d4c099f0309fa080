package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"
	"unicode"

	"github.com/go-fonts/dejavu/dejavusansmono"
	"github.com/go-text/typesetting/font"
	"github.com/google/go-cmp/cmp"
)

// TestSubset checks that a subset has the glyphs of its characters only, with the
// same outlines and widths as in the whole font, composite glyphs included.
func TestSubset(t *testing.T) {
	keep := func(r rune) bool {
		return r >= ' ' && r <= '~' || r >= 0xa0 && r <= 0xff || r >= 0x2500 && r < 0x2600
	}
	data, err := subset(dejavusansmono.TTF, keep)
	if err != nil {
		t.Fatal(err)
	}
	small, whole := face(t, data), face(t, dejavusansmono.TTF)
	for r := rune(0); r < 0x3000; r++ {
		a, ok := small.NominalGlyph(r)
		b, there := whole.NominalGlyph(r)
		if ok != (there && keep(r)) {
			t.Errorf("%q: in the subset: %t", r, ok)
		}
		if !ok {
			continue
		}
		if x, y := small.HorizontalAdvance(a), whole.HorizontalAdvance(b); x != y {
			t.Errorf("%q: width %v, want %v", r, x, y)
		}
		if d := cmp.Diff(whole.GlyphData(b), small.GlyphData(a)); d != "" {
			t.Errorf("%q: the outline differs: %s", r, d)
		}
	}
	if len(data) > len(dejavusansmono.TTF)/5 {
		t.Errorf("the subset has %d of %d bytes", len(data), len(dejavusansmono.TTF))
	}
	if got, want := small.Describe().Family, whole.Describe().Family; got != want {
		t.Errorf("family %q, want %q", got, want)
	}
}

// TestUnhinted checks that the glyphs of an unhinted font have the same numbers,
// outlines and widths as in the original.
func TestUnhinted(t *testing.T) {
	data, err := unhinted(dejavusansmono.TTF)
	if err != nil {
		t.Fatal(err)
	}
	got, want := face(t, data), face(t, dejavusansmono.TTF)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		a, _ := got.NominalGlyph(r)
		if b, _ := want.NominalGlyph(r); a != b {
			t.Fatalf("%q: glyph %d, want %d", r, a, b)
		}
	}
	for glyph := range font.GID(3381) { // all glyphs of the font
		if x, y := got.HorizontalAdvance(glyph), want.HorizontalAdvance(glyph); x != y {
			t.Errorf("glyph %d: width %v, want %v", glyph, x, y)
		}
		if d := cmp.Diff(want.GlyphData(glyph), got.GlyphData(glyph)); d != "" {
			t.Errorf("glyph %d: the outline differs: %s", glyph, d)
		}
	}
	if len(got.Font.GSUB.Lookups) != len(want.Font.GSUB.Lookups) || len(want.Font.GSUB.Lookups) == 0 {
		t.Errorf("got %d substitutions, want %d", len(got.Font.GSUB.Lookups), len(want.Font.GSUB.Lookups))
	}
}

// TestFiles checks that the repository's fonts are what this command generates.
func TestFiles(t *testing.T) {
	const root = "../../.."
	files, err := made(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 8 {
		t.Errorf("got %d fonts, want 8", len(files))
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(got))
		if err != nil {
			t.Fatal(err)
		}
		if got, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is stale; run: go run ./internal/bench/fonts", name)
		}
	}
}

// TestNoFont checks that data that is not a font is refused.
func TestNoFont(t *testing.T) {
	for _, data := range [][]byte{nil, []byte("not a font"), dejavusansmono.TTF[:100]} {
		if _, err := subset(data, func(rune) bool { return true }); err == nil {
			t.Errorf("subset accepted %d bytes that are not a font", len(data))
		}
	}
}

// face parses a font.
func face(t *testing.T, ttf []byte) *font.Face {
	t.Helper()
	f, err := font.ParseTTF(bytes.NewReader(ttf))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
