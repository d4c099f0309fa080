package picture

import (
	"image"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator"
)

// drawn draws rows at a cell width. It returns the picture, the grid, and a
// function that reports whether a pixel has the colour of text.
func drawn(t *testing.T, width int, rows string) (img image.Image, g grid, ink func(x, y int) bool) {
	t.Helper()
	lines := plainRows(rows)
	cols := 0
	for _, l := range lines {
		cols = max(cols, len([]rune(l[0].text)))
	}
	img = decodePNG(t, render(t, "png", snapshotOf(cols, lines...), Options{CellWidth: width}))
	g = newGrid(width)
	return img, g, func(x, y int) bool {
		r, gr, b, _ := img.At(x+g.w, y+g.w).RGBA()
		return RGB(r>>8)<<16|RGB(gr>>8)<<8|RGB(b>>8) == Foreground
	}
}

// TestLinesJoin checks that the middle lines of box-drawing characters have the
// full colour of text at every pixel across many cells.
func TestLinesJoin(t *testing.T) {
	for width := minCellWidth; width <= 33; width++ {
		_, g, ink := drawn(t, width, "─━┼╋┬┴┿\n│┃├╂╎┤┣")
		for x := range 7 * g.w {
			if !ink(x, (g.h-g.thin)/2) {
				t.Fatalf("width %d: the horizontal line has a gap at pixel %d", width, x)
			}
		}
		_, g, ink = drawn(t, width, "│\n┃\n┼\n╋\n├\n┤\n╿\n╽")
		for y := range 8 * g.h {
			if !ink((g.w-g.thin)/2, y) {
				t.Fatalf("width %d: the vertical line has a gap at pixel %d", width, y)
			}
		}
		_, g, ink = drawn(t, width, "═╬╦╩╤═")
		for x := range 6 * g.w {
			up, down := ink(x, (g.h-g.thin)/2-g.thin), ink(x, (g.h-g.thin)/2+g.thin)
			inner := x/g.w >= 1 && x/g.w <= 3 // one side is open where a double line is crossed
			if !up && !inner || !down && !inner || !up && !down && x/g.w != 1 {
				t.Fatalf("width %d: the double line has a gap at pixel %d", width, x)
			}
		}
	}
}

// TestCornersClose checks that the outer corner of two arms is inked.
func TestCornersClose(t *testing.T) {
	for width := minCellWidth; width <= 33; width++ {
		for _, r := range "┌┏╔╒╓┍┎" {
			_, g, ink := drawn(t, width, string(r))
			if !ink(g.w-1, g.h/2) && !ink(g.w-1, g.h/2-g.thin) && !ink(g.w-1, g.h/2+g.thin) {
				t.Errorf("width %d: %c does not reach its right edge", width, r)
			}
		}
		_, g, ink := drawn(t, width, "┏")
		heavy := g.thickness(armHeavy)
		if x, y := (g.w-g.thin)/2+(g.thin-heavy)/2, (g.h-g.thin)/2+(g.thin-heavy)/2; !ink(x, y) || !ink(x+heavy-1, y+heavy-1) {
			t.Errorf("width %d: the corner of ┏ is open", width)
		}
	}
}

// TestBlocksTile checks that blocks and their complements cover a cell exactly
// once, and that shades have no seams between cells.
func TestBlocksTile(t *testing.T) {
	for _, width := range []int{6, 7, 10, 16, 17, 33} {
		_, g, ink := drawn(t, width, "██▙\n██▜")
		for y := range 2 * g.h {
			for x := range 2 * g.w {
				if !ink(x, y) {
					t.Fatalf("width %d: full blocks have a hole at %d, %d", width, x, y)
				}
			}
		}
		for _, pair := range []string{"▌▐", "▀▄", "▘▟", "▝▙", "▖▜", "▗▛", "▚▞"} {
			_, g, ink := drawn(t, width, pair)
			for y := range g.h {
				for x := range g.w {
					if ink(x, y) == ink(x+g.w, y) {
						t.Fatalf("width %d: %s overlap or leave a hole at %d, %d", width, pair, x, y)
					}
				}
			}
		}
		img, g, _ := drawn(t, width, "▒▒\n▒▒")
		for y := range 2 * g.h {
			for x := range 2 * g.w {
				if img.At(x+g.w, y+g.w) != img.At(g.w, g.w) {
					t.Fatalf("width %d: the shade is not even at %d, %d", width, x, y)
				}
			}
		}
	}
}

// TestEveryShape checks the characters that we draw ourselves at the smallest
// and the largest size: each has a shape with finite coordinates.
func TestEveryShape(t *testing.T) {
	for _, width := range []int{minCellWidth, maxCellWidth} {
		g := newGrid(width)
		for _, block := range [][2]rune{{0x2500, 0x259F}, {0x2801, 0x28FF}, {0xE0B0, 0xE0BF}, {0x1FB00, 0x1FB3B}} {
			for r := block[0]; r <= block[1]; r++ {
				shapes, _ := g.shapesOf(r)
				if len(shapes) == 0 {
					t.Errorf("U+%04X has no shape", r)
				}
				for _, s := range shapes {
					if d := svgPath(s, 0, 0); strings.Contains(d, "NaN") || strings.Contains(d, "Inf") {
						t.Errorf("U+%04X: path %s", r, d)
					}
				}
			}
		}
	}
}

// BenchmarkPNG measures drawing a full screen of text.
func BenchmarkPNG(b *testing.B) {
	rows := make([][]piece, 24)
	for i := range rows {
		rows[i] = []piece{{strings.Repeat("The quick brown fox. ", 4)[:80], emulator.Style{FG: index(uint8(i))}}}
	}
	snap, fonts := snapshotOf(80, rows...), &Fonts{tried: true}
	for b.Loop() {
		if err := PNG(discard{}, snap, Options{Fonts: fonts}); err != nil {
			b.Fatal(err)
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
