package main

import (
	"fmt"
	"strings"

	"github.com/glasstty/glasstty/emulator"
)

// A sample is a text whose columns terminals count in different ways, and the word that identifies
// its row.
type sample struct{ tag, text string }

// plain is the row of ASCII with which the others are compared.
var plain = sample{"plain", "abc"}

var samples = []sample{
	{"heart", "❤️"}, {"warning", "⚠️"}, {"check", "✔️"}, {"coder", "👩‍💻"}, {"family", "👨‍👩‍👧"}, {"rainbow", "🏳️‍🌈"},
	{"flag", "🇩🇪"}, {"skin", "👍🏽"}, {"keycap", "1️⃣"}, {"smile", "😀"}, {"cjk", "日本語"}, {"hangul", "한국어"},
	{"accent", "e\u0301a\u0308"}, {"hindi", "नमस्ते"}, {"thai", "ที่นี่"},
}

// line returns the text of the sample's row.
func (s sample) line() string { return s.tag + ": " + s.text }

// judge returns the tags of the rows that are off.
func (p program) judge(rows []emulator.Row) ([]string, error) {
	if p.mark == "" {
		return typedOff(rows)
	}
	want := column(rows, plain.tag, p.mark)
	if want < 0 {
		return nil, fmt.Errorf("no %q behind %q", p.mark, plain.tag)
	}
	var off []string
	for _, s := range samples {
		if column(rows, s.tag, p.mark) != want {
			off = append(off, s.tag)
		}
	}
	return off, nil
}

// column returns the column at which mark first follows tag, or -1.
func column(rows []emulator.Row, tag, mark string) int {
	for _, r := range rows {
		text, at := "", -1
		for col, c := range r.Cells {
			if at < 0 {
				if text += shown(c); strings.HasSuffix(text, tag+":") {
					at = col
				}
			} else if c.Text == mark {
				return col
			}
		}
	}
	return -1
}

// typedOff returns the tags of the lines that are not shown as typed.
func typedOff(rows []emulator.Row) ([]string, error) {
	text := picture(rows)
	if !strings.Contains(text, typed(plain)) {
		return nil, fmt.Errorf("no %q", typed(plain))
	}
	var off []string
	for _, s := range samples {
		if !strings.Contains(text, typed(s)) {
			off = append(off, s.tag)
		}
	}
	return off, nil
}

// typed returns the text that a line editor shows after the keys of edit, including the end of its
// prompt.
func typed(s sample) string { return "> #<" + s.line() + " en>d" }

// edit returns keys that type a sample's line and make the editor move over it and draw it again.
// The last of them type # before it.
func edit(s sample) []string {
	const left, home, end = "\x1b[D", "\x01", "\x05"
	return []string{s.line() + " end", left + ">", home + "<", end + left + left, home + "#", "\r"}
}

// shown returns the text of a cell, with a space for each empty column.
func shown(c emulator.Cell) string {
	if c.Text == "" && c.Width > 0 {
		return " "
	}
	return c.Text
}
