package picture

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/fontscan"
)

// monoAdvance is the width of a glyph of DejaVu Sans Mono in em.
const monoAdvance = 1233.0 / 2048

// fontSize returns the size in pixels at which the glyphs of the built-in font are as
// wide as a cell.
func fontSize(g grid) float64 { return float64(g.w) / monoAdvance }

// Fonts finds fonts for characters. It indexes the system's fonts when an emoji, or a character
// that the built-in font lacks, is drawn for the first time. This can take several seconds if
// the user's cache directory does not contain an index yet, or is not writable. Fonts may be
// used by several goroutines. It must not be copied. The zero value is ready for use.
type Fonts struct {
	mu      sync.Mutex        // guards the fields below
	builtin [4]*font.Face     // by styleIndex; nil until first used
	system  *fontscan.FontMap // nil if not loaded
	tried   bool              // loading system has been tried, or must not be tried
	err     error             // the error of loading system, or nil
}

// builtinFiles contains the faces of the built-in font, DejaVu Sans Mono, compressed.
//
//go:embed fonts/*.ttf.gz
var builtinFiles embed.FS

// Font returns a face of the built-in font as a TrueType file without hinting. Each call
// decompresses the file, which takes some milliseconds.
func Font(bold, italic bool) []byte {
	name := [...]string{"regular", "bold", "italic", "bolditalic"}[styleIndex(bold, italic)]
	data, err := unpack("fonts/" + name + ".ttf.gz")
	if err != nil {
		panic(fmt.Sprintf("the built-in font %s: %v", name, err)) // it is part of the binary
	}
	return data
}

// unpack returns the decompressed contents of the named file of builtinFiles.
func unpack(name string) ([]byte, error) {
	packed, err := builtinFiles.Open(name)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// styleIndex returns the index of a built-in face.
func styleIndex(bold, italic bool) int {
	i := 0
	if bold {
		i = 1
	}
	if italic {
		i += 2
	}
	return i
}

// SystemErr returns the error of loading the system's fonts, or nil if they were loaded
// or have not been needed.
func (f *Fonts) SystemErr() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Has reports whether there is a font for r. It may load the system's fonts.
func (f *Fonts) Has(r rune) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.faceLocked(r, glyph{}, false) != nil
}

// builtinLocked returns a face of the built-in font. The caller must hold mu while it
// uses the face, because faces have internal caches.
func (f *Fonts) builtinLocked(bold, italic bool) *font.Face {
	i := styleIndex(bold, italic)
	if f.builtin[i] == nil {
		face, err := font.ParseTTF(bytes.NewReader(Font(bold, italic)))
		if err != nil {
			panic(fmt.Sprintf("the built-in font does not parse: %v", err)) // it is part of the binary
		}
		f.builtin[i] = face
	}
	return f.builtin[i]
}

// faceLocked returns a face that contains r, or nil if there is none. It prefers a face in g's style
// or, if emoji is set, an emoji font of the system. The caller must hold mu while it uses the face.
func (f *Fonts) faceLocked(r rune, g glyph, emoji bool) *font.Face {
	if emoji {
		if face := f.systemFaceLocked(r, g, true); face != nil {
			return face
		}
	}
	for _, face := range [...]*font.Face{f.builtinLocked(g.bold, g.italic), f.builtinLocked(g.bold, false), f.builtinLocked(false, false)} {
		if _, ok := face.NominalGlyph(r); ok {
			return face
		}
	}
	return f.systemFaceLocked(r, g, false)
}

// systemFaceLocked returns a face of the system's fonts that contains r, or nil if there is none.
// It prefers fixed-width fonts or, if emoji is set, emoji fonts.
func (f *Fonts) systemFaceLocked(r rune, g glyph, emoji bool) *font.Face {
	fm := f.systemLocked()
	if fm == nil {
		return nil
	}
	q := fontscan.Query{Families: []string{
		"Noto Sans Mono CJK SC", "Noto Sans Mono CJK JP", "Noto Sans CJK SC", "Source Han Mono", "Noto Sans Mono",
		fontscan.Monospace, fontscan.SansSerif, fontscan.Emoji,
	}}
	if emoji {
		q.Families = []string{"Noto Color Emoji", "Apple Color Emoji", "Segoe UI Emoji", fontscan.Emoji}
	}
	q.Aspect.Weight = font.WeightNormal
	if g.bold {
		q.Aspect.Weight = font.WeightBold
	}
	fm.SetQuery(q)
	face := fm.ResolveFace(r)
	if face == nil {
		return nil
	}
	if _, ok := face.NominalGlyph(r); !ok {
		return nil
	}
	return face
}

// systemLocked returns the system's fonts, or nil if they cannot be loaded.
func (f *Fonts) systemLocked() *fontscan.FontMap {
	if !f.tried {
		f.tried = true
		fm := fontscan.NewFontMap(log.New(io.Discard, "", 0))
		dir, done, err := indexDir()
		if err == nil {
			err = fm.UseSystemFonts(dir)
			done()
		}
		if f.err = err; err == nil {
			f.system = fm
		}
	}
	return f.system
}

// indexDir returns a writable directory for the index of fonts, which fontscan requires. The caller
// must call the returned function after loading the index; it removes a temporary directory.
func indexDir() (string, func(), error) {
	if cache, err := os.UserCacheDir(); err == nil {
		if dir := filepath.Join(cache, "glasstty"); writable(dir) {
			return dir, func() {}, nil
		}
	}
	dir, err := os.MkdirTemp("", "glasstty-fonts-")
	if err != nil {
		return "", nil, fmt.Errorf("create a directory for the font index: %w", err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}

// writable creates dir if necessary and reports whether files can be created in it.
func writable(dir string) bool {
	if os.MkdirAll(dir, 0o700) != nil {
		return false
	}
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return false
	}
	_ = probe.Close()
	return os.Remove(probe.Name()) == nil
}
