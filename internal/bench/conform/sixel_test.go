package conform

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
	"github.com/glasstty/glasstty/internal/need"
)

// sixels are images that are compared with xterm: opaque and transparent ones,
// declared and implied sizes, and all kinds of colours. The hues are multiples of a
// sixth of the circle, because xterm 379 rounds hues to these.
var sixels = map[string]string{
	"registers":   "\x1bPq#1!20~#2!20~#3!20~#4!10~#5!10~#6!10~#7!10~#8!10~#15!10~-#20!20~#9!20@#10!10?#11!10~\x1b\\",
	"percent":     "\x1bPq#1;2;99;13;33#2;2;1;50;98#1!20~#2!20~\x1b\\",
	"hue":         "\x1bPq#1;1;0;50;100#2;1;120;50;60#3;1;240;60;90#4;1;300;10;30#6;1;60;80;70#1!20~#2!20~#3!20~#4!20~\x1b\\",
	"opaque":      "\x1bP0;0q\"1;1;60;30#1!20@-!30~\x1b\\",
	"transparent": "\x1bP0;1q\"1;1;60;30#1!20@-!30~\x1b\\",
	"no size":     "\x1bP0;0q#0;2;0;100;0#1!20@-!30~\x1b\\",
	"aspect":      "\x1bP2;0q#1!20~-!30~\x1b\\",
	"raster":      "\x1bPq\"2;1;10;10#1!20~-!30~$#2!5B\x1b\\",
	"overprint":   "\x1bP;1q#1!20~$#2!10@#3!10_$-#4!3?!9N\x1b\\",
}

// randomSixel returns an image of random bands.
func randomSixel(r *rand.Rand) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\x1bP0;%dq", r.IntN(2))
	if r.IntN(2) == 0 {
		fmt.Fprintf(&b, "\"1;1;%d;%d", 1+r.IntN(120), 1+r.IntN(60))
	}
	for i := range 6 {
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, "#%d;2;%d;%d;%d", i, r.IntN(101), r.IntN(101), r.IntN(101))
		}
	}
	for range 40 {
		switch r.IntN(8) {
		case 0:
			b.WriteByte('-')
		case 1:
			b.WriteByte('$')
		case 2, 3:
			fmt.Fprintf(&b, "#%d", r.IntN(6))
		case 4, 5:
			fmt.Fprintf(&b, "!%d%c", r.IntN(40), '?'+r.IntN(64))
		default:
			b.WriteByte(byte('?' + r.IntN(64)))
		}
	}
	return b.String() + "\x1b\\"
}

// TestSixelXTerm checks that sixel images have the same pixels as in xterm.
func TestSixelXTerm(t *testing.T) {
	xterm, xvfb, xwd := need.Program(t, "xterm"), need.Program(t, "Xvfb"), need.Program(t, "xwd")
	x, err := StartXServer(xvfb)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	ground := picture.Background.String()
	term, err := StartXTerm(xterm, x, 50, 100, "-ti", "vt340", "-bw", "0", "-bg", ground, "-fg", ground, "-cr", ground)
	if err != nil {
		t.Fatal(err)
	}
	defer term.Close()
	cases := map[string]string{}
	for name, s := range sixels {
		cases[name] = s
	}
	for i := range uint64(30) {
		cases[fmt.Sprint("random ", i)] = randomSixel(rand.New(rand.NewPCG(i, 7)))
	}
	const w, h = 130, 120
	for name, s := range cases {
		if err := term.write([]byte("\x1b[?25l\x1b[2J\x1b[H" + s)); err != nil {
			t.Fatal(err)
		}
		if _, err := term.ask(""); err != nil {
			t.Fatal(err)
		}
		want, err := screenshot(xwd, x)
		if err != nil {
			t.Fatal(err)
		}
		ours := emulator.New(emulator.Options{})
		ours.Write([]byte("\x1b[?25l" + s))
		got, err := picture.Image(ours.Snapshot(0), picture.Options{CellWidth: emulator.CellWidth})
		if err != nil {
			t.Fatal(err)
		}
		differ, first := 0, image.Point{}
		for y := range h {
			for x := range w {
				a, b := got.RGBAAt(x+emulator.CellWidth, y+emulator.CellWidth), want(x, y)
				if a != b {
					if differ++; differ == 1 {
						first = image.Pt(x, y)
					}
				}
			}
		}
		if differ > 0 {
			t.Errorf("%s: %d pixels differ from xterm, the first at %v: got %v, want %v\n%q", name, differ, first,
				got.RGBAAt(first.X+emulator.CellWidth, first.Y+emulator.CellWidth), want(first.X, first.Y), s)
		}
	}
}

// screenshot returns the pixels of the screen, from the XWD format of xwd(1) with
// 32 bits per pixel.
func screenshot(xwd string, x *XServer) (func(x, y int) color.RGBA, error) {
	cmd := exec.Command(xwd, "-root", "-silent", "-display", x.Display())
	data, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var head struct{ Size, Version, Format, Depth, Width, Height, Offset, ByteOrder, Unit, BitOrder, Pad, Bits, Line, Class, Red, Green, Blue, BitsRGB, Entries, Colors uint32 }
	if err := binary.Read(bytes.NewReader(data), binary.BigEndian, &head); err != nil {
		return nil, err
	}
	from := int(head.Size + head.Colors*12)
	if head.Bits != 32 || head.ByteOrder != 0 || from+int(head.Line*head.Height) > len(data) {
		return nil, fmt.Errorf("%d bits a pixel, byte order %d", head.Bits, head.ByteOrder)
	}
	return func(x, y int) color.RGBA {
		p := data[from+y*int(head.Line)+4*x:]
		return color.RGBA{p[2], p[1], p[0], 255}
	}, nil
}
