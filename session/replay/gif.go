package replay

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
	"github.com/glasstty/glasstty/session/eventlog"
)

// Limits and sizes of an animation.
const (
	MaxFrames = 1500                   // maximum number of frames
	minFrame  = 100 * time.Millisecond // minimum time between two frames
	lastFrame = 3 * time.Second        // time for which the last frame is shown
	maxGIF    = 256 << 20              // maximum number of pixels of all frames together
	gifCell   = 8                      // width of a cell in pixels
	gifColors = 256                    // maximum number of colours of a frame
	gifUnit   = 10 * time.Millisecond  // unit of a frame's duration
)

// An animator adds a frame to an animation whenever the screen has changed.
type animator struct {
	opt    picture.Options
	out    gif.GIF
	size   emulator.Size      // the largest number of rows, and of columns, in the recording
	shown  *emulator.Snapshot // the screen of the last frame; nil before the first
	last   *image.RGBA        // the picture of shown
	pixels int                // number of pixels of all frames
	began  int                // when the last frame began, in hundredths of a second
}

// WriteGIF writes a recording as an animated GIF. It shortens pauses longer than idle to idle, and then
// plays the recording speed times as fast. A frame contains only the rows of pixels that change. If the
// recording is too long for an animation, WriteGIF writes its beginning, and the error wraps ErrCut.
func (t *Recording) WriteGIF(w io.Writer, speed float64, idle time.Duration) error {
	f := &animator{opt: picture.Options{CellWidth: gifCell, Fonts: &picture.Fonts{}, Images: &picture.Images{}}}
	var err error
	if f.size, err = t.largest(); err != nil {
		return err
	}
	cut := f.addFrames(t, speed, idle)
	if cut != nil && !errors.Is(cut, ErrCut) {
		return cut
	}
	if n := len(f.out.Delay); n > 0 {
		f.out.Delay[n-1] = int(lastFrame / gifUnit)
	}
	if err := gif.EncodeAll(w, &f.out); err != nil {
		return err
	}
	return cut
}

// largest returns the largest number of rows, and the largest number of columns, of the recording's screen.
func (t *Recording) largest() (emulator.Size, error) {
	size := t.Start().Size()
	for e, err := range t.Events {
		if err != nil {
			return size, err
		}
		if e.Kind == eventlog.Resize {
			size.Rows, size.Cols = max(size.Rows, e.Rows), max(size.Cols, e.Cols)
		}
	}
	size.Rows, size.Cols = min(size.Rows, emulator.MaxRows), min(size.Cols, emulator.MaxCols)
	return size, nil
}

// addFrames plays a recording and adds its frames.
func (f *animator) addFrames(t *Recording, speed float64, idle time.Duration) error {
	term := t.Start()
	last := t.Began
	var clock time.Duration // time of the present event in the animation
	var since time.Duration // clock at the previous event
	var next time.Duration  // earliest time of the next frame in the animation
	for e, err := range t.Events {
		if err != nil {
			return err
		}
		clock += time.Duration(float64(min(max(e.At-last, 0), idle)) / speed)
		last = e.At
		if at := max(since, next); clock > at {
			if err := f.frame(term.Snapshot(0), at); err != nil {
				return err
			}
			next = at + minFrame
		}
		Apply(term, &e, false)
		since = clock
	}
	return f.frame(term.Snapshot(0), max(since, next))
}

// frame adds a frame that is shown from the time at, if the screen has changed or first shows text.
func (f *animator) frame(shot *emulator.Snapshot, at time.Duration) error {
	if f.shown == nil {
		if shot.Text() == "" {
			return nil // an animation begins when the screen first shows text
		}
		f.began = int(at / gifUnit)
	} else {
		if f.shown.Revision == shot.Revision {
			return nil
		}
		// The previous frame is shown until now.
		n := len(f.out.Delay) - 1
		f.out.Delay[n] = max(int(at/gifUnit)-f.began, 1)
		f.began += f.out.Delay[n]
	}
	if len(f.out.Image) >= MaxFrames {
		return fmt.Errorf("%w after %d frames, %.1f s", ErrCut, MaxFrames, at.Seconds())
	}
	img, err := picture.Image(f.padded(shot), f.opt)
	if err != nil {
		return err
	}
	part := changed(img, f.last)
	if f.pixels += part.Dx() * part.Dy(); f.pixels > maxGIF {
		return fmt.Errorf("%w after %d frames, %.1f s: it would have more than %d pixels", ErrCut, len(f.out.Image), at.Seconds(), maxGIF)
	}
	f.out.Image = append(f.out.Image, paletted(img, f.last, part))
	f.out.Delay = append(f.out.Delay, 0)
	f.out.Disposal = append(f.out.Disposal, gif.DisposalNone)
	f.shown, f.last = shot, img
	return nil
}

// padded returns a screen padded with blanks to the largest size.
func (f *animator) padded(shot *emulator.Snapshot) *emulator.Snapshot {
	if shot.Size == f.size {
		return shot
	}
	big := *shot
	big.Size, big.Screen = f.size, make([]emulator.Row, f.size.Rows)
	for i := range big.Screen {
		cells := make([]emulator.Cell, f.size.Cols)
		for c := range cells {
			cells[c].Width = 1
		}
		if i < len(shot.Screen) {
			copy(cells, shot.Screen[i].Cells)
		}
		big.Screen[i].Cells = cells
	}
	return &big
}

// changed returns the part of a picture that differs from last, in whole rows of pixels, at least
// one row. If last is nil, it returns the whole picture.
func changed(img, last *image.RGBA) image.Rectangle {
	part := img.Bounds()
	if last == nil {
		return part
	}
	same := func(y int) bool {
		from, to := img.PixOffset(part.Min.X, y), img.PixOffset(part.Max.X, y)
		return bytes.Equal(img.Pix[from:to], last.Pix[from:to])
	}
	for part.Dy() > 1 && same(part.Min.Y) {
		part.Min.Y++
	}
	for part.Dy() > 1 && same(part.Max.Y-1) {
		part.Max.Y--
	}
	return part
}

// paletted returns a part of a picture in its most frequent colours, with other colours replaced by
// the nearest of these. Pixels that are the same in last, the previous picture, become transparent,
// which takes less space. last may be nil.
func paletted(img, last *image.RGBA, part image.Rectangle) *image.Paletted {
	same := func(int, int) bool { return false }
	if last != nil {
		same = func(x, y int) bool {
			at := img.PixOffset(x, y)
			return bytes.Equal(img.Pix[at:at+3], last.Pix[at:at+3])
		}
	}
	count := map[uint16]int{}
	each(img, part, func(x, y int, c uint16) {
		if !same(x, y) {
			count[c]++
		}
	})
	colors := slices.SortedFunc(maps.Keys(count), func(a, b uint16) int {
		return cmp.Or(count[b]-count[a], int(a)-int(b))
	})
	n := min(len(colors), gifColors-1)
	palette := color.Palette{color.RGBA{}} // transparent
	for _, c := range colors[:n] {
		palette = append(palette, fullColor(c))
	}
	index := make(map[uint16]uint8, len(colors))
	for i, c := range colors {
		if i < n {
			index[c] = uint8(i + 1)
		} else {
			index[c] = uint8(1 + palette[1:].Index(fullColor(c)))
		}
	}
	out := image.NewPaletted(part, palette)
	each(img, part, func(x, y int, c uint16) {
		if !same(x, y) {
			out.Pix[out.PixOffset(x, y)] = index[c]
		}
	})
	return out
}

// each calls f with the position and the colour of every pixel of a part. A colour has five bits per channel.
func each(img *image.RGBA, part image.Rectangle, f func(x, y int, c uint16)) {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		at := img.PixOffset(part.Min.X, y)
		for x := part.Min.X; x < part.Max.X; x++ {
			p := img.Pix[at : at+3 : at+3]
			f(x, y, uint16(p[0]>>3)<<10|uint16(p[1]>>3)<<5|uint16(p[2]>>3))
			at += 4
		}
	}
}

// fullColor returns c, a colour with five bits per channel, with eight bits per channel.
func fullColor(c uint16) color.RGBA {
	scale := func(v uint16) uint8 { return uint8(v<<3 | v>>2) }
	return color.RGBA{scale(c >> 10 & 31), scale(c >> 5 & 31), scale(c & 31), 255}
}
