package live

import (
	"embed"
	"net/http"
	"strings"

	"github.com/glasstty/glasstty/emulator/picture"
)

//go:embed page
var page embed.FS

// files are the page's assets by path.
var files = map[string]struct{ name, kind string }{
	"/":          {"page/index.html", "text/html; charset=utf-8"},
	"/style.css": {"page/style.css", "text/css; charset=utf-8"},
	"/app.js":    {"page/app.js", "text/javascript; charset=utf-8"},
	"/screen.js": {"page/screen.js", "text/javascript; charset=utf-8"},
	"/keys.js":   {"page/keys.js", "text/javascript; charset=utf-8"},
	"/time.js":   {"page/time.js", "text/javascript; charset=utf-8"},
	"/wire.js":   {"page/wire.js", "text/javascript; charset=utf-8"},
	"/icon.svg":  {"page/icon.svg", "image/svg+xml"},
}

// assets serves the page's files and the font that pictures are drawn with.
func assets() func(http.ResponseWriter, *http.Request, Visitor) {
	return func(w http.ResponseWriter, r *http.Request, _ Visitor) {
		if style, ok := strings.CutPrefix(r.URL.Path, "/font/"); ok {
			font(w, r, style)
			return
		}
		f, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		data, err := page.ReadFile(f.name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", f.kind)
		// A failed write is a browser that has gone.
		_, _ = w.Write(data)
	}
}

// font serves a face of the built-in font.
func font(w http.ResponseWriter, r *http.Request, style string) {
	switch style {
	case "regular", "bold", "italic", "bolditalic":
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "font/ttf")
	w.Header().Set("Cache-Control", "private, max-age=86400")
	_, _ = w.Write(picture.Font(strings.Contains(style, "bold"), strings.Contains(style, "italic")))
}
