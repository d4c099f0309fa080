package replay

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
	"github.com/glasstty/glasstty/session/eventlog"
)

// TestGIF draws an animation's frames over each other, as a viewer does. It checks that the result
// is the picture of the last screen, apart from the fewer colours.
func TestGIF(t *testing.T) {
	for _, name := range []string{"bash", "dialog", "reflow"} {
		rec := recordings(t)[name]
		l := newLive(t, &eventlog.MemStore{}, emulator.Size{Rows: rec.Rows, Cols: rec.Cols}, eventlog.Options{})
		for _, e := range rec.Events {
			l.at += 200 * time.Millisecond
			l.event(t, e)
		}
		var b bytes.Buffer
		tape := l.open(t).Recording()
		if err := tape.WriteGIF(&b, 1, time.Second); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		film, err := gif.DecodeAll(&b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		f := &animator{}
		if f.size, err = tape.largest(); err != nil {
			t.Fatal(err)
		}
		want, err := picture.Image(f.padded(l.term.Snapshot(0)), picture.Options{CellWidth: gifCell, Fonts: &picture.Fonts{}})
		if err != nil {
			t.Fatal(err)
		}
		seen := image.NewRGBA(want.Bounds())
		for _, frame := range film.Image {
			draw.Draw(seen, frame.Bounds(), frame, frame.Bounds().Min, draw.Over)
		}
		if n := unlike(seen, want); n > 0 || len(film.Image) < 3 {
			t.Errorf("%s: %d frames, %d colour values of the last screen differ", name, len(film.Image), n)
		}
	}
}

// unlike counts the colour values of pixels that differ by more than the fewer colours explain.
func unlike(a, b *image.RGBA) int {
	const near = 24
	n := 0
	for i := range a.Pix {
		if d := int(a.Pix[i]) - int(b.Pix[i]); d > near || d < -near {
			n++
		}
	}
	return n
}

// TestGIFIsBounded checks the error for a recording that is longer than an animation may be.
func TestGIFIsBounded(t *testing.T) {
	var cast strings.Builder
	cast.WriteString(`{"version":3,"term":{"cols":4,"rows":1}}` + "\n")
	for i := range MaxFrames + 100 {
		fmt.Fprintf(&cast, "[0.2,\"o\",\"\\r%d\"]\n", i%1000)
	}
	tape, err := ReadCast(strings.NewReader(cast.String()), emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := tape.WriteGIF(&b, 1, time.Second); !errors.Is(err, ErrCut) || !strings.Contains(err.Error(), fmt.Sprint(MaxFrames, " frames")) {
		t.Errorf("%v, want ErrCut", err)
	}
	if film, err := gif.DecodeAll(&b); err != nil || len(film.Image) != MaxFrames {
		t.Errorf("%d frames, %v", len(film.Image), err)
	}
	if tape, err = readCast(strings.NewReader(cast.String()), emulator.Options{}, cast.Len()-1); !errors.Is(err, ErrCast) {
		t.Errorf("a file that is too long: %v, %v", tape, err)
	}
}
