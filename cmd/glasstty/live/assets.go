package live

import (
	"embed"
	"net/http"
	"path"
	"strings"

	"github.com/glasstty/glasstty/emulator/picture"
)

//go:embed page
var page embed.FS

// kinds are the types of the page's files.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// assets serves the page's files and the font that pictures are drawn with.
func assets() func(http.ResponseWriter, *http.Request, Visitor) {
	return func(w http.ResponseWriter, r *http.Request, _ Visitor) {
		if style, ok := strings.CutPrefix(r.URL.Path, "/font/"); ok {
			font(w, r, style)
			return
		}
		name := r.URL.Path
		if name == "/" {
			name = "/index.html"
		}
		data, err := page.ReadFile("page" + name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", kinds[path.Ext(name)])
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
