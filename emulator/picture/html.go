package picture

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"net/url"
	"strings"

	"github.com/glasstty/glasstty/emulator"
)

// htmlHead is the start of the page. Widths are in ch, so that wide characters take two columns in
// any font. The line height is slightly less than the height of the fonts' characters, so that
// backgrounds and box-drawing lines of adjacent rows join.
const htmlHead = `<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>%s</title>
<style>
body{margin:0;background:%s}
pre{margin:0;padding:1ch;color:%s;background:%s;font:14px/16px "DejaVu Sans Mono",Menlo,Consolas,monospace;font-variant-ligatures:none}
a{color:inherit}
.w{display:inline-block;width:2ch;overflow:hidden;vertical-align:bottom}
</style></head>
<body><pre>`

// HTML writes the rows as a self-contained page.
func HTML(w io.Writer, snap *emulator.Snapshot, o Options) error {
	v, err := newView(snap, o)
	if err != nil {
		return err
	}
	p := newPage(w, snap.Title)
	for i := range v.rows {
		p.writeRow(v, i)
	}
	return p.finish()
}

// StreamHTML writes the same page as HTML without keeping all of it in memory. rows yields rows of
// the scrollback, then the rows of the screen; above is the number of the scrollback rows. The
// title, size, cursor and images are those of snap.
func StreamHTML(w io.Writer, rows iter.Seq[emulator.Row], above int, snap *emulator.Snapshot) error {
	p := newPage(w, snap.Title)
	n := -above
	for row := range rows {
		v := view{rows: [][]emulator.Cell{cutCells(row.Cells, 0, snap.Size.Cols)}, cols: snap.Size.Cols, images: snap.Images}
		if c := snap.Cursor; c.Visible && c.Row == n {
			c.Row = 0
			v.cursor = &c
		}
		p.writeRow(&v, 0)
		n++
	}
	return p.finish()
}

// A page is an HTML document that is being written.
type page struct {
	w *bufio.Writer
	definitions
}

// newPage writes the start of a page.
func newPage(w io.Writer, title string) *page {
	p := &page{bufio.NewWriter(w), newDefinitions()}
	fmt.Fprintf(p.w, htmlHead, escape(title), Background, Foreground, Background)
	return p
}

// finish writes the end of the page.
func (p *page) finish() error {
	if p.err != nil {
		return p.err
	}
	p.w.WriteString("</pre></body></html>\n") // Flush returns the error, if any
	return p.w.Flush()
}

// writeRow writes a row as images and spans.
func (p *page) writeRow(v *view, row int) {
	cells := v.rows[row][:max(v.visibleEnd(row, true), v.imageEnd(row))]
	for col := 0; col < len(cells); {
		from := col
		if col += TileRun(cells[col:]); col > from {
			if p.writeTiles(v, cells[from:col]) {
				continue
			}
		}
		for col < len(cells) && cells[col].Tile.Placement == 0 {
			col++
		}
		for _, s := range v.spans(row, from, col) {
			p.writeSpan(v, s)
		}
	}
	p.w.WriteByte('\n')
}

// writeTiles writes adjacent tiles of one row. If the image cannot be shown, it returns false.
func (p *page) writeTiles(v *view, cells []emulator.Cell) bool {
	tile := cells[0].Tile
	placement := v.images[tile.Placement]
	if placement == nil {
		return false
	}
	// The CSS rule has the size of the whole placement. Each span shows a part of it.
	hasStyle := p.define(placement, func(url string) {
		fmt.Fprintf(p.w, "<style>.t%d{display:inline-block;height:16px;vertical-align:bottom;background:url(%s) 0 0/%dch %dpx}</style>",
			tile.Placement, url, placement.Cols, placement.Rows*16)
	})
	if hasStyle {
		css := ""
		if bg := background(cells[0].Style); bg != Background {
			css = ";background-color:" + bg.String()
		}
		fmt.Fprintf(p.w, `<span class="t%d" style="width:%dch;background-position:-%dch -%dpx%s"></span>`,
			tile.Placement, len(cells), tile.Col, int(tile.Row)*16, css)
	}
	return hasStyle
}

// writeSpan writes a span. For a wide character, it writes a box that is two columns wide.
func (p *page) writeSpan(v *view, s Span) {
	css := strings.Join(v.css(s), ";")
	tag, attrs := "span", ""
	if s.Style.Link != "" {
		tag, attrs = "a", fmt.Sprintf(` href="%s"`, escape(s.Style.Link))
	}
	if s.Alone && s.Cols == 2 {
		attrs += ` class="w"`
	}
	if css != "" {
		attrs += fmt.Sprintf(` style="%s"`, css)
	}
	if attrs == "" {
		p.w.WriteString(escape(s.Text))
		return
	}
	fmt.Fprintf(p.w, "<%s%s>%s</%s>", tag, attrs, escape(s.Text), tag)
}

// css returns the CSS declarations for a span.
func (v *view) css(s Span) (rules []string) {
	style := s.Style
	if s.cursor && v.cursor.Shape == emulator.CursorBlock {
		style.FG, style.BG = style.BG, cursorColor
	}
	if style.FG != Foreground {
		rules = append(rules, "color:"+style.FG.String())
	}
	if style.BG != Background {
		rules = append(rules, "background:"+style.BG.String())
	}
	if style.Attrs&emulator.Bold != 0 {
		rules = append(rules, "font-weight:bold")
	}
	if style.Attrs&emulator.Italic != 0 {
		rules = append(rules, "font-style:italic")
	}
	if lines := style.cssLines(); lines != "" {
		rules = append(rules, "text-decoration:"+lines[1:])
	}
	if s.cursor && v.cursor.Shape != emulator.CursorBlock {
		edge := map[emulator.CursorShape]string{emulator.CursorUnderline: "0 -2px", emulator.CursorBar: "2px 0"}
		rules = append(rules, "box-shadow:inset "+edge[v.cursor.Shape]+" "+cursorColor.String())
	}
	return rules
}

// cssLines returns the CSS text decorations for underline, overline and strike, and their colour if
// it is not that of the text, each after a blank. It returns "" if there are none.
func (s ResolvedStyle) cssLines() string {
	line := map[emulator.Underline]string{
		emulator.UnderlineSingle: " underline", emulator.UnderlineDouble: " underline double", emulator.UnderlineCurly: " underline wavy",
		emulator.UnderlineDotted: " underline dotted", emulator.UnderlineDashed: " underline dashed",
	}[s.Underline]
	if s.Attrs&emulator.Overline != 0 {
		line += " overline"
	}
	if s.Attrs&emulator.Strike != 0 {
		line += " line-through"
	}
	if line != "" && s.Line != s.FG {
		line += " " + s.Line.String()
	}
	return line
}

// SafeLink returns uri, percent-encoded where necessary, if its scheme is http, https, mailto
// or ftp. Otherwise it returns "", because opening a URI of another scheme, such as javascript,
// could run a program.
func SafeLink(uri string) string {
	u, err := url.Parse(cleanLink(uri, ""))
	if err != nil {
		return ""
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https", "mailto", "ftp":
		return u.String()
	}
	return ""
}

// cleanText replaces control characters and invalid UTF-8.
func cleanText(s string) string {
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
