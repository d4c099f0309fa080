package picture

import (
	"testing"

	"github.com/glasstty/glasstty/emulator"
)

func TestIndexedColors(t *testing.T) {
	for i, want := range map[uint8]RGB{
		9: palette[9], 16: 0x000000, 21: 0x0000ff, 110: 0x87afd7, 231: 0xffffff, 232: 0x080808, 255: 0xeeeeee,
	} {
		if got := toRGB(index(i), 0); got != want {
			t.Errorf("colour %d = %v, want %v", i, got, want)
		}
	}
}

// TestNamedColorsAreLegible checks the contrast of every named colour on every
// other.
func TestNamedColorsAreLegible(t *testing.T) {
	for fg := range 17 {
		for bg := range 17 {
			style := emulator.Style{}
			if fg < 16 {
				style.FG = index(uint8(fg))
			}
			if bg < 16 {
				style.BG = index(uint8(bg))
			}
			for _, attrs := range []emulator.Attrs{0, emulator.Reverse} {
				style.Attrs = attrs
				if l := resolve(style, false); fg != bg && contrast(l.FG, l.BG) < minContrast {
					t.Errorf("%d on %d (attributes %d) has contrast %.2f", fg, bg, attrs, contrast(l.FG, l.BG))
				}
			}
		}
	}
}

// TestGivenColorsStay checks that colours given by value are not changed, nor
// the colour of text that equals its background.
func TestGivenColorsStay(t *testing.T) {
	rgb := emulator.RGB(0x17, 0x1a, 0x20)
	for _, style := range []emulator.Style{{FG: rgb}, {FG: index(234)}, {FG: index(4), BG: index(4)}} {
		if l := resolve(style, false); l.FG != toRGB(style.FG, 0) {
			t.Errorf("colour %+v is drawn as %v", style.FG, l.FG)
		}
	}
}

// TestBoldIsBright checks that bold text in one of the first eight colours is
// drawn in the bright colour, and that bold changes no other colours.
func TestBoldIsBright(t *testing.T) {
	for _, tt := range []struct{ in, want emulator.Color }{
		{index(1), index(9)}, {index(9), index(9)}, {index(130), index(130)}, {0, 0},
	} {
		got := resolve(emulator.Style{FG: tt.in, Attrs: emulator.Bold}, false).FG
		if want := toRGB(tt.want, Foreground); got != want {
			t.Errorf("bold %+v is %v, want %v", tt.in, got, want)
		}
	}
	if got := resolve(emulator.Style{BG: index(1), Attrs: emulator.Bold}, false).BG; got != palette[1] {
		t.Errorf("the background of bold text is %v", got)
	}
}

// TestBlocksContinueBackgrounds checks that a Powerline arrow or a block has
// exactly the given colour, so that it joins the background of the segment next
// to it.
func TestBlocksContinueBackgrounds(t *testing.T) {
	for fg := range uint8(16) {
		for bg := range uint8(16) {
			for _, text := range []string{"\ue0b0", "▀", "█"} {
				if got := resolve(emulator.Style{FG: index(fg), BG: index(bg)}, isBlock(text)).FG; got != palette[fg] {
					t.Errorf("%q in colour %d on %d is %v, want %v", text, fg, bg, got, palette[fg])
				}
			}
		}
	}
}
