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

// fontSize returns the size in pixels at which the built-in font is as wide as
// a cell.
func fontSize(g grid) float64 { return float64(g.w) / monoAdvance }

// Fonts finds the font for a character. It looks through the system's fonts
// when first asked for a character that the built-in font lacks, which takes up
// to some seconds when CacheDir holds no index yet, and keeps their index. One
// Fonts serves any number of goroutines; it must not be copied.
type Fonts struct {
	// CacheDir is where the index of the system's fonts is kept; "" is glasstty
	// in the user's cache directory. Where it cannot be written the index is
	// made again by every process.
	CacheDir string

	mu     sync.Mutex
	built  [4]*font.Face // by styleIndex; nil until used
	system *fontscan.FontMap
	tried  bool // system has been looked for
	err    error
}

// files are the faces of the built-in font, DejaVu Sans Mono, compressed.
//
//go:embed fonts/*.ttf.gz
var files embed.FS

// Font returns a face of the built-in font as a file in TrueType format, without
// hinting. It unpacks it for each call, which takes some milliseconds.
func Font(bold, italic bool) []byte {
	name := [...]string{"regular", "bold", "italic", "bolditalic"}[styleIndex(bold, italic)]
	data, err := unpack("fonts/" + name + ".ttf.gz")
	if err != nil {
		panic(fmt.Sprintf("the built-in font %s: %v", name, err)) // it is part of the binary
	}
	return data
}

// unpack returns one of files.
func unpack(name string) ([]byte, error) {
	packed, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// styleIndex numbers the built-in faces.
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

// SystemErr returns why the system's fonts could not be read, nil when they
// were read or not yet needed.
func (f *Fonts) SystemErr() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Has reports whether a font for r was found. It may read the system's fonts.
func (f *Fonts) Has(r rune) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.faceLocked(r, glyph{}, false) != nil
}

// builtinLocked returns a face of the built-in font. Callers hold mu, for as long as
// they use the face: faces keep caches of their own.
func (f *Fonts) builtinLocked(bold, italic bool) *font.Face {
	i := styleIndex(bold, italic)
	if f.built[i] == nil {
		face, err := font.ParseTTF(bytes.NewReader(Font(bold, italic)))
		if err != nil {
			panic(fmt.Sprintf("the built-in font does not parse: %v", err)) // it is part of the binary
		}
		f.built[i] = face
	}
	return f.built[i]
}

// faceLocked returns a face that has r, nil when there is none. Callers hold mu.
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

// systemFaceLocked returns a face of the system that has r, nil when there is
// none. Callers hold mu.
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

// systemLocked returns the map of the system's fonts, nil when they cannot be
// read. Callers hold mu.
func (f *Fonts) systemLocked() *fontscan.FontMap {
	if !f.tried {
		f.tried = true
		fm := fontscan.NewFontMap(log.New(io.Discard, "", 0))
		dir, done, err := indexDir(f.CacheDir)
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

// indexDir returns a directory in which the index of fonts can be written, which
// fontscan insists on, and what to do when it has been read.
func indexDir(dir string) (string, func(), error) {
	if dir == "" {
		if cache, err := os.UserCacheDir(); err == nil {
			dir = filepath.Join(cache, "glasstty")
		}
	}
	if dir != "" && writable(dir) {
		return dir, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "glasstty-fonts-")
	if err != nil {
		return "", nil, fmt.Errorf("keep an index of fonts: %w", err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}

// writable makes dir if need be and reports whether files can be made in it.
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
