package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
)

// Flags of a part of a composite glyph (OpenType, "glyf").
const (
	argsAreWords    = 1 << 0
	hasScale        = 1 << 3
	moreParts       = 1 << 5
	hasXYScale      = 1 << 6
	hasTwoByTwo     = 1 << 7
	hasInstructions = 1 << 8
)

// A cut is a font that is made from another font, the source.
type cut struct {
	tables  map[string][]byte // of the source, by name
	glyphs  []uint16          // the glyphs' numbers in the source, by their new numbers
	numbers map[uint16]uint16 // the new numbers, by those in the source
}

// layout lists the tables that replace the glyphs of several characters and position them. They
// refer to glyphs by number.
var layout = []string{"GDEF", "GPOS", "GSUB"}

// newCut reads a TrueType font.
func newCut(ttf []byte) (*cut, *font.Font, error) {
	loader, err := opentype.NewLoader(bytes.NewReader(ttf))
	if err != nil {
		return nil, nil, fmt.Errorf("read the font: %w", err)
	}
	whole, err := font.NewFont(loader)
	if err != nil {
		return nil, nil, fmt.Errorf("read the font: %w", err)
	}
	c := &cut{tables: map[string][]byte{}, numbers: map[uint16]uint16{}}
	for _, name := range append([]string{"OS/2", "cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "name", "post"}, layout...) {
		if c.tables[name], err = loader.RawTable(opentype.MustNewTag(name)); err != nil {
			return nil, nil, fmt.Errorf("table %s of the font: %w", name, err)
		}
	}
	return c, whole, nil
}

// unhinted returns the TrueType font ttf without hinting and glyph names. Pictures are
// drawn without hinting. A broken font may make it panic.
func unhinted(ttf []byte) ([]byte, error) {
	c, _, err := newCut(ttf)
	if err != nil {
		return nil, err
	}
	for glyph := range binary.BigEndian.Uint16(c.tables["maxp"][4:]) {
		c.number(glyph)
	}
	return c.write(c.tables["cmap"], layout...), nil
}

// subset returns the TrueType font ttf with only the glyphs of the characters that keep accepts, and
// without hinting, glyph names and layout rules. A broken font may make it panic.
func subset(ttf []byte, keep func(rune) bool) ([]byte, error) {
	c, whole, err := newCut(ttf)
	if err != nil {
		return nil, err
	}
	c.number(0) // .notdef
	var chars []rune
	for each := whole.Cmap.Iter(); each.Next(); {
		if r, glyph := each.Char(); keep(r) {
			chars = append(chars, r)
			c.number(uint16(glyph))
		}
	}
	slices.Sort(chars)
	return c.write(c.cmap(chars, whole)), nil
}

// number returns the new number of a glyph.
func (c *cut) number(glyph uint16) uint16 {
	n, ok := c.numbers[glyph]
	if !ok {
		n = uint16(len(c.glyphs))
		c.glyphs = append(c.glyphs, glyph)
		c.numbers[glyph] = n
	}
	return n
}

// write returns the file of the new font. Some tables are copied from the source.
func (c *cut) write(cmap []byte, more ...string) []byte {
	var glyf, loca []byte
	for n := 0; n < len(c.glyphs); n++ { // outline adds the parts of composite glyphs
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
		glyf = append(glyf, c.outline(c.glyphs[n])...)
		glyf = append(glyf, make([]byte, -len(glyf)&3)...)
	}
	loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
	long := uint16(1) // offsets of outlines have four bytes
	if len(glyf) < 2<<16 {
		long, loca = 0, halved(loca)
	}
	var hmtx []byte
	for _, glyph := range c.glyphs {
		hmtx = append(hmtx, c.metric(glyph)...)
	}
	put := func(table string, at int, v uint16) []byte {
		out := slices.Clone(c.tables[table])
		binary.BigEndian.PutUint16(out[at:], v)
		return out
	}
	post := slices.Clone(c.tables["post"][:32])
	binary.BigEndian.PutUint32(post, 0x00030000) // no names of glyphs
	type table struct {
		name string
		data []byte
	}
	out := []table{
		{"OS/2", c.tables["OS/2"]}, {"cmap", cmap}, {"glyf", glyf},
		{"head", put("head", 50, long)},
		{"hhea", put("hhea", 34, uint16(len(c.glyphs)))}, {"hmtx", hmtx}, {"loca", loca},
		{"maxp", put("maxp", 4, uint16(len(c.glyphs)))}, {"name", windowsNames(c.tables["name"])}, {"post", post},
	}
	for _, name := range more {
		out = append(out, table{name, c.tables[name]})
	}
	slices.SortFunc(out, func(x, y table) int { return strings.Compare(x.name, y.name) })
	tables := make([]opentype.Table, len(out))
	for i, t := range out {
		tables[i] = opentype.Table{Tag: opentype.MustNewTag(t.name), Content: append(slices.Clone(t.data), make([]byte, -len(t.data)&3)...)}
	}
	return opentype.WriteTTF(tables)
}

// halved converts offsets of four bytes to those of a short table, which have two bytes and are
// divided by two.
func halved(offsets []byte) []byte {
	var out []byte
	for at := 0; at < len(offsets); at += 4 {
		out = binary.BigEndian.AppendUint16(out, uint16(binary.BigEndian.Uint32(offsets[at:])/2))
	}
	return out
}

// windowsNames returns a table of names with only those of platform 3, which include the font's
// notices. The others have the same texts in another encoding.
func windowsNames(old []byte) []byte {
	const record = 12
	var records, texts []byte
	from := int(binary.BigEndian.Uint16(old[4:]))
	for i := range int(binary.BigEndian.Uint16(old[2:])) {
		r := slices.Clone(old[6+record*i : 6+record*(i+1)])
		if binary.BigEndian.Uint16(r) != 3 {
			continue
		}
		size, at := int(binary.BigEndian.Uint16(r[8:])), from+int(binary.BigEndian.Uint16(r[10:]))
		binary.BigEndian.PutUint16(r[10:], uint16(len(texts)))
		records, texts = append(records, r...), append(texts, old[at:at+size]...)
	}
	out := []byte{0, 0}
	out = binary.BigEndian.AppendUint16(out, uint16(len(records)/record))
	out = binary.BigEndian.AppendUint16(out, uint16(6+len(records)))
	return slices.Concat(out, records, texts)
}

// outline returns the outline of a glyph, without its instructions. The parts of a
// composite glyph get their new numbers.
func (c *cut) outline(glyph uint16) []byte {
	old := c.glyf(glyph)
	if len(old) == 0 {
		return nil
	}
	if contours := int(int16(binary.BigEndian.Uint16(old))); contours >= 0 {
		end := 10 + 2*contours
		after := end + 2 + int(binary.BigEndian.Uint16(old[end:]))
		return append(append(slices.Clone(old[:end]), 0, 0), old[after:]...)
	}
	out := slices.Clone(old)
	for at := 10; ; {
		flags := binary.BigEndian.Uint16(out[at:])
		binary.BigEndian.PutUint16(out[at:], flags&^hasInstructions)
		binary.BigEndian.PutUint16(out[at+2:], c.number(binary.BigEndian.Uint16(out[at+2:])))
		at += 6
		for flag, size := range map[uint16]int{argsAreWords: 2, hasScale: 2, hasXYScale: 4, hasTwoByTwo: 8} {
			if flags&flag != 0 {
				at += size
			}
		}
		if flags&moreParts == 0 {
			return out[:at]
		}
	}
}

// glyf returns the outline of a glyph in the source.
func (c *cut) glyf(glyph uint16) []byte {
	loca, n := c.tables["loca"], int(glyph)
	if binary.BigEndian.Uint16(c.tables["head"][50:]) == 0 {
		return c.tables["glyf"][2*int(binary.BigEndian.Uint16(loca[2*n:])) : 2*int(binary.BigEndian.Uint16(loca[2*n+2:]))]
	}
	return c.tables["glyf"][binary.BigEndian.Uint32(loca[4*n:]):binary.BigEndian.Uint32(loca[4*n+4:])]
}

// metric returns the width and the left side bearing of a glyph.
func (c *cut) metric(glyph uint16) []byte {
	hmtx, n := c.tables["hmtx"], int(glyph)
	long := int(binary.BigEndian.Uint16(c.tables["hhea"][34:])) // glyphs with a width; the others have the last one's
	if n < long {
		return hmtx[4*n : 4*n+4]
	}
	bearing := 4*long + 2*(n-long)
	return slices.Concat(hmtx[4*(long-1):4*(long-1)+2], hmtx[bearing:bearing+2])
}

// cmap returns a table of format 12 for Unicode: groups of consecutive characters whose glyphs are
// consecutive too.
func (c *cut) cmap(chars []rune, whole *font.Font) []byte {
	var groups []byte
	n := 0
	for i, r := range chars {
		old, _ := whole.Cmap.Lookup(r)
		glyph := uint32(c.numbers[uint16(old)])
		if last := len(groups) - 12; i > 0 && r == chars[i-1]+1 && glyph-binary.BigEndian.Uint32(groups[last+8:]) == uint32(r)-binary.BigEndian.Uint32(groups[last:]) {
			binary.BigEndian.PutUint32(groups[last+4:], uint32(r))
			continue
		}
		n++
		for _, v := range []uint32{uint32(r), uint32(r), glyph} {
			groups = binary.BigEndian.AppendUint32(groups, v)
		}
	}
	out := []byte{0, 0, 0, 1, 0, 3, 0, 10, 0, 0, 0, 12, 0, 12, 0, 0}
	for _, v := range []uint32{uint32(16 + len(groups)), 0, uint32(n)} {
		out = binary.BigEndian.AppendUint32(out, v)
	}
	return append(out, groups...)
}
