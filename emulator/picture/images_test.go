package picture

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator"
)

// gradient returns an image in which every pixel has a different colour.
func gradient(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetRGBA(x, y, color.RGBA{uint8(x), uint8(y), 200, 255})
		}
	}
	return img
}

// shown returns a terminal that shows a gradient image from row 1, column 3.
func shown(t *testing.T, w, h int, keys string) *emulator.Terminal {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, gradient(w, h)); err != nil {
		t.Fatal(err)
	}
	term := emulator.New(emulator.Options{Size: emulator.Size{Rows: 8, Cols: 20}})
	fmt.Fprintf(term, "\x1b[2;4H\x1b_Ga=T,f=100%s;%s\x1b\\\r\nend\x1b[?25l", keys, base64.StdEncoding.EncodeToString(b.Bytes()))
	return term
}

// TestPNGImage checks that an image is drawn pixel by pixel if cells have the
// size that programs are told, and with its mean colours at other cell sizes.
func TestPNGImage(t *testing.T) {
	term := shown(t, 45, 50, "")
	img, err := Image(term.Snapshot(0), Options{CellWidth: 10})
	if err != nil {
		t.Fatal(err)
	}
	want := gradient(45, 50)
	at := image.Pt(10+3*10, 10+20) // with a margin of one cell width
	for y := range 50 {
		for x := range 45 {
			if got := img.RGBAAt(at.X+x, at.Y+y); got != want.RGBAAt(x, y) {
				t.Fatalf("pixel %d,%d is %v, want %v", x, y, got, want.RGBAAt(x, y))
			}
		}
	}
	if got := img.RGBAAt(at.X+46, at.Y); got != Background.opaque() {
		t.Errorf("the pixel right of the image is %v", got)
	}
	for _, width := range []int{6, 8, 16, 32} {
		img, err := Image(term.Snapshot(0), Options{CellWidth: width})
		if err != nil {
			t.Fatal(err)
		}
		at := image.Pt(width+3*width, width+2*width)
		for y := 1; y < 49; y += 7 {
			for x := 1; x < 44; x += 7 {
				got := img.RGBAAt(at.X+x*width/10, at.Y+y*width/10)
				if want := want.RGBAAt(x, y); near(got.R, want.R) > 2 || near(got.G, want.G) > 2 || got.B != 200 {
					t.Errorf("width %d: pixel %d,%d is %v, want about %v", width, x, y, got, want)
				}
			}
		}
	}
}

func near(a, b uint8) int { return max(int(a), int(b)) - min(int(a), int(b)) }

// TestRegionOfImage checks a picture of one cell in the middle of an image.
func TestRegionOfImage(t *testing.T) {
	snap := shown(t, 60, 60, "").Snapshot(0)
	img, err := Image(snap, Options{CellWidth: 10, Region: &Region{Row: 2, Col: 5, Rows: 1, Cols: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := img.RGBAAt(10, 10), gradient(60, 60).RGBAAt(20, 20); got != want {
		t.Errorf("the first pixel is %v, want %v", got, want)
	}
}

// TestImageFormats checks that SVG and HTML contain the image once, and text
// contains its label.
func TestImageFormats(t *testing.T) {
	snap := shown(t, 160, 100, "").Snapshot(0)
	url := regexp.MustCompile(`data:image/png;base64,([A-Za-z0-9+/=]+)`)
	for name, write := range map[string]func(io.Writer, *emulator.Snapshot, Options) error{"svg": SVG, "html": HTML} {
		var b bytes.Buffer
		if err := write(&b, snap, Options{}); err != nil {
			t.Fatal(err)
		}
		found := url.FindAllStringSubmatch(b.String(), -1)
		if len(found) != 1 {
			t.Fatalf("%s contains the image %d times, want once", name, len(found))
		}
		data, err := base64.StdEncoding.DecodeString(found[0][1])
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil || img.Bounds().Size() != image.Pt(160, 100) || img.At(5, 7) != gradient(160, 100).At(5, 7) {
			t.Errorf("%s contains a different image: %v %v", name, img.Bounds(), err)
		}
		if strings.Contains(b.String(), "[image") {
			t.Errorf("%s contains the label in addition to the image", name)
		}
	}
	var b bytes.Buffer
	if err := Text(&b, snap, Options{}); err != nil || b.String() != "\n   [image 160×100]\n\n\n\n\nend" {
		t.Errorf("Text: got %q, %v", b.String(), err)
	}
}

// TestBrokenImage checks that an image that cannot be decoded is shown as its
// label.
func TestBrokenImage(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, gradient(160, 20)); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()[:b.Len()/2]
	broken := emulator.New(emulator.Options{Size: emulator.Size{Rows: 2, Cols: 20}})
	fmt.Fprintf(broken, "\x1b_Ga=T,f=100;%s\x1b\\\x1b[?25l", base64.StdEncoding.EncodeToString(data))
	text := emulator.New(emulator.Options{Size: emulator.Size{Rows: 2, Cols: 20}})
	text.Write([]byte("[image 160×20]\x1b[?25l"))
	for name, write := range map[string]func(io.Writer, *emulator.Snapshot, Options) error{"svg": SVG, "html": HTML, "png": PNG, "text": Text} {
		var got, want bytes.Buffer
		if err := write(&got, broken.Snapshot(0), Options{}); err != nil {
			t.Fatal(err)
		}
		if err := write(&want, text.Snapshot(0), Options{}); err != nil {
			t.Fatal(err)
		}
		if name == "html" { // HTML may differ, as the label has its own span
			if !strings.Contains(got.String(), "[image 160×20]") {
				t.Errorf("html: %s", got.String())
			}
		} else if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("%s differs from a picture of the label", name)
		}
	}
}

// TestManyImages checks that a screen is drawn even if its images have far more
// pixels than maxImagePixels.
func TestManyImages(t *testing.T) {
	term := emulator.New(emulator.Options{Size: emulator.Size{Rows: 40, Cols: 80}})
	for i := range 300 { // 16 million pixels each, in one cell
		fmt.Fprintf(term, "\x1b_Gi=%d,a=T,f=24,s=4096,v=4096,o=z,c=1,r=1,q=2;eA==\x1b\\", i+1)
		fmt.Fprintf(term, "\x1bP0;1q\"1;1;4000;4000~\x1b\\\x1b[H")
	}
	img, err := Image(term.Snapshot(0), Options{})
	if err != nil || img.Rect.Empty() {
		t.Error(err)
	}
}

// TestSmallImageAfterLargeOnes checks that an image is shown although others, which are drawn before
// it, have more pixels than maxImagePixels.
func TestSmallImageAfterLargeOnes(t *testing.T) {
	term := emulator.New(emulator.Options{Size: emulator.Size{Rows: 2, Cols: 20}})
	for i := range maxImagePixels/(4000*4000) + 1 {
		fmt.Fprintf(term, "\x1b_Gi=%d,a=T,f=24,s=4000,v=4000,o=z,c=1,r=1,q=2;eA==\x1b\\", i+1)
	}
	term.Write([]byte("\x1b_Gi=9,a=T,f=24,s=1,v=1,c=1,r=1,q=2;/wAA\x1b\\\x1b[?25l"))
	img, err := Image(term.Snapshot(0), Options{})
	if err != nil {
		t.Fatal(err)
	}
	red := 0
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if img.RGBAAt(x, y) == (color.RGBA{255, 0, 0, 255}) {
				red++
			}
		}
	}
	if red < 100 {
		t.Errorf("%d red pixels, want those of a cell", red)
	}
}

// TestFinalSnapshotKeepsImages checks that FinalSnapshot does not remove rows
// that show part of an image.
func TestFinalSnapshotKeepsImages(t *testing.T) {
	snap := FinalSnapshot(shown(t, 160, 100, ",C=1").Snapshot(0))
	if snap.Size.Rows != 6 {
		t.Errorf("got %d rows, want 6", snap.Size.Rows)
	}
}
