// Command fonts makes the font files of the repository from DejaVu Sans Mono, in four
// styles: the whole fonts that pictures are drawn with (emulator/picture/fonts) and the
// small ones that the live page loads first (cmd/glasstty/live/page/font). It runs in the
// root of the repository:
//
//	go run ./internal/bench/fonts
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-fonts/dejavu/dejavusansmono"
	"github.com/go-fonts/dejavu/dejavusansmonobold"
	"github.com/go-fonts/dejavu/dejavusansmonoboldoblique"
	"github.com/go-fonts/dejavu/dejavusansmonooblique"
)

func main() {
	files, err := made(".")
	if err != nil {
		log.Fatal(err)
	}
	for name, data := range files {
		if strings.HasSuffix(name, ".gz") {
			if data, err = zipped(data); err != nil {
				log.Fatal(err)
			}
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// made returns the fonts by the names of their files below root, not compressed.
func made(root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for style, ttf := range map[string][]byte{
		"regular": dejavusansmono.TTF, "bold": dejavusansmonobold.TTF,
		"italic": dejavusansmonooblique.TTF, "bolditalic": dejavusansmonoboldoblique.TTF,
	} {
		whole, err := unhinted(ttf)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", style, err)
		}
		files["emulator/picture/fonts/"+style+".ttf.gz"] = whole
		name := "font/" + style + ".ttf"
		common, err := ranges(filepath.Join(root, "cmd/glasstty/live/page/style.css"), name)
		if err != nil {
			return nil, err
		}
		small, err := subset(ttf, func(r rune) bool {
			for _, c := range common {
				if r >= c[0] && r <= c[1] {
					return true
				}
			}
			return false
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", style, err)
		}
		files["cmd/glasstty/live/page/"+name] = small
	}
	return files, nil
}

// ranges returns the first and last characters of the ranges that a style sheet loads a
// font for.
func ranges(css, name string) ([][2]rune, error) {
	text, err := os.ReadFile(css)
	if err != nil {
		return nil, err
	}
	rule := regexp.MustCompile(`url\(` + regexp.QuoteMeta(name) + `\); unicode-range: ([^;]*);`).FindSubmatch(text)
	if rule == nil {
		return nil, fmt.Errorf("%s has no rule for %s", css, name)
	}
	var out [][2]rune
	for part := range strings.SplitSeq(string(rule[1]), ", ") {
		first, last, ok := strings.Cut(strings.TrimPrefix(part, "U+"), "-")
		if !ok {
			last = first
		}
		from, err1 := strconv.ParseUint(first, 16, 21)
		to, err2 := strconv.ParseUint(last, 16, 21)
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("%s: invalid range %q for %s", css, part, name)
		}
		out = append(out, [2]rune{rune(from), rune(to)})
	}
	return out, nil
}

// zipped compresses a file.
func zipped(data []byte) ([]byte, error) {
	var z bytes.Buffer
	w, err := gzip.NewWriterLevel(&z, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return z.Bytes(), err
}
