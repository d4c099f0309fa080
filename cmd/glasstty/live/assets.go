package live

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/glasstty/glasstty/emulator/picture"
)

// page holds the page's files. Its fonts are compressed and contain only the characters that
// most programs print; internal/bench/fonts makes them for the ranges in the style sheet.
//
//go:embed page
var page embed.FS

// mediaTypes lists the media types of the page's files by extension.
var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".ttf":  "font/ttf",
}

// An asset is a file of the page, plain and compressed with gzip.
type asset struct {
	mediaType     string
	plain, zipped []byte
	tag           string // identifies the content, for the ETag
}

// wholeFont is the suffix of complete fonts: font/bold-all.ttf is a complete font, and font/bold.ttf has
// some of its characters.
const wholeFont = "-all.ttf"

// readFile returns a file of the page, or a complete font. Fonts are decompressed.
func readFile(name string) ([]byte, error) {
	if path.Ext(name) != ".ttf" {
		return page.ReadFile("page/" + name)
	}
	packed, err := page.Open("page/" + strings.Replace(name, wholeFont, ".ttf", 1) + ".gz")
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, wholeFont) {
		return picture.Font(strings.Contains(name, "bold"), strings.Contains(name, "italic")), nil
	}
	z, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// surplus returns patterns for the comments and the indentation that minify removes, by the extension of
// a file's name. In a script, a comment matches only if it fills its line. No string in the page's files
// spans several lines, so the patterns for lines do not change strings.
var surplus = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		".css":  regexp.MustCompile(`(?s)/\*.*?\*/|(?m)^[ \t]+`),
		".js":   regexp.MustCompile(`(?m)^[ \t]*//.*|(?m)^[ \t]+`),
		".html": regexp.MustCompile(`(?m)^[ \t]+`),
	}
})

// minify returns a style sheet, script or HTML file without the text that matches surplus, which makes
// downloads a sixth smaller. Lines of scripts keep their numbers. It returns other files unchanged.
func minify(ext string, data []byte) []byte {
	if s := surplus()[ext]; s != nil {
		return s.ReplaceAll(data, nil)
	}
	return data
}

// newAsset makes the asset for the file called name.
func newAsset(name string) (*asset, error) {
	data, err := readFile(name)
	if err != nil {
		return nil, err
	}
	ext := path.Ext(name)
	data = minify(ext, data)
	var z bytes.Buffer
	w, _ := gzip.NewWriterLevel(&z, gzip.BestCompression) // this level is valid
	_, _ = w.Write(data)                                  // writing to a Buffer cannot fail
	_ = w.Close()
	sum := sha256.Sum256(data)
	return &asset{mediaTypes[ext], data, z.Bytes(), hex.EncodeToString(sum[:8])}, nil
}

// serve answers a request for an asset. If the browser already has the asset, the answer has no body.
func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	h, data, tag := w.Header(), a.plain, a.tag
	h.Set("Content-Type", a.mediaType)
	h.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		data, tag = a.zipped, tag+"-gzip"
	}
	h.Set("ETag", fmt.Sprintf("%q", tag))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// assets returns the handler of the page's files and the complete fonts. It keeps the assets that it makes.
func assets() visitorHandler {
	var made sync.Map // of *asset, by name
	return func(w http.ResponseWriter, r *http.Request, _ Visitor) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if name == "" {
			name = "index.html"
		}
		if a, ok := made.Load(name); ok {
			a.(*asset).serve(w, r)
			return
		}
		a, err := newAsset(name)
		if err != nil {
			http.NotFound(w, r) // embedded files can always be read: no file has this name
			return
		}
		made.Store(name, a)
		a.serve(w, r)
	}
}
