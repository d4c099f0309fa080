package graphics

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"golang.org/x/image/tiff"
)

// pixelsOf returns an image as text with one letter per pixel; "." is
// transparent.
func pixelsOf(m *Image) string {
	img, err := m.Decode()
	if err != nil {
		return err.Error()
	}
	names := map[color.RGBA]byte{{255, 0, 0, 255}: 'r', {0, 255, 0, 255}: 'g', {0, 0, 255, 255}: 'b', {0, 0, 0, 255}: 'k', {}: '.', {255, 255, 255, 255}: 'w'}
	var b strings.Builder
	for y := range img.Rect.Dy() {
		if y > 0 {
			b.WriteByte('/')
		}
		for x := range img.Rect.Dx() {
			c, ok := names[img.RGBAAt(x, y)]
			if !ok {
				c = '?'
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

// TestSixel checks the pixels of sixel images.
func TestSixel(t *testing.T) {
	const rgb = "#1;2;100;0;0#2;2;0;100;0#3;2;0;0;100"
	for _, tt := range []struct{ name, data, want string }{
		{"one colour", rgb + "#1@AC", "r../.r./..r"},
		{"repeat", rgb + "#2!3@", "ggg"},
		{"repeat of nothing", rgb + "#2!0@@", "g"},
		{"next line and return", rgb + "#1@@$#2?@-#3@", "rg/../../../../../b."},
		{"raster", rgb + "\"1;1;3;2#1@", "r../..."},
		{"beyond the raster", rgb + "\"1;1;1;1#1@@-@", "rr/../../../../../r."},
		{"hue", "#1;1;120;50;100#2;1;240;50;100#3;1;0;50;100#1@#2@#3@", "rgb"},
		{"colour by default", "#3;2;0;0;100@", "b"},
		{"above 100 percent", "#3;2;900;0;0@", "r"},
		{"more colours than registers", "#3;2;100;0;0@#3;2;0;100;0@", "rg"},
		{"junk between", rgb + "#1@\r\n \x80@", "rr"},
	} {
		m, err := NewSixel([]byte(tt.data), true)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := pixelsOf(m); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	m, err := NewSixel([]byte(rgb+"\"1;1;1;1#1A@"), false)
	if err != nil || pixelsOf(m) != "kr/r." {
		t.Errorf("opaque image: got %s, %v", pixelsOf(m), err)
	}
}

// TestSixelRefuses checks that sixel images that exceed a limit are refused
// before their pixels are drawn.
func TestSixelRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, data string
		want       error
	}{
		{"nothing", "", ErrData},
		{"only blanks", "???-???", ErrData},
		{"raster", "\"1;1;1000000;1000000@", ErrLimit},
		{"overflow", "\"1;1;99999999999999999999;1@", ErrLimit},
		{"repeat", "!1000000000~", ErrLimit},
		{"lines", strings.Repeat("-", 2000) + "~", ErrLimit},
		{"area", "!9000~" + strings.Repeat("-", 1500) + "~", ErrLimit},
		{"the same again and again", strings.Repeat("!10000~$", 2000), ErrLimit},
	} {
		_, err := NewSixel([]byte(tt.data), true)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

// sample returns an image of four pixels in every file format that programs
// send.
func sample(t testing.TB) map[string][]byte {
	t.Helper()
	src := image.NewPaletted(image.Rect(0, 0, 2, 2), color.Palette{color.RGBA{255, 0, 0, 255}, color.RGBA{0, 255, 0, 255}, color.RGBA{0, 0, 255, 255}, color.White})
	copy(src.Pix, []byte{0, 1, 2, 3})
	out := map[string][]byte{}
	for name, encode := range map[string]func(*bytes.Buffer) error{
		"png":  func(b *bytes.Buffer) error { return png.Encode(b, src) },
		"gif":  func(b *bytes.Buffer) error { return gif.Encode(b, src, nil) },
		"tiff": func(b *bytes.Buffer) error { return tiff.Encode(b, src, &tiff.Options{Compression: tiff.Deflate}) },
		"jpeg": func(b *bytes.Buffer) error { return jpeg.Encode(b, src, nil) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		out[name] = b.Bytes()
	}
	return out
}

// TestFiles checks the pixels of image files.
func TestFiles(t *testing.T) {
	for name, data := range sample(t) {
		m, err := NewFile(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := pixelsOf(m); name != "jpeg" && got != "rg/bw" || len(got) != 5 {
			t.Errorf("%s: got pixels %s", name, got)
		}
		half := data[:len(data)/2]
		if m, err := NewFile(half); err == nil {
			if _, err := m.Decode(); !errors.Is(err, ErrData) {
				t.Errorf("truncated %s: %v", name, err)
			}
		}
	}
}

// TestAnimation checks that a GIF with many frames is decoded to its first
// frame, without the time and memory for the others.
func TestAnimation(t *testing.T) {
	still, err := gif.Decode(bytes.NewReader(sample(t)["gif"]))
	if err != nil {
		t.Fatal(err)
	}
	film := gif.GIF{Image: []*image.Paletted{still.(*image.Paletted)}, Delay: []int{1}}
	frame := image.NewPaletted(image.Rect(0, 0, 1, 1), color.Palette{color.Black})
	for range 5000 {
		film.Image, film.Delay = append(film.Image, frame), append(film.Delay, 1)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &film); err != nil {
		t.Fatal(err)
	}
	m, err := NewFile(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if got := pixelsOf(m); got != "rg/bw" {
		t.Errorf("the first frame of a file of %d bytes is %q", b.Len(), got)
	}
	if n := testing.AllocsPerRun(1, func() { pixelsOf(m) }); n > 1000 {
		t.Errorf("decoding one frame needs %v allocations", n)
	}
}

// TestFilesRefused checks that files that would take too much memory or time to decode
// are refused.
func TestFilesRefused(t *testing.T) {
	bomb := bytes.Clone(sample(t)["png"])
	copy(bomb[16:], "\x00\x01\x00\x00\x00\x01\x00\x00") // 65536×65536
	huge := bytes.Clone(sample(t)["gif"])
	copy(huge[6:], "\xff\xff\xff\xff")
	scans := append(bytes.Clone(sample(t)["jpeg"]), bytes.Repeat([]byte{0xff, 0xda, 0, 0}, 1000)...)
	for name, data := range map[string][]byte{"png": bomb, "gif": huge, "jpeg": scans} {
		if _, err := NewFile(data); err == nil || errors.Is(err, ErrData) && name != "png" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewFile([]byte("#!/bin/sh")); !errors.Is(err, ErrData) {
		t.Errorf("a script: got error %v, want ErrData", err)
	}
}

// deflate compresses data for kitty's o=z.
func deflate(b []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

// command parses a complete kitty command.
func command(t *testing.T, s string) (Command, error) {
	t.Helper()
	var u Upload
	c, err := ParseCommand([]byte(s))
	c, done, err := u.Add(c, err)
	if !done {
		t.Fatalf("the command %.40q is incomplete", s)
	}
	return c, err
}

// TestCommandImages checks the pixels of kitty's formats.
func TestCommandImages(t *testing.T) {
	rgb := []byte{255, 0, 0, 0, 255, 0}
	rgba := []byte{255, 0, 0, 255, 0, 0, 0, 0}
	for _, tt := range []struct {
		keys string
		data []byte
		want string
	}{
		{"f=24,s=2,v=1", rgb, "rg"},
		{"f=24,s=1,v=2,o=z", deflate(rgb), "r/g"},
		{"s=2,v=1", rgba, "r."},
		{"f=32,s=2,v=1,o=z", deflate(rgba), "r."},
		{"f=100", sample(t)["png"], "rg/bw"},
		{"f=100,o=z", deflate(sample(t)["png"]), "rg/bw"},
	} {
		c, err := command(t, tt.keys+";"+base64.StdEncoding.EncodeToString(tt.data))
		if err != nil {
			t.Errorf("%s: %v", tt.keys, err)
			continue
		}
		m, err := c.Image()
		if err != nil {
			t.Errorf("%s: %v", tt.keys, err)
			continue
		}
		if got := pixelsOf(m); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.keys, got, tt.want)
		}
	}
	for _, bad := range []string{
		"f=24,s=2,v=1;AAAA", "f=24,s=1000000,v=1000000,o=z;AAAA", "s=4294967296,v=1;AAAA", "f=7,s=1,v=1;AAAA",
		"f=100;AAAA", "t=f;L2V0Yy9wYXNzd2Q=", "t=s,s=1,v=1;eA==", "f=24,s=1,v=1;!!!!", "s=-1,v=1;AAAA", "o=q,s=1,v=1;AAAA",
		"s=1,v=1;", "xyz;AAAA", "f=24,s=0,v=0;",
	} {
		c, err := command(t, bad)
		if err == nil {
			_, err = c.Image()
		}
		if err == nil {
			t.Errorf("%s: got no error", bad)
		}
	}
	c, err := command(t, "f=24,s=4000,v=4000,o=z;"+base64.StdEncoding.EncodeToString(deflate(make([]byte, 100<<20))))
	if err != nil {
		t.Fatal(err)
	}
	if m, err := c.Image(); err != nil || !strings.Contains(pixelsOf(m), "more than") {
		t.Errorf("a compression bomb: got error %v", err)
	}
}

// TestUpload checks that chunks are joined, and that uploads that do not end
// are dropped.
func TestUpload(t *testing.T) {
	var u Upload
	add := func(s string) (Command, bool, error) {
		c, err := ParseCommand([]byte(s))
		return u.Add(c, err)
	}
	add("i=3,a=T,f=24,s=1,v=1,m=1;AA")
	add("m=1;AA")
	c, done, err := add("m=0;AA")
	if !done || err != nil || c.ID != 3 || c.Action != 'T' || len(c.Payload) != 3 {
		t.Errorf("three chunks: %+v %v %v", c, done, err)
	}
	chunk := "m=1;" + strings.Repeat("A", 1<<20)
	add("i=4,s=1,v=1,m=1;AAAA")
	for range 100 {
		add(chunk)
	}
	if len(u.First.Payload) != 0 {
		t.Errorf("an upload that does not end keeps %d bytes", len(u.First.Payload))
	}
	if c, done, err := add("m=0;"); !done || !errors.Is(err, ErrData) || c.ID != 4 {
		t.Errorf("after too many chunks: got %+v %v %v", c, done, err)
	}
	add("i=9,a=T,f=24,s=2,v=1,m=1;AAAA")
	if c, done, err := add("i=9,a=T,f=24,s=2,v=1,m=0;AAAA"); !done || err != nil || len(c.Payload) != 6 {
		t.Errorf("chunks that repeat all keys: got %+v %v %v", c, done, err)
	}
	add("i=5,s=1,v=1,m=1;AAAA")
	if c, done, err := add("i=6,f=24,s=1,v=1;AAAA"); !done || err != nil || c.ID != 6 {
		t.Errorf("after an abandoned upload: got %+v %v %v", c, done, err)
	}
}

// TestPlace checks the cells that placements cover.
func TestPlace(t *testing.T) {
	m := &Image{format: formatRGB, size: image.Pt(100, 50), data: []byte{}}
	for _, tt := range []struct{ keys, want string }{
		{"i=1", "3x10 (0,0)-(100,50) of (0,0)-(100,50)"},
		{"i=1,X=5,Y=15", "4x11 (5,15)-(105,65) of (0,0)-(100,50)"},
		{"i=1,c=4", "1x4 (0,0)-(40,20) of (0,0)-(100,50)"},
		{"i=1,r=4", "4x16 (0,0)-(160,80) of (0,0)-(100,50)"},
		{"i=1,c=2,r=3", "3x2 (0,0)-(20,60) of (0,0)-(100,50)"},
		{"i=1,x=10,y=10,w=20,h=20", "1x2 (0,0)-(20,20) of (10,10)-(30,30)"},
		{"i=1,x=90,w=50", "3x1 (0,0)-(10,50) of (90,0)-(100,50)"},
		{"i=1,U=1,c=10,r=10", "10x10 (0,75)-(100,125) of (0,0)-(100,50)"},
		{"i=1,x=200", "no"}, {"i=1,c=1001", "no"}, {"i=1,r=513", "no"}, {"i=1,X=10", "no"}, {"i=1,P=2", "no"},
	} {
		c, err := command(t, tt.keys)
		if err != nil {
			t.Fatal(err)
		}
		got := "no"
		if p, err := c.Place(m); err == nil {
			got = fmt.Sprintf("%dx%d %v of %v", p.Rows, p.Cols, p.Dest, p.Source)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.keys, got, tt.want)
		}
	}
	for _, tt := range []struct{ args, want string }{
		{"inline=1", "3x10 (0,0)-(100,50)"},
		{"width=4", "1x4 (0,0)-(40,20)"},
		{"height=4", "4x16 (0,0)-(160,80)"},
		{"width=4;height=4", "1x4 (0,0)-(40,20)"},
		{"width=4;height=4;preserveAspectRatio=0", "4x4 (0,0)-(40,80)"},
		{"width=50%", "5x20 (0,0)-(200,100)"},
		{"width=30px", "1x3 (0,0)-(30,15)"},
		{"width=auto;height=auto", "3x10 (0,0)-(100,50)"},
		{"width=5000", "no"}, {"width=x", "no"}, {"height=-1", "no"},
	} {
		got := "no"
		in, err := ParseInline(tt.args, 24, 40)
		if err == nil {
			var p *Placement
			if p, err = in.Place(m); err == nil {
				got = fmt.Sprintf("%dx%d %v", p.Rows, p.Cols, p.Dest)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.args, got, tt.want)
		}
	}
}

// TestDiacritics checks the numbers of the first and last of kitty's
// diacritics.
func TestDiacritics(t *testing.T) {
	for r, want := range map[rune]int{0x0305: 0, 0x030D: 1, 0x030E: 2, 0x1D244: 296, 'x': -1} {
		got, ok := DiacriticNumber(r)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%U: %d, want %d", r, got, want)
		}
	}
}

// TestStoreBounds checks that a Store keeps within its limits when it gets too
// many images and placements.
func TestStoreBounds(t *testing.T) {
	s := NewStore()
	live := map[uint16]bool{}
	every := func() map[uint16]bool { return live }
	for i := range 200 {
		m := &Image{format: formatFile, size: image.Pt(640, 480), data: make([]byte, 1<<20)}
		s.SetID(uint32(i+1), 0, m, every)
		p := PlaceSixel(m)
		n, ok := s.Add(p, every)
		if !ok {
			t.Fatalf("Add of image %d failed", i)
		}
		live[n] = true
		if s.bytes > MaxTotal {
			t.Fatalf("the store has %d bytes after %d images", s.bytes, i+1)
		}
	}
	if got := s.Placement(1); got == nil || got.Image.data != nil || got.Label(0, 1) != "i" {
		t.Errorf("the oldest placement lost its label or kept its pixels")
	}
	if _, err := s.Placement(1).Image.Decode(); !errors.Is(err, ErrData) {
		t.Errorf("decoding a dropped image: got error %v, want ErrData", err)
	}
	small := &Image{format: formatRGB, size: image.Pt(1, 1), data: []byte{1, 2, 3}}
	for i := range 1 << 17 {
		n, ok := s.Add(PlaceSixel(small), every)
		if len(s.placements) > maxPlaced || len(s.imageByID) > maxImages {
			t.Fatalf("the store has %d placements and %d images", len(s.placements), len(s.imageByID))
		}
		if ok && i < 50000 {
			live[n] = true
		} else if !ok && len(live) < 65535 {
			t.Fatalf("Add failed with only %d numbers in use", len(live))
		}
	}
}

// FuzzImages checks that an accepted image has a size within the limits and is
// decoded at this size or refused with ErrData, for every decoder.
func FuzzImages(f *testing.F) {
	for _, data := range sample(f) {
		f.Add(data)
	}
	for _, s := range []string{"#1;2;100;0;0#1~~@@vv$-!9~", "\"1;1;30;50#3!255?~-$", "a=T,f=24,s=1,v=1;AAAA", "i=1,U=1,c=3,x=2,w=9,m=1;AA"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var all []*Image
		if m, err := NewSixel(data, len(data)%2 == 0); err == nil {
			all = append(all, m)
		}
		if m, err := NewFile(data); err == nil {
			all = append(all, m)
		}
		if c, err := ParseCommand(data); err == nil {
			if m, err := c.Image(); err == nil {
				all = append(all, m)
				if p, err := c.Place(m); err == nil && (p.Rows > MaxRows || p.Cols > MaxCols || p.Rows < 1 || p.Cols < 1) {
					t.Errorf("a placement has %d×%d cells", p.Rows, p.Cols)
				}
			}
		}
		if in, err := ParseInline(string(data), 24, 80); err == nil {
			m := &Image{size: image.Pt(33, 77)}
			if p, err := in.Place(m); err == nil && (p.Rows > MaxRows || p.Cols > MaxCols) {
				t.Errorf("an inline image has %d×%d cells", p.Rows, p.Cols)
			}
		}
		for _, m := range all {
			if err := checkSize(m.size.X, m.size.Y); err != nil {
				t.Errorf("an image with an invalid size was accepted: %v", err)
			}
			if m.size.X*m.size.Y > 1<<20 {
				continue // too slow for a fuzz test
			}
			img, err := m.Decode()
			if err == nil && img.Rect.Size() != m.size || err != nil && !errors.Is(err, ErrData) {
				t.Errorf("decoded to %v, %v; want %v", img, err, m.size)
			}
			if err != nil && strings.Contains(err.Error(), "runtime error") {
				t.Errorf("a decoder panicked: %v", err)
			}
		}
	})
}
