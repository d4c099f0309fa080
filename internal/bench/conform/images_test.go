package conform

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/need"
)

// quarters are the colours of the image that real programs show in the tests.
var quarters = []color.RGBA{{220, 0, 0, 255}, {0, 200, 0, 255}, {0, 0, 230, 255}, {250, 250, 250, 255}}

// TestImagesOfPrograms checks that an image shown by real programs, with each of
// their protocols, has its colours in the client's picture and its label in the
// text.
func TestImagesOfPrograms(t *testing.T) {
	file := filepath.Join(t.TempDir(), "quarters.png")
	img := image.NewRGBA(image.Rect(0, 0, 320, 240))
	for y := range 240 {
		for x := range 320 {
			img.SetRGBA(x, y, quarters[y/120*2+x/160])
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	server := startServer(t)
	for name, args := range map[string][]string{
		"chafa, sixel": {"chafa", "-f", "sixel", "-s", "40x12"}, "chafa, kitty": {"chafa", "-f", "kitty", "-s", "40x12"},
		"chafa, iTerm2": {"chafa", "-f", "iterm", "-s", "40x12"}, "img2sixel": {"img2sixel"},
		"img2sixel, more colours than registers": {"img2sixel", "-I"},
		"timg, kitty":                            {"timg", "-pk", "-g40x12"}, "timg, iTerm2": {"timg", "-pi", "-g40x12"},
	} {
		need.Program(t, args[0])
		id := call(t, server, "start_process", map[string]any{
			"command": "sh", "args": append([]string{"-c", `"$@"; echo; echo "the end"; sleep 60`, "sh"}, append(args, file)...), "wait_for": "the end",
		})["session_id"].(string)
		text, _ := call(t, server, "snapshot", map[string]any{"session_id": id})["screen"].(string)
		if !regexp.MustCompile(`\[image \d+×\d+\]`).MatchString(text) {
			t.Errorf("%s: the text has no label:\n%s", name, text)
		}
		counts := colorsIn(t, server, id)
		for i, n := range counts {
			if n < 5000 || n > 2*counts[0] || counts[0] > 2*n {
				t.Errorf("%s: only %d pixels have the colour %v; counts of all colours: %v", name, n, quarters[i], counts)
			}
		}
		call(t, server, "terminate_process", map[string]any{"session_id": id, "force": true, "delete": true})
	}
}

// colorsIn counts the pixels of a session's picture that are close to each of the
// quarters' colours.
func colorsIn(t *testing.T, server *mcp.ClientSession, id string) []int {
	t.Helper()
	res, err := server.CallTool(context.Background(), &mcp.CallToolParams{
		Name: "snapshot", Arguments: map[string]any{"session_id": id, "format": "png"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range res.Content {
		if m, ok := c.(*mcp.ImageContent); ok {
			got, err := png.Decode(bytes.NewReader(m.Data))
			if err != nil {
				t.Fatal(err)
			}
			return countColors(got)
		}
	}
	t.Fatalf("no image in %+v", res)
	return nil
}

func countColors(img image.Image) []int {
	out := make([]int, len(quarters))
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, _ := img.At(x, y).RGBA()
			for i, q := range quarters {
				near := func(a uint32, b uint8) bool { d := int(a>>8) - int(b); return d < 12 && d > -12 }
				if near(r, q.R) && near(g, q.G) && near(b, q.B) {
					out[i]++
				}
			}
		}
	}
	return out
}
