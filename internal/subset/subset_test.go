package subset

import (
	"bytes"
	"testing"

	"github.com/go-fonts/dejavu/dejavusansmono"
	"github.com/go-text/typesetting/font"
	"github.com/google/go-cmp/cmp"
)

// TestFont compares the glyphs of a subset with those of the whole font: outlines and
// widths are the same, composite glyphs included, and nothing else is there.
func TestFont(t *testing.T) {
	keep := func(r rune) bool {
		return r >= ' ' && r <= '~' || r >= 0xa0 && r <= 0xff || r >= 0x2500 && r < 0x2600
	}
	data, err := Font(dejavusansmono.TTF, keep)
	if err != nil {
		t.Fatal(err)
	}
	small, whole := face(t, data), face(t, dejavusansmono.TTF)
	for r := rune(0); r < 0x3000; r++ {
		a, ok := small.NominalGlyph(r)
		b, there := whole.NominalGlyph(r)
		if ok != (there && keep(r)) {
			t.Errorf("%q: kept %t", r, ok)
		}
		if !ok {
			continue
		}
		if x, y := small.HorizontalAdvance(a), whole.HorizontalAdvance(b); x != y {
			t.Errorf("%q: width %v, want %v", r, x, y)
		}
		if d := cmp.Diff(whole.GlyphData(b), small.GlyphData(a)); d != "" {
			t.Errorf("%q: %s", r, d)
		}
	}
	if len(data) > len(dejavusansmono.TTF)/5 {
		t.Errorf("%d bytes of %d", len(data), len(dejavusansmono.TTF))
	}
	if got, want := small.Describe().Family, whole.Describe().Family; got != want {
		t.Errorf("family %q, want %q", got, want)
	}
}

// TestNoFont refuses what is not a font.
func TestNoFont(t *testing.T) {
	for _, data := range [][]byte{nil, []byte("not a font"), dejavusansmono.TTF[:100]} {
		if _, err := Font(data, func(rune) bool { return true }); err == nil {
			t.Errorf("%d bytes are taken for a font", len(data))
		}
	}
}

// face reads a font.
func face(t *testing.T, ttf []byte) *font.Face {
	t.Helper()
	f, err := font.ParseTTF(bytes.NewReader(ttf))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
