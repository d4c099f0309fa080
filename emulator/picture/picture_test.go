package picture

import (
	"bytes"
	"errors"
	"flag"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// writers maps the golden file's extension of each format to its writer.
var writers = map[string]func(io.Writer, *emulator.Snapshot, Options) error{
	"txt": Text, "ansi": ANSI, "html": HTML, "svg": SVG, "png": PNG, "json": JSON,
}

// render returns the output of a writer.
func render(t *testing.T, ext string, snap *emulator.Snapshot, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := writers[ext](&b, snap, o); err != nil {
		t.Fatalf("%s: %v", ext, err)
	}
	return b.String()
}

func index(i uint8) emulator.Color {
	return emulator.Indexed(i)
}

// showcase returns a screen with every attribute, kind of colour and kind of
// character that is drawn without the system's fonts.
func showcase() *emulator.Snapshot {
	attr := func(a emulator.Attrs) emulator.Style { return emulator.Style{Attrs: a} }
	under := func(u emulator.Underline) emulator.Style { return emulator.Style{Underline: u} }
	rows := plainRows(`Hello <World> & "all" {}[]() 0123456789
Ünïcödé e` + "\u0301" + ` Ελληνικά Русский ←↑→↓ ✓ ✗ ● ▶ …
┌──┬──┐ ╔══╦══╗ ╒══╤══╕ ╓──╥──╖ ┏━━┳━━┓ ╭──╮ ┍━┯━┑ ┎─┰─┒ ╲╱╳
├──┼──┤ ╠══╬══╣ ╞══╪══╡ ╟──╫──╢ ┣━━╋━━┫ │  │ ┝━┿━┥ ┣━╋━┫ ╱╲╳
└──┴──┘ ╚══╩══╝ ╘══╧══╛ ╙──╨──╜ ┗━━┻━━┛ ╰──╯ ┕━┷━┙ ┖─┸─┚ ┄┅┆┋╌
▁▂▃▄▅▆▇█▏▎▍▌▋▊▉█▀▄▌▐ ░▒▓█ ▖▗▘▙▚▛▜▝▞▟▔▕ ⣿⣷⡿⠁⡀⣀⣠⣴🬀🬁🬞🬻`)
	rows = append(rows,
		[]piece{
			{"bold", attr(emulator.Bold)}, {"dim", attr(emulator.Dim)}, {"italic", attr(emulator.Italic)},
			{"both", attr(emulator.Bold | emulator.Italic)}, {"blink", attr(emulator.Blink)},
			{"reverse", attr(emulator.Reverse)}, {"hidden", attr(emulator.Hidden)},
			{"strike", attr(emulator.Strike)}, {"over", attr(emulator.Overline)}, {"kept", attr(emulator.Protected)},
		},
		[]piece{
			{"single ", under(emulator.UnderlineSingle)}, {"double ", under(emulator.UnderlineDouble)},
			{"curly ", emulator.Style{Underline: emulator.UnderlineCurly, UnderlineColor: index(1)}},
			{"dotted ", under(emulator.UnderlineDotted)}, {"dashed ", under(emulator.UnderlineDashed)},
			{"rgb", emulator.Style{Underline: emulator.UnderlineSingle, UnderlineColor: emulator.RGB(255, 128, 0)}},
			{"   ", under(emulator.UnderlineSingle)},
		},
		[]piece{
			{"red", emulator.Style{FG: index(1)}}, {"bright", emulator.Style{FG: index(9)}},
			{"cube", emulator.Style{FG: index(130)}}, {"grey", emulator.Style{BG: index(240)}},
			{"direct", emulator.Style{FG: emulator.RGB(18, 52, 86), BG: index(15)}},
			{"link", emulator.Style{Link: emulator.NewLink("7", "https://example.org/?a=1&b=2")}},
			{" ", emulator.Style{}},
			{"file", emulator.Style{Link: emulator.NewLink("", "file:///etc/motd")}},
			{"    ", emulator.Style{BG: index(2)}},
		},
		[]piece{
			{" main ", emulator.Style{BG: index(4), FG: index(0)}},
			{"\ue0b0", emulator.Style{FG: index(4), BG: index(8)}}, {" dir ", emulator.Style{BG: index(8)}},
			{"\ue0b0", emulator.Style{FG: index(8)}}, {"\ue0b1\ue0b2\ue0b3\ue0b4\ue0b5\ue0b6\ue0b7\ue0b8\ue0b9\ue0ba\ue0bb\ue0bc\ue0be", emulator.Style{}},
		},
		plain("日本語 𓀀"), nil)
	snap := snapshotOf(62, rows...)
	snap.Title = "a <title>"
	snap.Cursor = emulator.Cursor{Visible: true, Point: emulator.Point{Row: 0, Col: 7}}
	return snap
}

func TestGolden(t *testing.T) {
	for ext := range writers {
		t.Run(ext, func(t *testing.T) {
			golden := filepath.Join("testdata", "showcase."+ext)
			got := render(t, ext, showcase(), Options{CellWidth: 12})
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if ext == "png" {
				samePNG(t, got, string(want))
			} else if got != string(want) {
				t.Errorf("%s differs from %s; run with -update and read the difference. Got:\n%s", ext, golden, got)
			}
		})
	}
}

// samePNG compares pictures with a tolerance, because floating point rounds
// differently on other processors.
func samePNG(t *testing.T, got, want string) {
	t.Helper()
	a, b := decodePNG(t, got), decodePNG(t, want)
	if a.Bounds() != b.Bounds() {
		t.Fatalf("size %v, want %v", a.Bounds(), b.Bounds())
	}
	differ := 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r1, g1, b1, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			for _, d := range []float64{float64(r1) - float64(r2), float64(g1) - float64(g2), float64(b1) - float64(b2)} {
				if math.Abs(d) > 0x400 {
					differ++
					break
				}
			}
		}
	}
	if differ > 0 {
		t.Errorf("%d pixels differ", differ)
	}
}

func decodePNG(t *testing.T, data string) image.Image {
	t.Helper()
	img, err := png.Decode(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestCursorMark(t *testing.T) {
	snap := snapshotOf(6, plain("ab 日x"), plain(""))
	for _, tt := range []struct {
		at      emulator.Point
		visible bool
		want    string
	}{
		{emulator.Point{Row: 0, Col: 0}, true, "▏ab 日x"},
		{emulator.Point{Row: 0, Col: 2}, true, "ab▏ 日x"},
		{emulator.Point{Row: 0, Col: 3}, true, "ab ▏日x"},
		{emulator.Point{Row: 0, Col: 4}, true, "ab 日▏x"},
		{emulator.Point{Row: 1, Col: 2}, true, "ab 日x\n  ▏"},
		{emulator.Point{Row: 0, Col: 2}, false, "ab 日x"},
	} {
		snap.Cursor = emulator.Cursor{Point: tt.at, Visible: tt.visible}
		for _, ext := range []string{"txt", "ansi"} {
			if got := render(t, ext, snap, Options{CursorMark: true}); got != tt.want {
				t.Errorf("%s, cursor %+v: %q, want %q", ext, tt.at, got, tt.want)
			}
		}
		if got := render(t, "txt", snap, Options{}); strings.Contains(got, CursorMark) {
			t.Errorf("without CursorMark: got %q", got)
		}
	}
}

func TestReveal(t *testing.T) {
	snap := snapshotOf(20, plain("a\u200bb\u202ecd e\ufe0f\u00adf"))
	for _, tt := range []struct {
		reveal bool
		want   string
	}{
		{false, "a\u200bb\u202ecd e\ufe0f\u00adf"},
		{true, "a⟨U+200B⟩b⟨U+202E⟩cd e⟨U+FE0F⟩⟨U+00AD⟩f"},
	} {
		for _, ext := range []string{"txt", "ansi", "html", "json"} {
			if got := render(t, ext, snap, Options{Reveal: tt.reveal}); !strings.Contains(got, tt.want) {
				t.Errorf("%s, reveal %v: %q does not contain %q", ext, tt.reveal, got, tt.want)
			}
		}
	}
}

func TestRegion(t *testing.T) {
	snap := snapshotOf(6, plain("日本語"), plain("abcdef"))
	snap.Scrollback = snapshotOf(6, plain("old 1"), plain("old 2")).Screen
	for _, tt := range []struct {
		region *Region
		want   string
	}{
		{nil, "old 1\nold 2\n日本語\nabcdef"},
		{&Region{0, 0, 2, 6}, "日本語\nabcdef"},
		{&Region{-1, 0, 2, 6}, "old 2\n日本語"},
		{&Region{-2, 4, 1, 2}, "1"},
		{&Region{0, 1, 2, 4}, " 本\nbcde"},
		{&Region{1, 5, 1, 1}, "f"},
	} {
		if got := render(t, "txt", snap, Options{Region: tt.region}); got != tt.want {
			t.Errorf("region %+v: %q, want %q", tt.region, got, tt.want)
		}
	}
	const huge = math.MaxInt
	for _, r := range []Region{
		{0, 0, 0, 6}, {0, 0, 3, 6}, {-3, 0, 1, 1}, {2, 0, 1, 1}, {0, 6, 1, 1}, {0, -1, 1, 1},
		{0, 0, 1, 7}, {huge, huge, huge, huge}, {-huge, 0, huge, 1}, {0, 0, -1, -1}, {0, huge, 1, 1},
	} {
		for ext, write := range writers {
			if err := write(io.Discard, snap, Options{Region: &r}); !errors.Is(err, ErrRegion) {
				t.Errorf("%s, region %+v: error %v, want ErrRegion", ext, r, err)
			}
		}
	}
}

func TestRunsPlace(t *testing.T) {
	snap := snapshotOf(8, plain("ab"), []piece{{"x", emulator.Style{}}, {"日y", emulator.Style{FG: index(1)}}})
	got, err := Runs(snap, Options{Region: &Region{1, 1, 1, 4}})
	want := Run{Row: 1, Col: 1, Cols: 3, Text: "日y", FG: "red"}
	if err != nil || len(got) != 1 || got[0].Text != want.Text || got[0].Row != 1 || got[0].Col != 1 || got[0].Cols != 3 || got[0].FG != "red" {
		t.Errorf("Runs = %+v, %v; want %+v", got, err, want)
	}
	if got, err := Runs(snapshotOf(3, nil), Options{}); err != nil || got == nil || len(got) != 0 {
		t.Errorf("Runs of nothing = %#v, %v", got, err)
	}
}
