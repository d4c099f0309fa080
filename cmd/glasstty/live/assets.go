package live

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/glasstty/glasstty/emulator/picture"
)

// page has the page's files. Its fonts, compressed, have the characters that most programs
// print; internal/bench/fonts makes them for the ranges that the style sheet names.
//
//go:embed page
var page embed.FS

// kinds are the types of the page's files.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".ttf":  "font/ttf",
}

// An asset is a file of the page, as it is and compressed.
type asset struct {
	kind          string
	plain, zipped []byte
	tag           string // names this content
}

// wholeFont ends the name of a font with all of its characters: font/bold-all.ttf is the
// whole of font/bold.ttf.
const wholeFont = "-all.ttf"

// A shelf has the assets that were asked for. It is safe for concurrent use.
type shelf struct {
	mu   sync.Mutex // guards made
	made map[string]*asset
}

// get returns the asset of this name; fs.ErrNotExist when there is none.
func (s *shelf) get(name string) (*asset, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.made[name]; a != nil {
		return a, nil
	}
	data, err := readFile(name)
	if err != nil {
		return nil, err
	}
	a, err := newAsset(kinds[path.Ext(name)], lean(path.Ext(name), data))
	if err != nil {
		return nil, err
	}
	s.made[name] = a
	return a, nil
}

// readFile returns a file of the page, a font unpacked.
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

// surplus returns what lean leaves out, by the extension of a file's name: comments and
// indentation. In a script it is a comment with a line to itself; no string of the page goes
// on over several lines.
var surplus = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		".css":  regexp.MustCompile(`(?s)/\*.*?\*/|(?m)^[ \t]+`),
		".js":   regexp.MustCompile(`(?m)^[ \t]*//.*|(?m)^[ \t]+`),
		".html": regexp.MustCompile(`(?m)^[ \t]+`),
	}
})

// lean returns a file of the page without its comments and indentation, a sixth of what a
// browser would load. Lines of scripts keep their numbers. Other files are returned as they
// are.
func lean(ext string, data []byte) []byte {
	if s := surplus()[ext]; s != nil {
		return s.ReplaceAll(data, nil)
	}
	return data
}

// newAsset compresses a file.
func newAsset(kind string, data []byte) (*asset, error) {
	var z bytes.Buffer
	w, err := gzip.NewWriterLevel(&z, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	return &asset{kind, data, z.Bytes(), hex.EncodeToString(sum[:8])}, nil
}

// serve answers a request for an asset: with nothing when the browser has it already.
func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	h, data, tag := w.Header(), a.plain, a.tag
	h.Set("Content-Type", a.kind)
	h.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		data, tag = a.zipped, tag+"-gzip"
	}
	h.Set("ETag", fmt.Sprintf("%q", tag))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// assets serves the page's files and the fonts that pictures are drawn with.
func assets() visitedFunc {
	s := &shelf{made: map[string]*asset{}}
	return func(w http.ResponseWriter, r *http.Request, _ Visitor) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if name == "" {
			name = "index.html"
		}
		a, err := s.get(name)
		switch {
		case err == nil:
			a.serve(w, r)
		case errors.Is(err, fs.ErrNotExist):
			http.NotFound(w, r)
		default:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}
}
