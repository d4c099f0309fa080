package page

import (
	"bytes"
	"image"
	"image/png"
	"testing"
)

// decode decodes a PNG.
func decode(t *testing.T, data []byte) image.Image {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A mean is the mean colour of a cell, with channels from 0 to 255.
type mean [3]float64

// cellOf returns the mean colour of a cell in a picture of 24 rows and 80 columns, surrounded
// by a margin.
func cellOf(m image.Image, margin, row, col int) mean {
	b := m.Bounds().Inset(margin)
	var out mean
	n := 0.0
	for y := b.Dy() * row / 24; y < b.Dy()*(row+1)/24; y++ {
		for x := b.Dx() * col / 80; x < b.Dx()*(col+1)/80; x++ {
			r, g, bl, _ := m.At(b.Min.X+x, b.Min.Y+y).RGBA()
			out[0] += float64(r >> 8)
			out[1] += float64(g >> 8)
			out[2] += float64(bl >> 8)
			n++
		}
	}
	for i := range out {
		out[i] /= n
	}
	return out
}

// maxFar is the largest allowed difference between two means in a channel. Fonts are smoothed
// differently, and cell heights differ a little.
const maxFar = 36

// far reports whether two cells look different.
func (m mean) far(o mean) bool {
	for i := range m {
		if d := m[i] - o[i]; d > maxFar || d < -maxFar {
			return true
		}
	}
	return false
}
