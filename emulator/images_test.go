package emulator

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator/graphics"
	"github.com/glasstty/glasstty/internal/need"
)

// sixelOf returns a sixel image of w×h pixels whose first pixel is red.
func sixelOf(w, h int) string {
	return fmt.Sprintf("\x1bP0;1q\"1;1;%d;%d#1;2;100;0;0#1@\x1b\\", w, h)
}

// TestImagesAreBounded checks that memory stays bounded when a program sends
// more and larger images than a terminal keeps, and that text written
// afterwards is drawn correctly.
func TestImagesAreBounded(t *testing.T) {
	need.Long(t)
	noise := make([]byte, 1<<20)
	for i, r := 0, rand.New(rand.NewPCG(1, 2)); i < len(noise); i++ {
		noise[i] = byte(r.Uint32())
	}
	megabyte := base64.StdEncoding.EncodeToString(noise)
	chunk := strings.Repeat("A", 4096)
	for _, tt := range []struct {
		name  string
		limit uint64 // MB
		write func(*Terminal)
	}{
		{"100 images of 1 MB", 40, func(term *Terminal) {
			for i := range 100 {
				fmt.Fprintf(term, "\x1b_Gi=%d,a=T,f=24,s=1024,v=341,o=z,c=4,r=2;%s\x1b\\", i+1, megabyte)
			}
		}},
		{"chunks that never end", 40, func(term *Terminal) {
			term.Write([]byte("\x1b_Gi=1,a=T,f=24,s=9,v=9,m=1;AAAA\x1b\\"))
			for range 20000 {
				term.Write([]byte("\x1b_Gm=1;" + chunk + "\x1b\\"))
			}
			term.Write([]byte("\x1b_Gm=0;\x1b\\"))
		}},
		{"parts that never end", 40, func(term *Terminal) {
			term.Write([]byte("\x1b]1337;MultipartFile=inline=1\a"))
			for range 20000 {
				term.Write([]byte("\x1b]1337;FilePart=" + chunk + "\a"))
			}
			term.Write([]byte("\x1b]1337;FileEnd\a"))
		}},
		{"ten thousand placements", 16, func(term *Terminal) {
			term.Write([]byte("\x1b_Gi=1,a=t,f=24,s=1,v=1;AAAA\x1b\\"))
			for i := range 10000 {
				fmt.Fprintf(term, "\x1b_Ga=p,i=1,p=%d,q=2\x1b\\\x1b[%dC", i+1, i%3)
			}
		}},
		{"a hundred thousand sixels", 24, func(term *Terminal) {
			for range 100000 {
				term.Write([]byte("\x1bPq~\x1b\\"))
			}
		}},
		{"names", 16, func(term *Terminal) {
			for i := range 10000 {
				fmt.Fprintf(term, "\x1b_GI=%d,a=t,f=24,s=1,v=1;AAAA\x1b\\", i+1)
				term.TakeReplies()
			}
		}},
		{"frames that never end", 4, func(term *Terminal) {
			term.Write([]byte("\x1b_Gi=1,a=t,f=24,s=1,v=1,q=2;AAAA\x1b\\"))
			for range 20000 {
				term.Write([]byte("\x1b_Ga=f,i=1,f=24,s=32,v=32,q=2;" + chunk + "\x1b\\"))
			}
			if n := len(term.Snapshot(0).Images); n != 0 {
				t.Errorf("%d images are shown, want none", n)
			}
		}},
		{"large ones", 4, func(term *Terminal) {
			for _, s := range []string{
				"\x1bPq\"1;1;1000000;1000000~\x1b\\", "\x1bPq!1000000~-!1000000~\x1b\\", "\x1bPq" + strings.Repeat("-", 1000000) + "~\x1b\\",
				"\x1b_Gi=1,a=T,f=24,s=1000000,v=1000000,o=z;AAAA\x1b\\", "\x1b_Gi=1,a=T,f=24,s=1,v=1,c=1000000,r=1000000;AAAA\x1b\\",
				"\x1b_Gi=1,a=T,f=100;" + base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x0f\x42\x40\x00\x0f\x42\x40\x08\x06\x00\x00\x00")) + "\x1b\\",
				"\x1b_Ga=f,i=1,f=24,s=1,v=1,r=2,z=40;AAAA\x1b\\", "\x1b_Ga=a,i=1,s=3,v=1000000\x1b\\", "\x1b_Ga=c,i=1,r=1,c=2\x1b\\", // animations
				"\x1b_Gi=1,a=T,f=24,s=1,v=1;%%%%\x1b\\", "\x1b]1337;File=inline=1:****\a", "\x1b]1337;File=inline=1;width=99999999:AAAA\a",
			} {
				term.Write([]byte(s))
				if n := len(term.Snapshot(0).Images); n != 0 {
					t.Errorf("%.40q shows %d images", s, n)
				}
				if p := term.Cursor().Point; p != (Point{}) {
					t.Errorf("%.40q moves the cursor to %v", s, p)
				}
			}
		}},
	} {
		term := New(Options{})
		t.Run(tt.name, func(t *testing.T) { hostile(t, term, tt.limit, func() { tt.write(term) }) })
	}
}

// TestImageInMidResize checks that resizes in the middle of an image and after
// it keep the state valid.
func TestImageInMidResize(t *testing.T) {
	term := New(Options{Size: Size{10, 40}})
	stream := sixelOf(300, 100) + "text" + "\x1b_Gi=1,a=T,f=24,s=1,v=1,c=30,r=4,m=1;AA\x1b\\\x1b_Gm=0;AA\x1b\\x\r\n"
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		for part := []byte(stream); len(part) > 0; {
			n := min(1+r.IntN(20), len(part))
			term.Write(part[:n])
			part = part[n:]
			term.Resize(Size{1 + r.IntN(30), 1 + r.IntN(90)})
		}
		checkInvariants(t, term)
	}
	term.Resize(Size{10, 40})
	term.Write([]byte("\x1b[H\x1b[2Jvalid"))
	if got := term.Snapshot(0).Text(); got != "valid" {
		t.Errorf("the text written afterwards is %q", got)
	}
}

// TestImageFollowsItsCells checks that the tiles of an image move with its
// cells: into the scrollback, to and from the alternate screen, through changes
// of width, and through a saved state.
func TestImageFollowsItsCells(t *testing.T) {
	term := New(Options{Size: Size{4, 20}})
	tiles := func(rows []Row) string {
		var b strings.Builder
		for _, r := range rows {
			for _, c := range r.Cells {
				if c.Tile.Placement == 0 {
					b.WriteByte('.')
				} else {
					fmt.Fprintf(&b, "%x", c.Tile.Row*3+c.Tile.Col)
				}
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
	want := func(what, rows string) {
		t.Helper()
		s := term.Snapshot(-1)
		if got := tiles(append(s.Scrollback, s.Screen...)); got != rows {
			t.Errorf("%s:\n%swant:\n%s", what, got, rows)
		}
	}
	blank := strings.Repeat(".", 20) + "\n"
	first, second := "..012"+strings.Repeat(".", 15)+"\n", "..345"+strings.Repeat(".", 15)+"\n"
	term.Write([]byte("ab" + sixelOf(30, 40)))
	want("drawn", first+second+blank+blank)
	term.Write([]byte("\x1b[?1049h\x1b[2Jother"))
	want("on the alternate screen", blank+blank+blank+blank)
	term.Write([]byte("\x1b[?1049l"))
	want("back", first+second+blank+blank)
	term.Write([]byte("\r\n\n\n"))
	want("scrolled", first+second+blank+blank+blank)
	again, err := Restore(term.State(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	term = again
	want("restored", first+second+blank+blank+blank)
	term.Resize(Size{4, 4})
	want("narrow", "..01\n..34\n....\n....\n....\n")
	term.Resize(Size{5, 20})
	want("wide again", first+"..34"+strings.Repeat(".", 16)+"\n"+blank+blank+blank) // the cells that did not fit are lost
	p := term.Snapshot(0).Images[1]
	if p == nil || p.Rows != 2 || p.Cols != 3 || p.Image.Size() != image.Pt(30, 40) {
		t.Fatalf("got placement %+v", p)
	}
	term.Write([]byte("\x1b[1;4H\x1b[L\x1b[2;4Hx\x1b[3;1H\x1b[K"))
	want("with a line inserted, text and an erasure", blank+"..0.2"+strings.Repeat(".", 15)+"\n"+blank+blank+blank)
}

// TestStateOfImages checks that images and unfinished transfers are restored
// from a state, and that damaged states do not cause a panic.
func TestStateOfImages(t *testing.T) {
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewRGBA(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	data := base64.StdEncoding.EncodeToString(file.Bytes())
	term := New(Options{Size: Size{4, 20}})
	fmt.Fprintf(term, "\x1b_Ga=T,I=9,f=100;%s\x1b\\\x1b_Ga=p,I=9,p=3\x1b\\\x1b_Ga=T,i=4,U=1,f=100;%s\x1b\\", data, data)
	fmt.Fprintf(term, "%s\x1b_Gi=5,a=T,f=100,m=1;%s\x1b\\\x1b]1337;MultipartFile=inline=1\a\x1b]1337;FilePart=%s\a", sixelOf(30, 40), data[:20], data)
	term.TakeReplies()
	again := restored(t, term)
	sameAll(t, again, term)
	m, id := again.images.ByID(0, 9)
	img, err := m.Decode()
	if id != 1 || err != nil || img.Rect.Size() != image.Pt(3, 2) {
		t.Errorf("got image %d: %v, %v", id, img, err)
	}
	for n := range again.images.Placements() {
		if p := again.images.Placement(n); p.ID == id && p.Image != m {
			t.Errorf("placement %d does not share the named image", n)
		}
	}
	for _, tt := range []*Terminal{term, again} {
		fmt.Fprintf(tt, "\x1b_Gm=0;%s\x1b\\\x1b]1337;FileEnd\a", data[20:])
	}
	sameAll(t, again, term)
	if got := len(again.images.Placements()); got != 6 {
		t.Errorf("got %d placements, want 6", got)
	}
	whole := term.State()
	for n := range len(whole) - 4 {
		damaged := bytes.Clone(whole[:len(whole)-4])
		if n%2 == 0 {
			damaged = damaged[:n+1]
		} else {
			damaged[n] ^= byte(n)
		}
		_, _ = Restore(binary.BigEndian.AppendUint32(damaged, crc32.ChecksumIEEE(damaged)), Options{}) // must not panic
	}
}

// TestTilesAreNotText checks that a program's use of the characters that
// represent tiles inside the emulator is kept as text.
func TestTilesAreNotText(t *testing.T) {
	term := New(Options{Size: Size{2, 20}})
	term.Write([]byte(sixelOf(10, 20) + "\x1b[2;1H\U00040000\U0004FFFFx\u0301"))
	s := term.Snapshot(0)
	for _, c := range s.Screen[1].Cells {
		if c.Tile != (Tile{}) {
			t.Errorf("the text %q became part of an image", c.Text)
		}
	}
	if got := s.Screen[1].Text(); got != "\U00040000\U0004FFFFx\u0301" {
		t.Errorf("the screen's text is %q", got)
	}
	if got := term.Lines(0, 10); len(got) != 2 || got[0].Text != "▣" || got[1].Text != s.Screen[1].Text() {
		t.Errorf("got lines %+v", got)
	}
	term.Write([]byte("\x1b[1;2H\u0301"))
	if got, want := term.Snapshot(0).Screen[0].Cells[0], (Cell{Text: " \u0301", Width: 1}); got != want {
		t.Errorf("a combining character after an image: got %+v, want %+v", got, want)
	}
}

// TestSnapshotKeepsItsImages checks that a Snapshot keeps its images when the
// terminal deletes them.
func TestSnapshotKeepsItsImages(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 20, 20))); err != nil {
		t.Fatal(err)
	}
	term := New(Options{})
	fmt.Fprintf(term, "\x1b_Gi=5,a=T,f=100;%s\x1b\\", base64.StdEncoding.EncodeToString(b.Bytes()))
	s := term.Snapshot(0)
	n := s.Screen[0].Cells[0].Tile.Placement
	term.Write([]byte("\x1b_Ga=d,d=I,i=5\x1b\\\x1bc" + sixelOf(10, 10)))
	var p *graphics.Placement
	if p = s.Images[n]; p == nil {
		t.Fatal("the snapshot lost the placement")
	}
	if _, err := p.Image.Decode(); err != nil {
		t.Error(err)
	}
	if now := term.Snapshot(0); now.Images[n] != nil && now.Images[n] == p {
		t.Error("the terminal still has the deleted placement")
	}
}

// TestPlaceholdersFollowImages checks that a row that has been shown is shown again when an
// image changes what its placeholders mean.
func TestPlaceholdersFollowImages(t *testing.T) {
	const placeholder = "\x1b[38;5;1m\U0010EEEE\u0305\u0305\x1b[m"
	for name, change := range map[string][]string{
		"first image":                     {"\x1b_Gi=1,a=t,f=24,s=1,v=1;AAAA\x1b\\"},
		"placement":                       {"\x1b_Gi=1,a=T,U=1,f=24,s=1,v=1,c=9,r=1;AAAA\x1b\\"},
		"placement on another screen":     {"\x1b[?1049h", "\x1b_Gi=1,a=T,U=1,f=24,s=1,v=1,c=9,r=1;AAAA\x1b\\", "\x1b[?1049l"},
		"first image on another screen":   {"\x1b[?1049h", sixelOf(1, 1), "\x1b[?1049l"},
		"placement after an ordinary one": {sixelOf(1, 1), "\x1b_Gi=1,a=T,U=1,f=24,s=1,v=1,c=9,r=1;AAAA\x1b\\"},
	} {
		term := New(Options{})
		term.Write([]byte(placeholder + "\r\n"))
		for _, s := range change {
			term.Snapshot(0)
			term.Write([]byte(s))
		}
		if got, want := term.Snapshot(0).Screen[0].Text(), term.RowText(0); got != want {
			t.Errorf("%s: the row shows %q, want %q", name, got, want)
		}
	}
}
