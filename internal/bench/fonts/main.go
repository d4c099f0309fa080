// Command fonts makes the repository's font files from DejaVu Sans Mono, in four styles: the complete
// fonts for pictures (emulator/picture/fonts) and the small ones that the live page loads first
// (cmd/glasstty/live/page/font). It runs in the root of the repository. It compresses with zopfli,
// which must be installed: the files are 6 % smaller than those of compress/gzip.
//
//	go run ./internal/bench/fonts
package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
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
		ttf := strings.TrimSuffix(name, ".gz")
		if err := os.WriteFile(ttf, data, 0o644); err != nil {
			log.Fatal(err)
		}
		if out, err := exec.Command("zopfli", "--i50", ttf).CombinedOutput(); err != nil { // writes ttf.gz
			log.Fatalf("zopfli: %v: %s", err, out)
		}
		if err := os.Remove(ttf); err != nil {
			log.Fatal(err)
		}
	}
}

// made returns the uncompressed fonts, by the paths of their files below root.
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
		files["cmd/glasstty/live/page/"+name+".gz"] = small
	}
	return files, nil
}

// ranges returns the first and last characters of the ranges for which a style sheet loads a font.
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
