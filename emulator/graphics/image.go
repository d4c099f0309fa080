package graphics

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/draw"
	_ "image/gif" // NewFile and Decode use the registered formats
	_ "image/jpeg"
	_ "image/png"
	"io"

	_ "golang.org/x/image/tiff" // sent by chafa to iTerm2
)

// A format is the format of an Image's data.
type format uint8

const (
	formatSixel       format = iota // undrawn pixels are transparent
	formatSixelOpaque               // undrawn pixels of the declared size have the colour of register 0
	formatFile                      // a PNG, JPEG, GIF or TIFF
	formatRGB
	formatRGBA
)

// An Image is an image as a program has sent it; Decode returns its pixels. Several goroutines may
// call the methods, even while a Store adds the Image.
type Image struct {
	format   format
	deflated bool // the data is compressed with zlib
	size     image.Point
	data     []byte // empty if the Store has dropped the pixels
	serial   uint64 // order of arrival in the Store; 0 if not added yet
}

// Size returns the image's size in pixels.
func (m *Image) Size() image.Point { return m.size }

// checkSize returns an error if w×h pixels are not a valid image size.
func checkSize(w, h int) error {
	if w < 1 || h < 1 {
		return fmt.Errorf("%w: size %d×%d pixels", ErrData, w, h)
	}
	if w > MaxSide || h > MaxSide || w*h > MaxPixels {
		return fmt.Errorf("%w: %d×%d pixels; the maximum is %d in each direction and %d in total", ErrLimit, w, h, MaxSide, MaxPixels)
	}
	return nil
}

// NewFile returns the image in data, a PNG, JPEG, GIF or TIFF file. For an animation it
// is the first frame.
func NewFile(data []byte) (*Image, error) {
	c, name, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrData, err)
	}
	if err := checkSize(c.Width, c.Height); err != nil {
		return nil, err
	}
	if name == "jpeg" && bytes.Count(data, []byte{0xff, 0xda}) > maxScans {
		return nil, fmt.Errorf("%w: a JPEG of more than %d scans", ErrLimit, maxScans)
	}
	return &Image{format: formatFile, size: image.Pt(c.Width, c.Height), data: data}, nil
}

// newRaw returns an image of raw pixels with 3 or 4 bytes each, which may be compressed
// with zlib.
func newRaw(data []byte, f format, w, h int, deflated bool) (*Image, error) {
	if err := checkSize(w, h); err != nil {
		return nil, err
	}
	m := &Image{format: f, size: image.Pt(w, h), data: data, deflated: deflated}
	if want := m.rawBytes(); !deflated && len(data) != want {
		return nil, fmt.Errorf("%w: %d bytes of pixels; want %d for %d×%d", ErrData, len(data), want, w, h)
	}
	return m, nil
}

// rawBytes returns the size of the pixels of a raw image in bytes.
func (m *Image) rawBytes() int {
	if m.format == formatRGB {
		return 3 * m.size.X * m.size.Y
	}
	return 4 * m.size.X * m.size.Y
}

// Decode returns the pixels. If the Store has dropped them, or decoding fails, the error wraps ErrData.
func (m *Image) Decode() (img *image.RGBA, err error) {
	defer func() {
		if r := recover(); r != nil { // a bug in a decoder must not crash the server
			img, err = nil, fmt.Errorf("%w: %v", ErrData, r)
		}
	}()
	switch {
	case len(m.data) == 0:
		return nil, fmt.Errorf("%w: the image is no longer stored", ErrData)
	case m.format <= formatSixelOpaque:
		return m.decodeSixel(), nil
	case m.format >= formatRGB:
		return m.decodeRaw()
	}
	src, _, err := image.Decode(bytes.NewReader(m.data))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrData, err)
	}
	dst := image.NewRGBA(image.Rectangle{Max: m.size})
	draw.Draw(dst, src.Bounds(), src, src.Bounds().Min, draw.Src)
	return dst, nil
}

// inflated returns the data, decompressed if necessary. It returns an error if decompression
// fails or gives more than limit bytes; limit does not apply to data that is not compressed.
func (m *Image) inflated(limit int) ([]byte, error) {
	if !m.deflated {
		return m.data, nil
	}
	r, err := zlib.NewReader(bytes.NewReader(m.data))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrData, err)
	}
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err == nil && len(data) > limit {
		err = fmt.Errorf("more than %d bytes", limit)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: decompress: %w", ErrData, err)
	}
	return data, nil
}

// decodeRaw decodes raw pixels.
func (m *Image) decodeRaw() (*image.RGBA, error) {
	want := m.rawBytes()
	data, err := m.inflated(want)
	if err != nil {
		return nil, err
	}
	if len(data) != want {
		return nil, fmt.Errorf("%w: %d bytes of pixels; want %d for %d×%d", ErrData, len(data), want, m.size.X, m.size.Y)
	}
	dst := image.NewRGBA(image.Rectangle{Max: m.size})
	if m.format == formatRGB {
		for i, j := 0, 0; i < len(data); i, j = i+3, j+4 {
			copy(dst.Pix[j:j+3], data[i:i+3])
			dst.Pix[j+3] = 0xff
		}
		return dst, nil
	}
	src := &image.NRGBA{Pix: data, Stride: 4 * m.size.X, Rect: dst.Rect}
	draw.Draw(dst, dst.Rect, src, image.Point{}, draw.Src)
	return dst, nil
}
